import { expect, test } from 'vitest';
import { DATABASE_STATE } from '../../../../src/core/operations/databaseState.ts';
import { openStore } from '../../../../src/db/database.ts';
import { startQueue } from '../../../../src/db/queue.ts';
import { testDatabase } from '../../../support/database.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';

test('each section reads the database, and an entry of the queue for later has no age', async () => {
  const database = await testDatabase();
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const queue = await startQueue({ databaseUrl: database.url, onError: () => undefined, supervise: false });
  const entry = { schedule_id: 'a', due_at: 'b' };
  const startAfter = new Date(Date.now() + 3_600_000);
  await store.db.transaction().execute(async (tx) => {
    await queue.enqueue(tx, 'run_schedule', entry, { startAfter });
  });
  await store.pool.query(`update pgboss.job set created_on = now() - interval '2 hours'`);
  const sections: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(DATABASE_STATE)) sections[name] = await read(store.db);
  expect(sections['queues']).toEqual([
    { name: 'run_schedule', state: 'created', later: true, count: 1, oldest_seconds: 0 },
  ]);
  expect(sections).toMatchObject({ schedules: [], waiting_notices: [] });
  await queue.stop({ timeoutMs: 1_000 });
  await store.close();
  await database.close();
});
