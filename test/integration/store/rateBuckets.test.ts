import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../../src/store/database/database.ts';
import { removeFullBuckets, takeTokens } from '../../../src/store/rateBuckets/rateBuckets.ts';
import { testStore } from '../../support/testStore.ts';

let store: Store;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store.close());

const SLOW = { perSecond: 0.001, burst: 10 };
const take = (key: string, least: number, most: number) => takeTokens(store.db, { key, limit: SLOW, least, most });

/** As if so many seconds had passed. */
const wait = (key: string, seconds: number) =>
  sql`update rate_buckets set full_at = full_at - make_interval(secs => ${seconds}) where key = ${key}`.execute(
    store.db,
  );

test('a bucket gives as many tokens as it has, or none if they are not enough', async () => {
  expect((await take('a', 1, 7)).granted).toBe(7);
  expect((await take('a', 5, 5)).granted).toBe(0);
  const rest = await take('a', 1, 5);
  expect([rest.granted, Math.round(rest.remaining)]).toEqual([3, 0]);
  expect((await take('a', 1, 1)).granted).toBe(0);
  expect((await take('b', 1, 10)).granted).toBe(10);
});

test('tokens come back up to a full bucket', async () => {
  await take('c', 1, 10);
  await wait('c', 2_000);
  expect((await take('c', 1, 10)).granted).toBe(2);
  await wait('c', 1_000_000);
  expect((await take('c', 1, 10)).granted).toBe(10);
});

test('calls at the same time get each token once', async () => {
  const grants = await Promise.all(Array.from({ length: 30 }, () => take('d', 1, 1)));
  expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(10);
});

test('only full buckets are removed', async () => {
  await take('e', 1, 10);
  await take('f', 1, 1);
  await wait('f', 5_000);
  await removeFullBuckets(store.db);
  const { rows } = await sql<{ key: string }>`select key from rate_buckets where key in ('e', 'f')`.execute(store.db);
  expect(rows).toEqual([{ key: 'e' }]);
});
