/** The chart on the cluster of test/cluster. PostgreSQL and S3 run on this machine, so that the run can read them at its end. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { host as addressForPods, isOwnCluster, kubeconfig } from '../../e2e/support/environment.ts';
import { HelmInstallation } from '../../e2e/support/helmInstallation.ts';
import { ORGANIZATION } from '../load/client.ts';
import { ChaosDatabase } from '../service/database.ts';
import { type ChaosS3, startS3 } from '../service/s3.ts';

export interface ClusterInstallation {
  readonly root: string;
  /** The address of this machine that pods reach. */
  readonly host: string;
  readonly release: HelmInstallation;
  readonly database: ChaosDatabase;
  readonly s3: ChaosS3;
}

export const ARTIFACTS = { bucket: 'artifacts', prefix: 'pictures' };
export const CUSTOMER_BUCKET = 'customer';
/** A node of two cores has space for all pods, and for those that replace them. */
const SMALL = { requests: { cpu: '10m', memory: '64Mi' } };

export async function startClusterInstallation(): Promise<ClusterInstallation> {
  if (!isOwnCluster())
    throw new Error(
      'A run on a cluster kills processes of its node, so it needs the cluster of test/cluster: unset KUBECONFIG.',
    );
  const root = mkdtempSync(path.join(tmpdir(), 'tearsheet-chaos-'));
  // PostgreSQL runs as another account where this one is root.
  chmodSync(root, 0o755);
  const host = addressForPods();
  const [database, s3] = await Promise.all([ChaosDatabase.start(root, host), startS3(root, host)]);
  if (s3 === undefined) throw new Error('Without Go there is no S3 server, which a run on a cluster needs.');
  for (const bucket of [ARTIFACTS.bucket, CUSTOMER_BUCKET]) await s3.createBucket(bucket);
  const { endpoint, accessKeyId, secretAccessKey } = s3;
  const values = {
    artifacts: { url: `s3://${ARTIFACTS.bucket}/${ARTIFACTS.prefix}`, endpoint, accessKeyId, secretAccessKey },
    trial: { postgres: { enabled: false } },
    database: { url: database.serviceUrl },
    settings: { RATE_LIMIT_PER_SECOND: '10000', RATE_LIMIT_BURST: '10000' },
    api: { replicas: 2, resources: SMALL },
    controller: { replicas: 2, resources: SMALL },
    capture: { maxPods: 3, maxPodsPerOrganization: 3, resources: SMALL, terminationGracePeriodSeconds: 6 },
  };
  const release = await HelmInstallation.prepare('chaos', values, kubeconfig());
  await release.install();
  await release.createOrganization(ORGANIZATION);
  return { root, host, release, database, s3 };
}
