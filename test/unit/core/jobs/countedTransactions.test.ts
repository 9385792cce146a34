import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import {
  countedTransact,
  type ReachedMilestone,
  type Transact,
} from '../../../../src/core/jobs/countedTransactions.ts';
import type { Queryable } from '../../../../src/db/database.ts';
import type { Schema } from '../../../../src/db/schema.ts';
import type { ScreenshotStatus } from '../../../../src/domain/states.ts';

/** Never connects, because no query is made. */
const transaction: Queryable = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: new pg.Pool() }) });

function counting(transact: Transact) {
  const counted: ScreenshotStatus[] = [];
  const timed: ReachedMilestone[] = [];
  const run = countedTransact({
    transact,
    count: (statuses) => counted.push(...statuses),
    time: (milestones) => timed.push(...milestones),
    queue: { enqueue: async () => undefined },
    publicUrl: 'https://tearsheet.example',
  });
  return { counted, timed, run };
}

const SETTLED = { milestone: 'complete', priority: 'normal', seconds: 61 } as const;

test('resolved screenshots are counted after the commit, not before', async () => {
  let beforeCommit: number | undefined;
  const { counted, run } = counting(async (work) => {
    const result = await work(transaction);
    beforeCommit = counted.length;
    return result;
  });
  const result = await run(async (_tx, { resolved }) => resolved.push('uploaded', 'blocked'));
  expect([result, beforeCommit, counted]).toEqual([2, 0, ['uploaded', 'blocked']]);
});

test('a transaction that is rolled back counts nothing', async () => {
  const { counted, timed, run } = counting(async (work) => {
    await work(transaction);
    throw new Error('The commit failed.');
  });
  const working = run(async (_tx, { resolved, reached }) => {
    resolved.push('uploaded');
    reached.push(SETTLED);
  });
  await expect(working).rejects.toThrow('The commit failed.');
  expect([counted, timed]).toEqual([[], []]);
});

test('a transaction that runs twice counts and times its results once', async () => {
  const { counted, timed, run } = counting(async (work) => {
    await work(transaction);
    return work(transaction);
  });
  await run(async (_tx, { resolved, reached }) => {
    resolved.push('uploaded');
    reached.push(SETTLED);
  });
  expect([counted, timed]).toEqual([['uploaded'], [SETTLED]]);
});
