/** PostgreSQL completes an upload, but its answer is lost, as when the server or the connection ends at this moment. */
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeUpload } from '../../../src/core/uploads/uploads.ts';
import { type Database, openStore, type Store } from '../../../src/db/database.ts';
import { DEFAULT_UPLOAD_LIMITS, uploadKey } from '../../../src/domain/uploads.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { insertOrganization, type TestOrganization } from '../../support/insertRows.ts';
import { memoryArtifacts } from '../../support/publicApi.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

let database: TestDatabase;
let store: Store;
let organization: TestOrganization;
const files = new Map<string, Buffer>();
const artifacts = memoryArtifacts(files);

beforeAll(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  organization = await insertOrganization(store.db);
});
afterAll(async () => {
  await store.close();
  await database.close();
});

/** Loses the answer of the update that completes an upload. @param staysDown no later statement is executed. */
function losesAnswer(db: Database, { staysDown }: { readonly staysDown: boolean }): Database {
  let updates = 0;
  let isDown = false;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (isDown) throw new Error('the database system is starting up');
      // The first update looks for the same file.
      if (node.kind === 'UpdateQueryNode') updates += 1;
      return node;
    },
    transformResult: ({ result }) => {
      if (updates < 2) return Promise.resolve(result);
      updates = Number.NEGATIVE_INFINITY;
      isDown = staysDown;
      return Promise.reject(new Error('Connection terminated unexpectedly'));
    },
  };
  return db.withPlugin(plugin);
}

function send(db: Database, name: string) {
  const chunks = (async function* () {
    yield Buffer.from(`<p>${name}</p>`);
  })();
  const about = { organizationId: organization.id, format: 'html', contentType: 'text/html' } as const;
  return storeUpload({ db, artifacts, uploadLimits: DEFAULT_UPLOAD_LIMITS }, { ...about, name, chunks });
}

test.each([
  ['recovers at once', false],
  ['stays down', true],
])(
  'an upload whose answer is lost keeps its file, and a repetition gets it, if PostgreSQL %s',
  async (name, staysDown) => {
    await expect(send(losesAnswer(store.db, { staysDown }), name)).rejects.toThrow();
    const { row, created } = await send(store.db, name);
    expect(created).toBe(false);
    expect(files.get(uploadKey(row.id))?.toString()).toBe(`<p>${name}</p>`);
    expect(files.size).toBe((await countRows('uploads')) + (await countRows('removed_files')));
  },
);

/** A file without an upload is noted for its removal. */
async function countRows(table: 'uploads' | 'removed_files'): Promise<number> {
  return (await store.db.selectFrom(table).selectAll().execute()).length;
}
