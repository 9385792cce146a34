/** What a controller of the tests stands on: a store, a queue, and the internal API that its captures call. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInternalApi } from '../../src/api/internal/internalApi.ts';
import { FolderStore } from '../../src/artifacts/folder.ts';
import type { ControllerSettings } from '../../src/controller/controller.ts';
import type { Log } from '../../src/lib/log.ts';
import { type Queue, startQueue } from '../../src/queue/queue.ts';
import { openStore, type Store } from '../../src/store/database/database.ts';
import { type Notifications, openNotifications } from '../../src/store/database/notifications.ts';
import { readInstallation } from '../../src/store/installation/installation.ts';
import { started } from './listeners.ts';
import { SILENT } from './silentLog.ts';

export const PUBLIC_URL = 'https://tearsheet.example';

export interface Complaint {
  readonly fields: object;
  readonly message: string;
}

export interface Surroundings {
  readonly store: Store;
  readonly queue: Queue;
  readonly notifications: Notifications;
  readonly artifacts: FolderStore;
  /** The uuid of the table `installation`. */
  readonly installation: string;
  readonly secret: Buffer;
  readonly internalUrl: string;
  /** Removed at the end. */
  readonly folder: string;
  /** Keeps warnings and errors in `complaints`, and nothing else. */
  readonly log: Log;
  readonly complaints: Complaint[];
  /** Final states of pictures as the internal API counts them. */
  readonly counted: string[];
  close(): Promise<void>;
}

export async function openSurroundings(databaseUrl: string, { leaseSeconds = 10 } = {}): Promise<Surroundings> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-controller-'));
  const store = openStore({ url: databaseUrl });
  const notifications = openNotifications(databaseUrl);
  await notifications.ready;
  const complaints: Complaint[] = [];
  const complain = (fields: object, message: string) => complaints.push({ fields, message });
  const log = { ...SILENT, warn: complain, error: complain };
  const queue = await startQueue({ databaseUrl, onError: (error) => complain({ error }, 'queue') });
  const { id: installation, secret } = await readInstallation(store.db);
  // Its address is part of what it serves, so it listens before there is anything to serve.
  const server = createServer();
  const { url: internalUrl, close } = await started(server);
  const artifacts = new FolderStore(path.join(folder, 'artifacts'));
  const counted: string[] = [];
  server.on(
    'request',
    createInternalApi({
      ...{ store, queue, notifications, secret, internalUrl, artifacts, leaseSeconds, log },
      ...{ publicUrl: PUBLIC_URL, podDeadlineSeconds: 60 },
      observe: { screenshots: (statuses) => void counted.push(...statuses) },
    }),
  );
  return {
    ...{ store, queue, notifications, artifacts, installation, secret, internalUrl, folder, log, complaints, counted },
    async close() {
      await queue.stop({ timeoutMs: 1_000 });
      await notifications.close();
      await close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Of a controller in tests: little enough that its bounds are met. */
export function settingsFor(
  { internalUrl }: Pick<Surroundings, 'internalUrl'>,
  given: Partial<ControllerSettings> & Pick<ControllerSettings, 'isLocal'>,
): ControllerSettings {
  return {
    ...{ maxPods: 4, maxPodsPerOrganization: 4, parallelism: 2, setDeadlineSeconds: 120, retries: 1 },
    ...{ podDeadlineSeconds: 60, finishedTtlSeconds: 600, schedulingDeadlineSeconds: 60, mostFinishedResources: 100 },
    ...{ internalUrl, publicUrl: PUBLIC_URL },
    ...given,
  };
}
