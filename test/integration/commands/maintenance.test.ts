import { afterEach, beforeEach, expect, test } from 'vitest';
import { startMaintenance } from '../../../src/commands/service/maintenance.ts';
import type { Store } from '../../../src/db/database.ts';
import { createMetrics } from '../../../src/observe/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryArtifacts } from '../../support/publicApi.ts';
import { testStore } from '../../support/testStore.ts';

let store: Store;
beforeEach(async () => {
  store = await testStore();
});
afterEach(() => store.close());

test('a task that fails is logged with its name, and the others run', async () => {
  const errors: unknown[] = [];
  const none = () => undefined;
  const log = { debug: none, info: none, warn: none, error: (fields: object) => errors.push(fields) };
  const files = new Map([['frames/one.png', Buffer.from('x')]]);
  await store.db.insertInto('removed_files').values({ key: 'frames/one.png' }).execute();
  await store.pool.query('drop table idempotency_keys');
  const queue = { enqueue: () => Promise.resolve() };
  const context = { store, queue, artifacts: memoryArtifacts(files), metrics: createMetrics(), log };
  const maintenance = startMaintenance(context, { defaultSetDays: undefined, auditLogDays: 400 });
  await eventually(() => expect(files.size).toBe(0));
  await maintenance.stop();
  expect(errors).toEqual([expect.objectContaining({ task: 'old rows: stored_answer' })]);
});
