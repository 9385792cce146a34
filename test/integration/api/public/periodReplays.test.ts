import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const DAY = { from: '2026-11-20T00:00:00Z', to: '2026-11-20T23:59:59Z' };

let api: TestApi;
beforeEach(async () => {
  await api?.close();
  api = await startPublicApi({
    guard: createGuard({ allow: [], lookup: async () => [{ address: '93.184.216.34', family: 4 }] }),
  });
});
afterAll(() => api.close());

interface Events {
  readonly count: number;
  readonly at?: string;
  readonly topic?: string;
  readonly status?: string;
}

/** Stores events, each with a delivery that ended. Several have the same time. @returns the subscriber. */
async function events({ count, at = '2026-11-20T12:00:00Z', topic = 'ad.uploaded', status = 'delivered' }: Events) {
  const subscriber = randomUUID();
  await sql`
    with o as (select id from organizations where slug = 'acme'),
    s as (insert into subscribers (id, organization_id, seq, webhook_url)
      select ${subscriber}::uuid, o.id, 0, 'https://you.example/mine' from o returning id, organization_id),
    e as (insert into events (id, organization_id, topic, body, created_at)
      select gen_random_uuid(), s.organization_id, ${topic}, '{}', ${at}::timestamptz + make_interval(secs => n / 100)
      from s, generate_series(1, ${count}::int) n returning id, organization_id)
    insert into deliveries (id, organization_id, event_id, subscriber_id, channel, target, status, attempts, tries, finished_at)
    select gen_random_uuid(), e.organization_id, e.id, s.id, 'webhook', 'https://you.example/mine', ${status}, 1, 1, now()
    from e, s`.execute(api.store.db);
  return subscriber;
}

const replay = (body: Json, headers = {}) => api.post('events/replay', body, headers);
/** How many deliveries were sent again how often. */
async function rounds(subscriber: string): Promise<Record<number, number>> {
  const rows = await api.store.db
    .selectFrom('deliveries')
    .select('replays')
    .where('subscriber_id', '=', subscriber)
    .execute();
  return Object.fromEntries([...Map.groupBy(rows, (row) => row.replays)].map(([round, of]) => [round, of.length]));
}
const endpoint = async (topics: readonly string[]): Promise<string> =>
  (await api.post('webhook_endpoints', { url: 'https://you.example/endpoint', topics })).json.id;

test('a period is sent again once, also by the same request with an idempotency key', async () => {
  const inside = await events({ count: 450 });
  const outside = await events({ count: 3, at: '2026-11-21T12:00:00Z' });
  const { status, json } = await replay(DAY, { 'idempotency-key': 'one' });
  expect([status, json]).toEqual([202, { type: 'replay', events: 450, deliveries: 450 }]);
  expect((await replay(DAY, { 'idempotency-key': 'one' })).json).toEqual(json);
  expect([await rounds(inside), await rounds(outside)]).toEqual([{ 1: 450 }, { 0: 3 }]);
  expect(await api.count('events')).toBe(453);
});

test('only_failed sends only deliveries that ended without success', async () => {
  const delivered = await events({ count: 2 });
  const failed = [await events({ count: 2, status: 'retries_exhausted' }), await events({ count: 1, status: 'gone' })];
  expect((await replay({ ...DAY, only_failed: true })).json).toMatchObject({ events: 5, deliveries: 3 });
  expect(await rounds(delivered)).toEqual({ 0: 2 });
  for (const subscriber of failed) expect(Object.keys(await rounds(subscriber))).toEqual(['1']);
});

test('a replay for some topics leaves out the others, and no replay of a period has test events', async () => {
  const uploaded = await events({ count: 2 });
  const failed = await events({ count: 2, topic: 'ad.failed' });
  const tests = await events({ count: 2, topic: 'webhook.test' });
  expect((await replay({ ...DAY, topics: ['ad.failed'] })).json).toMatchObject({ events: 2, deliveries: 2 });
  expect([await rounds(uploaded), await rounds(failed), await rounds(tests)]).toEqual([{ 0: 2 }, { 1: 2 }, { 0: 2 }]);
  expect((await replay(DAY)).json.events).toBe(4);
});

test('an endpoint gets the events of its topics that it missed', async () => {
  const others = await events({ count: 3 });
  await events({ count: 2, topic: 'ad.failed' });
  const webhook_endpoint_id = await endpoint(['ad.uploaded']);
  expect((await replay({ ...DAY, webhook_endpoint_id })).json).toMatchObject({ events: 3, deliveries: 3 });
  expect([await rounds(webhook_endpoint_id), await rounds(others)]).toEqual([{ 0: 3 }, { 0: 3 }]);
  const failures = await replay({ ...DAY, webhook_endpoint_id, topics: ['ad.failed'] });
  expect(failures.json).toMatchObject({ events: 2, deliveries: 2 });
});

test('a replay of a period to a disabled endpoint is rejected', async () => {
  await events({ count: 1 });
  const id = await endpoint(['ad.uploaded']);
  await api.store.db.updateTable('webhook_endpoints').set({ disabled_at: new Date() }).where('id', '=', id).execute();
  expect((await replay({ ...DAY, webhook_endpoint_id: id })).status).toBe(409);
});

test('a period has at most 10,000 events', async () => {
  const subscriber = await events({ count: 10_000 });
  expect((await replay(DAY)).json).toMatchObject({ events: 10_000, deliveries: 10_000 });
  await events({ count: 1 });
  const { status, json } = await replay(DAY);
  expect([status, json.errors.from]).toEqual([422, [expect.stringContaining('more than 10,000 events')]]);
  expect(await rounds(subscriber)).toEqual({ 1: 10_000 });
});

test.each([
  [{}, 'ids'],
  [{ ids: [`evt_${randomUUID()}`], from: DAY.from }, 'from'],
  [{ ids: [`evt_${randomUUID()}`], topics: ['ad.failed'] }, 'topics'],
  [{ from: 'yesterday' }, 'from'],
  [{ from: DAY.to, to: DAY.from }, 'from'],
  [{ ...DAY, topics: ['webhook.test'] }, 'topics.0'],
  [{ ...DAY, webhook_endpoint_id: randomUUID() }, 'webhook_endpoint_id'],
  [{ ...DAY, only_failed: 'yes' }, 'only_failed'],
])('the replay %j is rejected', async (body, path) => {
  const { status, json } = await replay(body);
  expect([status, Object.keys(json.errors ?? {})]).toEqual([422, [path]]);
});
