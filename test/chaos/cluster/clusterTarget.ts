/** The target `cluster`: the chart on the cluster of test/cluster. */
import { realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '../../../src/lib/sleep.ts';
import type { ScreenshotJobResource } from '../../e2e/support/helmInstallation.ts';
import { filesIn, readState } from '../check/readState.ts';
import type { ServiceState } from '../check/state.ts';
import { runFaults } from '../faults/schedule.ts';
import type { ChaosTarget } from '../target.ts';
import {
  ARTIFACTS,
  type ClusterInstallation,
  CUSTOMER_BUCKET,
  startClusterInstallation,
} from './clusterInstallation.ts';
import { CLUSTER_KILLS } from './clusterKills.ts';
import { type Pod, podsOf, processesOf } from './podProcesses.ts';

/** Fewer than on one machine, because each capture is a pod. */
const MAX_OPEN = 6;
/** A pod starts in 10 to 20 s, so the waves are longer than on one machine. */
const FAULTS = { kills: CLUSTER_KILLS, disturbances: [], waves: { kills: 20_000, calm: 20_000 } };
/** Pods and Jobs whose work has ended have this time to end, too. */
const PODS_END_MS = 120_000;

interface Job {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export async function startTarget(log: (line: string) => void): Promise<ChaosTarget> {
  log('starting PostgreSQL and an S3 server, and installing the chart …');
  const installation = await startClusterInstallation();
  const { root, host, release, database, s3 } = installation;
  log(`installed in the namespace ${release.namespace.name}; the files are in ${root}`);
  return {
    ...{ host, database, s3, customerBucket: CUSTOMER_BUCKET, maxOpen: MAX_OPEN },
    publicUrl: await release.url(),
    organization: release.organization,
    runFaults: ({ random, ledger, ...options }) => runFaults({ installation, random, ledger }, FAULTS, options),
    restartApis: async () => {
      await release.kubectl(['rollout', 'restart', `deployment/${await release.deployment('api')}`]);
    },
    stopAndRead: () => stopAndRead(installation, log),
    remove: (everything) => remove(installation, everything),
  };
}

/** Looks for what the service left in the cluster, uninstalls it, and looks again. */
async function stopAndRead(installation: ClusterInstallation, log: (line: string) => void): Promise<ServiceState> {
  const { release, database, s3 } = installation;
  const unended = await settled(() => unendedObjects(installation));
  const pods = (
    await Promise.all((['api', 'controller', 'capture'] as const).map((one) => podsOf(release, one)))
  ).flat();
  if (unended.length > 0) log(await release.diagnostics());
  await release.uninstall();
  log('uninstalled');
  const left = await settled(() => remaining(installation, pods));
  const state = await readState(database, {
    files: filesIn(path.join(s3.data, ARTIFACTS.bucket, ARTIFACTS.prefix)),
    processes: [...unended, ...left],
    temporary: [],
  });
  await s3.process.stop();
  await s3.relay.close();
  await database.stop();
  return state;
}

/** Repeats `look` until it finds nothing or the time is over. @returns the last objects that it found. */
async function settled(look: () => Promise<string[]>): Promise<string[]> {
  for (const end = performance.now() + PODS_END_MS; ; await sleep(1_000)) {
    const found = await look();
    if (found.length === 0 || performance.now() > end) return found;
  }
}

const hasEnded = ({ status }: Pick<ScreenshotJobResource | Job, 'status'>, types: readonly string[]) =>
  status?.conditions?.some((one) => types.includes(one.type) && one.status === 'True') === true;

/** Captures, Jobs and ScreenshotJobs that have not ended although no set is open. */
async function unendedObjects({ release }: ClusterInstallation): Promise<string[]> {
  const [captures, jobs, screenshotJobs] = await Promise.all([
    podsOf(release, 'capture'),
    release.list<Job>('jobs'),
    release.jobs(),
  ]);
  return [
    ...captures.filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending').map(podName),
    ...jobs.filter((one) => !hasEnded(one, ['Complete', 'Failed'])).map(({ metadata }) => `Job ${metadata.name}`),
    ...screenshotJobs
      .filter((one) => !hasEnded(one, ['Settled']))
      .map(({ metadata }) => `ScreenshotJob ${metadata.name}`),
  ].map((name) => `${name} has not ended`);
}

const podName = ({ metadata }: Pod) => `pod ${metadata.name}`;

/** Objects and processes that stay after the release is uninstalled. */
async function remaining({ release }: ClusterInstallation, earlier: readonly Pod[]): Promise<string[]> {
  const [pods, jobs, screenshotJobs] = await Promise.all([
    release.list<Pod>('pods'),
    release.list<Job>('jobs'),
    release.jobs(),
  ]);
  return [
    ...pods.map(podName),
    ...jobs.map(({ metadata }) => `Job ${metadata.name}`),
    ...screenshotJobs.map(({ metadata }) => `ScreenshotJob ${metadata.name}`),
    ...processesOf(earlier).map(({ kind, pid, pod }) => `process ${kind} ${pid} of ${pod}`),
  ].map((name) => `${name} after helm uninstall`);
}

/** The logs stay if something was found. */
async function remove({ root, release }: ClusterInstallation, everything: boolean): Promise<void> {
  await release.remove();
  const data = path.join(root, 'postgres');
  rmSync(realpathSync(data), { recursive: true, force: true, maxRetries: 5 });
  for (const name of everything ? [''] : ['postgres', 's3-data', 's3-meta'])
    rmSync(path.join(root, name), { recursive: true, force: true, maxRetries: 5 });
}
