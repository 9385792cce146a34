/** The internal API on a database of its own, served over HTTP as captures use it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInternalApi } from '../../src/api/internal/internalApi.ts';
import type { InternalApiOptions } from '../../src/api/internal/options.ts';
import { FolderArtifactStore } from '../../src/artifacts/folder.ts';
import { readInstallation } from '../../src/core/jobs/installation.ts';
import { openStore, type Store } from '../../src/db/database.ts';
import { openNotifications } from '../../src/db/notifications.ts';
import { testDatabase } from './database.ts';
import { type Listener, startListener } from './listeners.ts';
import { TEST_KEY_RING } from './testKeys.ts';
import { TEST_LOG } from './testLog.ts';

export interface TestInternalApi {
  readonly store: Store;
  /** The installation's secret. */
  readonly secret: Buffer;
  /** Where pictures are kept, unless other options say so. */
  readonly artifacts: FolderArtifactStore;
  readonly internalUrl: string;
  /** Those of the first internal API. */
  readonly options: InternalApiOptions;
  /** Starts another process's internal API on the same database, with connections of its own. @returns its address */
  startReplica(): Promise<string>;
  /** Starts an internal API with other options on the same connections. */
  startApi(options: Partial<InternalApiOptions>): Promise<Listener>;
  close(): Promise<void>;
}

/** @param more options that replace the defaults; the function gets the store. */
export async function startTestInternalApi(
  more: (store: Store) => Partial<InternalApiOptions> = () => ({}),
): Promise<TestInternalApi> {
  const database = await testDatabase();
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const notifications = openNotifications(database.url);
  await notifications.ready;
  const { secret } = await readInstallation(store.db);
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-internal-'));
  const artifacts = new FolderArtifactStore(folder);
  const servers: Listener[] = [];
  const stores = [store];
  const optionsOf = (served: Store, internalUrl: string): InternalApiOptions => ({
    ...{ store: served, notifications, secret, internalUrl, artifacts, log: TEST_LOG },
    ...{ leaseSeconds: 600, podDeadlineSeconds: 600, publicUrl: 'https://tearsheet.example' },
    queue: { enqueue: async () => undefined },
    smallSets: { maxPodsPerOrganization: 10, setDeadlineSeconds: 600 },
  });
  const serve = async (served: Store, options: Partial<InternalApiOptions>): Promise<Listener> => {
    const server = createServer();
    const listener = await startListener(server);
    servers.push(listener);
    server.on('request', createInternalApi({ ...optionsOf(served, listener.url), ...options }));
    return listener;
  };
  const { url: internalUrl } = await serve(store, more(store));
  return {
    store,
    secret,
    artifacts,
    internalUrl,
    options: optionsOf(store, internalUrl),
    async startReplica() {
      const another = openStore({ url: database.url, keyRing: TEST_KEY_RING });
      stores.push(another);
      return (await serve(another, more(another))).url;
    },
    startApi: (options) => serve(store, options),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await notifications.close();
      await Promise.all(stores.map((each) => each.close()));
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
