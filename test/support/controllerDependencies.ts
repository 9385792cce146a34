/** The dependencies of a controller in tests: a store, a queue and the internal API that its captures call. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInternalApi } from '../../src/api/internal/internalApi.ts';
import { FolderArtifactStore } from '../../src/artifacts/folder.ts';
import type { ControllerSettings } from '../../src/controller/controller.ts';
import type { ReachedMilestone } from '../../src/core/jobs/countedTransactions.ts';
import { readInstallation } from '../../src/core/jobs/installation.ts';
import { openStore, type Store } from '../../src/db/database.ts';
import { type Notifications, openNotifications } from '../../src/db/notifications.ts';
import { type Queue, startQueue } from '../../src/db/queue.ts';
import type { Log } from '../../src/lib/log.ts';
import { startListener } from './listeners.ts';
import { TEST_KEY_RING } from './testKeys.ts';
import { createTestLog, type LogLine } from './testLog.ts';

export const PUBLIC_URL = 'https://tearsheet.example';

export interface ControllerDependencies {
  readonly store: Store;
  readonly queue: Queue;
  readonly notifications: Notifications;
  readonly artifacts: FolderArtifactStore;
  /** The uuid of the table `installation`. */
  readonly installation: string;
  readonly secret: Buffer;
  readonly internalUrl: string;
  /** `close` removes it. */
  readonly folder: string;
  /** Its warnings and errors are in `warnings`. */
  readonly log: Log;
  readonly warnings: LogLine[];
  /** Final states of pictures as the internal API counts them. */
  readonly counted: string[];
  /** Milestones of sets as the internal API times them. */
  readonly reached: ReachedMilestone[];
  close(): Promise<void>;
}

export async function openControllerDependencies(
  databaseUrl: string,
  { leaseSeconds = 60 } = {},
): Promise<ControllerDependencies> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-controller-'));
  const store = openStore({ url: databaseUrl, keyRing: TEST_KEY_RING });
  const notifications = openNotifications(databaseUrl);
  await notifications.ready;
  const warnings: LogLine[] = [];
  const log = createTestLog((line) => {
    if (line.level === 'warn' || line.level === 'error') warnings.push(line);
  });
  const queue = await startQueue({ databaseUrl, onError: (err) => log.warn({ err }, 'queue') });
  const { id: installation, secret } = await readInstallation(store.db);
  // The API needs its own address, so the server listens before the API exists.
  const server = createServer();
  const { url: internalUrl, close } = await startListener(server);
  const artifacts = new FolderArtifactStore(path.join(folder, 'artifacts'));
  const counted: string[] = [];
  const reached: ReachedMilestone[] = [];
  server.on(
    'request',
    createInternalApi({
      ...{ store, queue, notifications, secret, internalUrl, artifacts, leaseSeconds, log },
      ...{ publicUrl: PUBLIC_URL, podDeadlineSeconds: 600 },
      smallSets: { maxPodsPerOrganization: 4, setDeadlineSeconds: 1_200 },
      observe: {
        screenshots: (statuses) => void counted.push(...statuses),
        milestones: (milestones) => void reached.push(...milestones),
      },
    }),
  );
  return {
    ...{ store, queue, notifications, artifacts, installation, secret, internalUrl, folder, log, warnings, counted },
    reached,
    async close() {
      await queue.stop({ timeoutMs: 1_000 });
      await notifications.close();
      await close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Settings of a controller in tests, small enough that tests reach the limits. */
export function testSettings(
  { internalUrl }: Pick<ControllerDependencies, 'internalUrl'>,
  given: Partial<ControllerSettings> & Pick<ControllerSettings, 'isLocal'>,
): ControllerSettings {
  return {
    ...{ maxPods: 4, maxPodsPerOrganization: 4, parallelism: 2, setDeadlineSeconds: 1_200, retries: 1 },
    ...{ podDeadlineSeconds: 600, finishedTtlSeconds: 600, schedulingDeadlineSeconds: 600, maxFinishedResources: 100 },
    ...{ internalUrl, publicUrl: PUBLIC_URL },
    ...given,
  };
}
