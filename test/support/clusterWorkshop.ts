/** The controller on a real API server, with pods that are played: one namespace, one database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BatchV1Api, CoreV1Api, CustomObjectsApi } from '@kubernetes/client-node';
import { createInternalApi } from '../../src/api/internal/internalApi.ts';
import { issueJobToken } from '../../src/api/internal/token.ts';
import { FolderStore } from '../../src/artifacts/folder.ts';
import { connectKubernetes, type KubernetesCluster } from '../../src/cluster/kubernetes.ts';
import { CaptureProfile } from '../../src/contract/captureProfile.ts';
import { type Controller, type ControllerSettings, startController } from '../../src/controller/controller.ts';
import { type Queue, startQueue } from '../../src/queue/queue.ts';
import { openStore, type Store } from '../../src/store/database.ts';
import { readInstallation } from '../../src/store/installation.ts';
import { openNotifications } from '../../src/store/notifications.ts';
import { type TestNamespace, testNamespace } from './cluster.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { started } from './listeners.ts';
import { type Operator, operatorOf } from './operator.ts';
import { PodPlayer } from './podPlayer.ts';
import { SILENT } from './silentLog.ts';
import { PUBLIC_URL } from './workshop.ts';

export const PROFILE = { image: 'tearsheet:test', serviceAccountName: 'default' };

export interface ClusterWorkshop {
  readonly namespace: TestNamespace;
  readonly database: TestDatabase;
  readonly installation: string;
  readonly core: CoreV1Api;
  readonly batch: BatchV1Api;
  readonly custom: CustomObjectsApi;
  readonly operator: Operator;
  readonly store: Store;
  readonly queue: Queue;
  readonly player: PodPlayer;
  readonly internalUrl: string;
  readonly folder: string;
  readonly complaints: { fields: object; message: string }[];
  connect(profile?: Partial<CaptureProfile>): Promise<KubernetesCluster>;
  /** One that leads, stopped with the workshop. */
  lead(
    settings?: Partial<ControllerSettings>,
    profile?: Partial<CaptureProfile>,
  ): Promise<{ cluster: KubernetesCluster; controller: Controller }>;
  readonly read: Operator['read'];
  close(): Promise<void>;
}

export async function openClusterWorkshop(label: string): Promise<ClusterWorkshop> {
  const namespace = await testNamespace(`controller-${label}`);
  const database = await testDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-cluster-'));
  const store = openStore({ url: database.url });
  const notifications = openNotifications(database.url);
  await notifications.ready;
  const complaints: ClusterWorkshop['complaints'] = [];
  const complain = (fields: object, message: string) => complaints.push({ fields, message });
  const log = { ...SILENT, warn: complain, error: complain };
  const queue = await startQueue({ databaseUrl: database.url, onError: (error) => complain({ error }, 'queue') });
  const { id: installation, secret } = await readInstallation(store.db);
  const server = createServer();
  const listener = await started(server);
  const internalUrl = listener.url;
  const artifacts = new FolderStore(path.join(folder, 'artifacts'));
  const shared = { store, queue, notifications, log };
  const limits = { leaseSeconds: 10, podDeadlineSeconds: 60 };
  server.on(
    'request',
    createInternalApi({ ...shared, ...limits, secret, internalUrl, artifacts, publicUrl: PUBLIC_URL }),
  );
  const core = namespace.config.makeApiClient(CoreV1Api);
  const tokenOf = (jobId: string) => issueJobToken(secret, jobId, new Date(Date.now() + 3_600_000));
  const player = new PodPlayer({ core, namespace: namespace.name, tokenOf, folder });
  const operator = operatorOf(namespace);
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
    ...{
      namespace,
      database,
      installation,
      core,
      operator,
      store,
      queue,
      player,
      internalUrl,
      folder,
      complaints,
      connect,
    },
    batch: namespace.config.makeApiClient(BatchV1Api),
    custom: namespace.config.makeApiClient(CustomObjectsApi),
    async lead(settings = {}, profile = {}) {
      const cluster = await connect(profile);
      const controller = await startController({
        ...{ ...shared, cluster },
        settings: {
          ...{ maxPods: 4, maxPodsPerOrganization: 4, parallelism: 2, setDeadlineSeconds: 120, retries: 1 },
          ...{ podDeadlineSeconds: 60, finishedTtlSeconds: 600, schedulingDeadlineSeconds: 60 },
          ...{ mostFinishedResources: 100, internalUrl, publicUrl: PUBLIC_URL, isLocal: false },
          ...settings,
        },
      });
      ends.unshift(() => controller.stop());
      return { cluster, controller };
    },
    read: operator.read,
    async close() {
      for (const end of ends) await end();
      await player.stop();
      await queue.stop({ timeoutMs: 1_000 });
      await notifications.close();
      await listener.close();
      await store.close();
      await database.close();
      await namespace.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
