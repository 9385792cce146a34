import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeFullBuckets, takeTokens } from '../../../src/api/limits/requestLimits.ts';
import type { Store } from '../../../src/db/database.ts';
import { testStore } from '../../support/testStore.ts';

let store: Store;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store.close());

const SLOW = { perSecond: 0.001, burst: 10 };

async function take(key: string, cost: number) {
  const { allowed, remaining } = await takeTokens(store.db, { key, limit: SLOW, cost });
  return [allowed, Math.round(remaining)];
}

/** As if so many seconds had passed. */
const wait = (key: string, seconds: number) =>
  sql`update rate_buckets set full_at = full_at - make_interval(secs => ${seconds}) where key = ${key}`.execute(
    store.db,
  );

test('a bucket gives the tokens that it has, and none if they are not enough', async () => {
  expect(await take('a', 7)).toEqual([true, 3]);
  expect(await take('a', 5)).toEqual([false, 3]);
  expect(await take('a', 3)).toEqual([true, 0]);
  expect(await take('a', 1)).toEqual([false, 0]);
  expect(await take('b', 10)).toEqual([true, 0]);
});

test('tokens come back up to a full bucket', async () => {
  await take('c', 10);
  await wait('c', 2_000);
  expect(await take('c', 2)).toEqual([true, 0]);
  await wait('c', 1_000_000);
  expect(await take('c', 1)).toEqual([true, 9]);
});

test('calls at the same time get each token once', async () => {
  const results = await Promise.all(Array.from({ length: 30 }, () => take('d', 1)));
  expect(results.filter(([allowed]) => allowed)).toHaveLength(10);
});

test('only full buckets are removed', async () => {
  await take('e', 10);
  await take('f', 1);
  await wait('f', 5_000);
  await removeFullBuckets(store.db);
  const { rows } = await sql<{ key: string }>`select key from rate_buckets where key in ('e', 'f')`.execute(store.db);
  expect(rows).toEqual([{ key: 'e' }]);
});
