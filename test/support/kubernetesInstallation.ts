/** A controller on a real API server with one namespace, one database and a fake kubelet. */
import { BatchV1Api, CoreV1Api, CustomObjectsApi } from '@kubernetes/client-node';
import { issueJobToken } from '../../src/api/auth/jobToken.ts';
import { connectKubernetes, type KubernetesCluster } from '../../src/cluster/kubernetes/kubernetesCluster.ts';
import { CaptureProfile } from '../../src/contract/captureProfile.ts';
import { type Controller, type ControllerSettings, startController } from '../../src/controller/controller.ts';
import { type TestNamespace, testNamespace } from './cluster.ts';
import { type ControllerDependencies, openControllerDependencies, testSettings } from './controllerDependencies.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { FakeKubelet } from './fakeKubelet.ts';
import { type ScreenshotJobClient, screenshotJobClient } from './screenshotJobClient.ts';

export const PROFILE = { image: 'tearsheet:test', serviceAccountName: 'default' };

type Dependencies = Pick<
  ControllerDependencies,
  'store' | 'queue' | 'installation' | 'internalUrl' | 'folder' | 'warnings'
>;

export interface KubernetesInstallation extends Dependencies {
  readonly namespace: TestNamespace;
  readonly database: TestDatabase;
  readonly core: CoreV1Api;
  readonly batch: BatchV1Api;
  readonly custom: CustomObjectsApi;
  readonly screenshotJobs: ScreenshotJobClient;
  readonly fakeKubelet: FakeKubelet;
  connect(profile?: Partial<CaptureProfile>): Promise<KubernetesCluster>;
  /** Starts a controller that becomes leader. `close` stops it. */
  startController(
    settings?: Partial<ControllerSettings>,
    profile?: Partial<CaptureProfile>,
  ): Promise<{ cluster: KubernetesCluster; controller: Controller }>;
  readonly read: ScreenshotJobClient['read'];
  close(): Promise<void>;
}

export async function startKubernetesInstallation(label: string): Promise<KubernetesInstallation> {
  const namespace = await testNamespace(`controller-${label}`);
  const database = await testDatabase();
  const dependencies = await openControllerDependencies(database.url);
  const { store, queue, notifications, log, installation, secret, folder } = dependencies;
  const core = namespace.config.makeApiClient(CoreV1Api);
  const screenshotJobs = screenshotJobClient(namespace);
  const tokenOf = (jobId: string) => issueJobToken(secret, jobId, new Date(Date.now() + 3_600_000));
  const fakeKubelet = new FakeKubelet({ core, namespace: namespace.name, tokenOf, folder });
  const ends: (() => Promise<void>)[] = [];

  const connect = async (profile: Partial<CaptureProfile> = {}) => {
    const where = { namespace: namespace.name, kubeconfig: namespace.kubeconfig, installation };
    const cluster = await connectKubernetes({
      ...where,
      profile: CaptureProfile.parse({ ...PROFILE, ...profile }),
      log,
    });
    ends.push(() => cluster.close());
    return cluster;
  };
  return {
    ...{ ...dependencies, namespace, database, core, screenshotJobs, fakeKubelet, connect },
    batch: namespace.config.makeApiClient(BatchV1Api),
    custom: namespace.config.makeApiClient(CustomObjectsApi),
    async startController(settings = {}, profile = {}) {
      const cluster = await connect(profile);
      const controller = await startController({
        ...{ store, queue, notifications, log, cluster },
        settings: testSettings(dependencies, { isLocal: false, ...settings }),
      });
      ends.unshift(() => controller.stop());
      return { cluster, controller };
    },
    read: screenshotJobs.read,
    async close() {
      for (const end of ends) await end();
      await fakeKubelet.stop();
      await dependencies.close();
      await database.close();
      await namespace.remove();
    },
  };
}
