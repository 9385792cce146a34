import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore, type Store } from '../../../src/db/database.ts';
import { type Payloads, type Queue, startQueue } from '../../../src/db/queue.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { runStatement } from '../../support/runStatement.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

let database: TestDatabase;
let store: Store;
let queue: Queue;
const errors: Error[] = [];

beforeAll(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: (error) => errors.push(error) });
});

afterAll(async () => {
  await queue.stop({ timeoutMs: 1_000 });
  await store.close();
  await database.close();
});

test('A job is in the queue only if its transaction commits', async () => {
  const seen: Payloads['launch'][] = [];
  await queue.work('launch', { concurrency: 1, batchSize: 10 }, async (payloads) => {
    seen.push(...payloads);
  });
  const doomed = store.db.transaction().execute(async (tx) => {
    await queue.enqueue(tx, 'launch', { organization_id: 'rolled back' });
    throw new Error('no');
  });
  await expect(doomed).rejects.toThrow('no');
  await store.db.transaction().execute((tx) => queue.enqueue(tx, 'launch', { organization_id: 'committed' }));
  await eventually(() => expect(seen).toEqual([{ organization_id: 'committed' }]));
});

test('the queue creates its tables in a database that has none', async () => {
  const empty = await testDatabase();
  await runStatement(empty.url, 'drop schema pgboss cascade');
  const tables = openStore({ url: empty.url, keyRing: TEST_KEY_RING });
  const first = await startQueue({ databaseUrl: empty.url, onError: (error) => errors.push(error) });
  await tables.db.transaction().execute((tx) => first.enqueue(tx, 'launch', { organization_id: 'x' }));
  expect(await first.depth()).toContainEqual(expect.objectContaining({ name: 'launch', depth: 1 }));
  await first.stop({ timeoutMs: 1_000 });
  await tables.close();
  await empty.close();
});

test('A failed job is retried', async () => {
  const database = await testDatabase();
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const queue = await startQueue({ databaseUrl: database.url, onError: (error) => errors.push(error) });
  let calls = 0;
  await queue.work('launch', { concurrency: 1 }, async () => {
    calls += 1;
    if (calls === 1) throw new Error('Postgres was away');
  });
  await store.db.transaction().execute((tx) => queue.enqueue(tx, 'launch', { organization_id: 'x' }));
  await eventually(() => expect(calls).toBe(2));
  await queue.stop({ timeoutMs: 1_000 });
  await store.close();
  await database.close();
});
