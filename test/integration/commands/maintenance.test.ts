import { afterEach, beforeEach, expect, test } from 'vitest';
import { startMaintenance } from '../../../src/commands/service/maintenance.ts';
import type { Store } from '../../../src/db/database.ts';
import { createMetrics, type Metrics } from '../../../src/observe/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryArtifacts } from '../../support/publicApi.ts';
import { testStore } from '../../support/testStore.ts';

let store: Store;
beforeEach(async () => {
  store = await testStore();
});
afterEach(() => store.close());

/** When each task last succeeded, by its name. */
async function timesOf(metrics: Metrics): Promise<[string, number][]> {
  const series = (await metrics.render()).matchAll(
    /^tearsheet_maintenance_timestamp_seconds\{task="([^"]+)"\} (\S+)$/gm,
  );
  return [...series].map(([, task = '', time]) => [task, Number(time)]);
}

test('a task that fails is logged with its name, and the others run', async () => {
  const errors: unknown[] = [];
  const metrics = createMetrics();
  const none = () => undefined;
  const log = { debug: none, info: none, warn: none, error: (fields: object) => errors.push(fields) };
  const files = new Map([['frames/one.png', Buffer.from('x')]]);
  await store.db.insertInto('removed_files').values({ key: 'frames/one.png' }).execute();
  await store.pool.query('drop table idempotency_keys');
  const queue = { enqueue: () => Promise.resolve() };
  const context = { store, queue, artifacts: memoryArtifacts(files), metrics, log };
  const maintenance = startMaintenance(context, { defaultSetDays: undefined, auditLogDays: 400 });
  const successes = async () => new Map(await timesOf(metrics));
  const before = await successes();
  await eventually(async () => expect((await successes()).get('removed files')).not.toBe(before.get('removed files')));
  expect(files.size).toBe(0);
  // Before its first success, a task has the time of the start.
  expect((await successes()).get('old rows: stored_answer')).toBe(before.get('old rows: stored_answer'));
  await maintenance.stop();
  expect(errors).toEqual([expect.objectContaining({ task: 'old rows: stored_answer' })]);
});
