/** The controller, the internal API and a local cluster in one process, as in `tearsheet dev`, with fake captures. */
import { fileURLToPath } from 'node:url';
import { issueJobToken } from '../../src/api/auth/jobToken.ts';
import type { ArtifactStore } from '../../src/artifacts/store.ts';
import type { ClusterPort } from '../../src/cluster/port.ts';
import { type Controller, type ControllerSettings, startController } from '../../src/controller/controller.ts';
import type { ControllerObserver } from '../../src/controller/options.ts';
import type { ReachedMilestone } from '../../src/core/jobs/countedTransactions.ts';
import type { Store } from '../../src/db/database.ts';
import type { Queue } from '../../src/db/queue.ts';
import { openControllerDependencies, testSettings } from './controllerDependencies.ts';
import { OperatedCluster } from './operatedCluster.ts';
import type { LogLine } from './testLog.ts';

export { PUBLIC_URL } from './controllerDependencies.ts';

const CAPTURE = fileURLToPath(new URL('./fakeCapture.ts', import.meta.url));

export interface LocalInstallation {
  readonly store: Store;
  readonly queue: Queue;
  readonly cluster: OperatedCluster;
  readonly controller: Controller;
  readonly artifacts: ArtifactStore;
  /** The logged warnings and errors. */
  readonly warnings: LogLine[];
  readonly internalUrl: string;
  /** Final states of pictures, as the controller and the internal API count them. */
  readonly counted: string[];
  /** Milestones of sets, as the controller and the internal API time them. */
  readonly reached: ReachedMilestone[];
  close(): Promise<void>;
}

export interface LocalInstallationOptions {
  readonly databaseUrl: string;
  readonly settings?: Partial<ControllerSettings>;
  readonly leaseSeconds?: number;
  readonly captureCommand?: readonly string[];
  readonly maxPods?: number;
  /** Captures of small sets host. */
  readonly hosts?: boolean;
  /** The controller's clock, in milliseconds. */
  readonly clock?: () => number;
  readonly observe?: Partial<ControllerObserver>;
  readonly onSuperseded?: () => void;
  readonly storeFault?: () => string | undefined;
  /** Wraps the cluster that the controller calls. */
  readonly wrapCluster?: (cluster: ClusterPort) => ClusterPort;
}

export async function startLocalInstallation(options: LocalInstallationOptions): Promise<LocalInstallation> {
  const { databaseUrl, settings = {}, leaseSeconds = 60, maxPods = 4 } = options;
  const dependencies = await openControllerDependencies(databaseUrl, { leaseSeconds });
  const { store, queue, notifications, log, folder, secret, counted, reached, artifacts, warnings, internalUrl } =
    dependencies;
  const cluster = new OperatedCluster({
    captureCommand: options.captureCommand ?? [process.execPath, CAPTURE],
    ...{ maxPods, log, graceMs: 1_000, backoffMs: 50 },
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      FAKE_CAPTURE_FOLDER: folder,
      ...(options.hosts === true && { FAKE_CAPTURE_HOSTS: '1' }),
    },
  });
  const controller = await startController({
    ...{ store, queue, notifications, log },
    observe: {
      screenshots: (statuses) => void counted.push(...statuses),
      milestones: (milestones) => void reached.push(...milestones),
      ...options.observe,
    },
    ...(options.clock && { clock: options.clock }),
    ...(options.storeFault && { storeFault: options.storeFault }),
    ...(options.onSuperseded && { onSuperseded: options.onSuperseded }),
    cluster: options.wrapCluster?.(cluster) ?? cluster,
    issueToken: (jobId, expiresAt) => issueJobToken(secret, jobId, expiresAt),
    settings: testSettings(dependencies, { maxPods, maxPodsPerOrganization: maxPods, isLocal: true, ...settings }),
  });
  return {
    ...{ store, queue, cluster, controller, artifacts, warnings, internalUrl, counted, reached },
    async close() {
      await controller.stop();
      await cluster.close();
      await dependencies.close();
    },
  };
}
