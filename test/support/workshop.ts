/** The whole of the work in one process, as `tearsheet dev` has it, with captures that only play the protocol. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInternalApi } from '../../src/api/internal/internalApi.ts';
import { issueJobToken } from '../../src/api/internal/token.ts';
import { FolderStore } from '../../src/artifacts/folder.ts';
import type { ArtifactStore } from '../../src/artifacts/store.ts';
import { createLocalCluster, type LocalCluster } from '../../src/cluster/local.ts';
import type { ClusterPort } from '../../src/cluster/port.ts';
import { type Controller, type ControllerSettings, startController } from '../../src/controller/controller.ts';
import type { ControllerObserver } from '../../src/controller/options.ts';
import { type Queue, startQueue } from '../../src/queue/queue.ts';
import { openStore, type Store } from '../../src/store/database.ts';
import { readInstallation } from '../../src/store/installation.ts';
import { openNotifications } from '../../src/store/notifications.ts';
import { started } from './listeners.ts';
import { SILENT } from './silentLog.ts';

export const PUBLIC_URL = 'https://tearsheet.example';
const CAPTURE = fileURLToPath(new URL('./playedCapture.ts', import.meta.url));

export interface Workshop {
  readonly store: Store;
  readonly queue: Queue;
  readonly cluster: LocalCluster;
  readonly controller: Controller;
  readonly artifacts: ArtifactStore;
  /** What was logged as a warning or an error. */
  readonly complaints: { fields: object; message: string }[];
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
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-workshop-'));
  const store = openStore({ url: databaseUrl });
  const notifications = openNotifications(databaseUrl);
  await notifications.ready;
  const complaints: Workshop['complaints'] = [];
  const complain = (fields: object, message: string) => complaints.push({ fields, message });
  const log = { ...SILENT, warn: complain, error: complain };
  const queue = await startQueue({ databaseUrl, onError: (error) => complain({ error }, 'queue') });
  const { secret } = await readInstallation(store.db);
  // Its address is part of what it serves, so it listens before there is anything to serve.
  const server = createServer();
  const listener = await started(server);
  const internalUrl = listener.url;
  const artifacts = new FolderStore(path.join(folder, 'artifacts'));
  const counted: string[] = [];
  const observe = { screenshots: (statuses: readonly string[]) => void counted.push(...statuses) };
  const app = createInternalApi({
    ...{ store, queue, notifications, secret, internalUrl, leaseSeconds, log },
    artifacts,
    publicUrl: PUBLIC_URL,
    podDeadlineSeconds: 60,
    observe,
  });
  server.on('request', app);
  const cluster = createLocalCluster({
    captureCommand: options.captureCommand ?? [process.execPath, CAPTURE],
    ...{ maxPods, log, graceMs: 1_000, backoffMs: 50 },
    env: { PATH: process.env['PATH'] ?? '', PLAYED_FOLDER: folder },
  });
  const controller = await startController({
    ...{ store, queue, notifications, log },
    observe: { ...observe, ...options.observe },
    ...(options.clock && { clock: options.clock }),
    ...(options.onSuperseded && { onSuperseded: options.onSuperseded }),
    cluster: options.wrapCluster?.(cluster) ?? cluster,
    issueToken: (jobId, expiresAt) => issueJobToken(secret, jobId, expiresAt),
    settings: {
      ...{ maxPods, maxPodsPerOrganization: maxPods, parallelism: 2, setDeadlineSeconds: 120, retries: 1 },
      ...{
        podDeadlineSeconds: 60,
        finishedTtlSeconds: 600,
        schedulingDeadlineSeconds: 60,
        mostFinishedResources: 100,
        internalUrl,
        publicUrl: PUBLIC_URL,
        isLocal: true,
      },
      ...settings,
    },
  });
  return {
    ...{ store, queue, cluster, controller, artifacts, complaints, internalUrl, counted },
    async close() {
      await controller.stop();
      await cluster.close();
      await queue.stop({ timeoutMs: 1_000 });
      await notifications.close();
      await listener.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
