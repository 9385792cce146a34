/** The controller on a real API server, with pods that are played: one namespace, one database. */
import { BatchV1Api, CoreV1Api, CustomObjectsApi } from '@kubernetes/client-node';
import { issueJobToken } from '../../src/api/auth/jobToken.ts';
import { connectKubernetes, type KubernetesCluster } from '../../src/cluster/kubernetes/kubernetesCluster.ts';
import { CaptureProfile } from '../../src/contract/captureProfile.ts';
import { type Controller, type ControllerSettings, startController } from '../../src/controller/controller.ts';
import { type TestNamespace, testNamespace } from './cluster.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { type Operator, operatorOf } from './operator.ts';
import { PodPlayer } from './podPlayer.ts';
import { openSurroundings, type Surroundings, settingsFor } from './surroundings.ts';

export const PROFILE = { image: 'tearsheet:test', serviceAccountName: 'default' };

type Around = Pick<Surroundings, 'store' | 'queue' | 'installation' | 'internalUrl' | 'folder' | 'complaints'>;

export interface ClusterWorkshop extends Around {
  readonly namespace: TestNamespace;
  readonly database: TestDatabase;
  readonly core: CoreV1Api;
  readonly batch: BatchV1Api;
  readonly custom: CustomObjectsApi;
  readonly operator: Operator;
  readonly player: PodPlayer;
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
  const around = await openSurroundings(database.url);
  const { store, queue, notifications, log, installation, secret, folder } = around;
  const core = namespace.config.makeApiClient(CoreV1Api);
  const operator = operatorOf(namespace);
  const tokenOf = (jobId: string) => issueJobToken(secret, jobId, new Date(Date.now() + 3_600_000));
  const player = new PodPlayer({ core, namespace: namespace.name, tokenOf, folder });
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
    ...{ ...around, namespace, database, core, operator, player, connect },
    batch: namespace.config.makeApiClient(BatchV1Api),
    custom: namespace.config.makeApiClient(CustomObjectsApi),
    async lead(settings = {}, profile = {}) {
      const cluster = await connect(profile);
      const controller = await startController({
        ...{ store, queue, notifications, log, cluster },
        settings: settingsFor(around, { isLocal: false, ...settings }),
      });
      ends.unshift(() => controller.stop());
      return { cluster, controller };
    },
    read: operator.read,
    async close() {
      for (const end of ends) await end();
      await player.stop();
      await around.close();
      await database.close();
      await namespace.remove();
    },
  };
}
