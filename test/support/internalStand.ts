/** The internal API on a database of its own, reached as captures reach it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInternalApi } from '../../src/api/internal/internalApi.ts';
import type { InternalApiOptions } from '../../src/api/internal/options.ts';
import { FolderStore } from '../../src/artifacts/folder.ts';
import { openStore, type Store } from '../../src/store/database.ts';
import { readInstallation } from '../../src/store/installation.ts';
import { openNotifications } from '../../src/store/notifications.ts';
import { testDatabase } from './database.ts';
import { started } from './listeners.ts';
import { SILENT } from './silentLog.ts';

export interface InternalStand {
  readonly store: Store;
  /** The installation's. */
  readonly secret: Buffer;
  /** Where pictures are kept, unless other options say so. */
  readonly artifacts: FolderStore;
  readonly internalUrl: string;
  close(): Promise<void>;
}

/** @param more what a test wants otherwise, from the store that it is about. */
export async function openInternalStand(
  more: (store: Store) => Partial<InternalApiOptions> = () => ({}),
): Promise<InternalStand> {
  const database = await testDatabase();
  const store = openStore({ url: database.url });
  const notifications = openNotifications(database.url);
  await notifications.ready;
  const { secret } = await readInstallation(store.db);
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-internal-'));
  const artifacts = new FolderStore(folder);
  const server = createServer();
  const { url: internalUrl, close } = await started(server);
  server.on(
    'request',
    createInternalApi({
      ...{ store, notifications, secret, internalUrl, artifacts, log: SILENT },
      ...{ leaseSeconds: 30, podDeadlineSeconds: 60, publicUrl: 'https://tearsheet.example' },
      queue: { enqueue: async () => undefined },
      ...more(store),
    }),
  );
  return {
    ...{ store, secret, artifacts, internalUrl },
    async close() {
      await close();
      await notifications.close();
      await store.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
