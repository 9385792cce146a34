/** Whose deliveries a worker claims: in turns, within the bounds. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type ClaimedDelivery,
  claimDeliveries,
  moveLeases,
  storeAttempt,
} from '../../../src/core/webhooks/deliveryQueue.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { insertOrganization } from '../../support/insertRows.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

const LIMITS = { free: 100, perOrganization: 10, perReceiver: 4 };

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
});
afterEach(async () => {
  await store.db.deleteFrom('delivery_attempts').execute();
  await store.db.deleteFrom('deliveries').execute();
});
afterAll(async () => {
  await store.close();
  await database.close();
});

const organization = async () => (await insertOrganization(store.db)).id;

/** Stores deliveries to one receiver, which have been due for so many seconds. */
async function due(organizationId: string, { receiver = 'a', count = 20, seconds = 10 } = {}): Promise<void> {
  const [subscriber, url] = [randomUUID(), `https://${receiver}/`];
  await sql`
    with s as (insert into subscribers (id, organization_id, seq, webhook_url)
      values (${subscriber}, ${organizationId}, 0, ${url}) returning id),
    e as (insert into events (id, organization_id, topic, body)
      select gen_random_uuid(), ${organizationId}::uuid, 'ad.uploaded', '{}' from generate_series(1, ${count}::integer) returning id)
    insert into deliveries (id, organization_id, event_id, subscriber_id, channel, target, next_attempt_at)
    select gen_random_uuid(), ${organizationId}::uuid, e.id, s.id, 'webhook', ${url}, now() - make_interval(secs => ${seconds})
    from e, s`.execute(store.db);
}

const claim = (running: readonly ClaimedDelivery[] = [], limits: Partial<typeof LIMITS> = {}) =>
  claimDeliveries(store.db, { channel: 'webhook', leaseSeconds: 60, running, ...LIMITS, ...limits });
const counts = (claimed: readonly ClaimedDelivery[], key: 'receiver' | 'organization_id') =>
  Object.fromEntries([...Map.groupBy(claimed, (one) => one[key])].map(([name, of]) => [name, of.length]));

test('one receiver gets at most its own slots', async () => {
  await due(await organization());
  const first = await claim();
  expect(first).toHaveLength(4);
  expect(await claim(first)).toEqual([]);
  expect(await claim(first.slice(1))).toHaveLength(1);
});

test('an organization gets at most its own slots, in turns between its receivers', async () => {
  const id = await organization();
  for (const receiver of ['a', 'b', 'c', 'd']) await due(id, { receiver });
  expect(Object.values(counts(await claim(), 'receiver')).toSorted()).toEqual([2, 2, 3, 3]);
});

test('attempts of receivers that have nothing due count for their organization', async () => {
  const id = await organization();
  for (const receiver of ['a', 'b', 'c']) await due(id, { receiver, count: 3 });
  const running = await claim();
  await due(id, { receiver: 'd' });
  expect([running.length, (await claim(running)).length]).toEqual([9, 1]);
});

test('the slots of a receiver do not count for other organizations that use it', async () => {
  const [one, other] = [await organization(), await organization()];
  await due(one);
  const running = await claim();
  await due(other);
  expect(counts(await claim(running), 'organization_id')).toEqual({ [other]: 4 });
});

test('when few slots are free, the organization that runs the fewest attempts comes first', async () => {
  const [busy, idle] = [await organization(), await organization()];
  await due(busy, { seconds: 100 });
  const running = await claim([], { free: 2 });
  await due(idle);
  expect(counts(await claim(running, { free: 2 }), 'organization_id')).toEqual({ [idle]: 2 });
});

test('of organizations that run equally many attempts, the one whose delivery is the oldest comes first', async () => {
  const [young, old] = [await organization(), await organization()];
  await due(young);
  await due(old, { seconds: 100 });
  expect(counts(await claim([], { free: 1 }), 'organization_id')).toEqual({ [old]: 1 });
});

test('workers that claim at the same time get different deliveries', async () => {
  for (let n = 0; n < 5; n += 1) await due(await organization());
  const claimed = (await Promise.all(Array.from({ length: 4 }, () => claim()))).flat();
  expect(claimed.length).toBeGreaterThan(0);
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
});

const row = (id = '') => store.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const result = (outcome: 'retry' | 'delivered') => ({ outcome, durationMs: 5 });
const waiting = { state: 'waiting', waitMs: 60_000 } as const;

test('a worker that has lost its claim neither moves the lease nor the next attempt', async () => {
  await due(await organization(), { count: 1 });
  const [lost] = await claim();
  if (lost === undefined) throw new Error('unreachable: one delivery is due');
  await moveLeases(store.db, [lost], 0);
  const [held] = await claim();
  expect(held?.id).toBe(lost.id);
  await storeAttempt(store.db, lost, { result: result('retry'), next: waiting });
  const before = await row(lost.id);
  await moveLeases(store.db, [lost], 0);
  expect(await storeAttempt(store.db, lost, { result: result('retry'), next: waiting })).toBe('superseded');
  expect(await row(lost.id)).toEqual({ ...before, attempts: 2 });
  const late = await storeAttempt(store.db, lost, { result: result('delivered'), next: { state: 'delivered' } });
  expect(late).toBe('delivered');
  expect(await row(lost.id)).toMatchObject({ status: 'delivered', attempts: 3, next_attempt_at: null });
});

test('an attempt of a delivery that was removed is not stored', async () => {
  await due(await organization(), { count: 1 });
  const [claimed] = await claim();
  if (claimed === undefined) throw new Error('unreachable: one delivery is due');
  await store.db.deleteFrom('deliveries').execute();
  expect(await storeAttempt(store.db, claimed, { result: result('retry'), next: waiting })).toBeUndefined();
});
