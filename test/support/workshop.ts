/** The whole of the work in one process, as `tearsheet dev` has it, with captures that only play the protocol. */
import { fileURLToPath } from 'node:url';
import { issueJobToken } from '../../src/api/auth/jobToken.ts';
import type { ArtifactStore } from '../../src/artifacts/store.ts';
import { createLocalCluster, type LocalCluster } from '../../src/cluster/local/localCluster.ts';
import type { ClusterPort } from '../../src/cluster/port.ts';
import { type Controller, type ControllerSettings, startController } from '../../src/controller/controller.ts';
import type { ControllerObserver } from '../../src/controller/options.ts';
import type { Queue } from '../../src/queue/queue.ts';
import type { Store } from '../../src/store/database/database.ts';
import { type Complaint, openSurroundings, settingsFor } from './surroundings.ts';

export { PUBLIC_URL } from './surroundings.ts';

const CAPTURE = fileURLToPath(new URL('./playedCapture.ts', import.meta.url));

export interface Workshop {
  readonly store: Store;
  readonly queue: Queue;
  readonly cluster: LocalCluster;
  readonly controller: Controller;
  readonly artifacts: ArtifactStore;
  /** What was logged as a warning or an error. */
  readonly complaints: Complaint[];
  readonly internalUrl: string;
  /** Final states of pictures as they are counted, by whichever process brings them about. */
  readonly counted: string[];
  close(): Promise<void>;
}

export interface WorkshopOptions {
  readonly databaseUrl: string;
  readonly settings?: Partial<ControllerSettings>;
  readonly leaseSeconds?: number;
  readonly captureCommand?: readonly string[];
  readonly maxPods?: number;
  /** Of the controller, in milliseconds. */
  readonly clock?: () => number;
  readonly observe?: Partial<ControllerObserver>;
  readonly onSuperseded?: () => void;
  /** Stands between the controller and its cluster. */
  readonly wrapCluster?: (cluster: ClusterPort) => ClusterPort;
}

export async function openWorkshop(options: WorkshopOptions): Promise<Workshop> {
  const { databaseUrl, settings = {}, leaseSeconds = 10, maxPods = 4 } = options;
  const around = await openSurroundings(databaseUrl, { leaseSeconds });
  const { store, queue, notifications, log, folder, secret, counted, artifacts, complaints, internalUrl } = around;
  const cluster = createLocalCluster({
    captureCommand: options.captureCommand ?? [process.execPath, CAPTURE],
    ...{ maxPods, log, graceMs: 1_000, backoffMs: 50 },
    env: { PATH: process.env['PATH'] ?? '', PLAYED_FOLDER: folder },
  });
  const controller = await startController({
    ...{ store, queue, notifications, log },
    observe: { screenshots: (statuses) => void counted.push(...statuses), ...options.observe },
    ...(options.clock && { clock: options.clock }),
    ...(options.onSuperseded && { onSuperseded: options.onSuperseded }),
    cluster: options.wrapCluster?.(cluster) ?? cluster,
    issueToken: (jobId, expiresAt) => issueJobToken(secret, jobId, expiresAt),
    settings: settingsFor(around, { maxPods, maxPodsPerOrganization: maxPods, isLocal: true, ...settings }),
  });
  return {
    ...{ store, queue, cluster, controller, artifacts, complaints, internalUrl, counted },
    async close() {
      await controller.stop();
      await cluster.close();
      await around.close();
    },
  };
}
