import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startPeriodReplays } from '../../../../src/delivery/periodReplays.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { startQueue } from '../../../../src/queue/queue.ts';
import { openStore } from '../../../../src/store/database/database.ts';
import { createOrganization } from '../../../../src/store/organizations/organizations.ts';
import { resumeStalledReplays, runPeriodReplay } from '../../../../src/workflow/periodReplays.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { failWritesTo } from '../../../support/failpoint.ts';
import { type Json, queueInTable, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

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

/** Stores events, each with a delivery that ended. Several have the same time. */
async function events({ count, at = '2026-11-20T12:00:00Z', topic = 'ad.uploaded', status = 'delivered' }: Events) {
  const subscriber = randomUUID();
  await sql`
    with o as (select id from organizations where slug = 'acme'),
    s as (insert into subscribers (id, organization_id, seq, webhook_url)
      select ${subscriber}::uuid, o.id, 0, 'https://you.example/mine' from o returning id, organization_id),
    e as (insert into events (id, organization_id, topic, body, created_at)
      select gen_random_uuid(), s.organization_id, ${topic}, '{}', ${at}::timestamptz + make_interval(secs => n / 7)
      from s, generate_series(1, ${count}::int) n returning id, organization_id)
    insert into deliveries (id, organization_id, event_id, subscriber_id, channel, target, status, attempts, tries, finished_at)
    select gen_random_uuid(), e.organization_id, e.id, s.id, 'webhook', 'https://you.example/mine', ${status}, 1, 1, now()
    from e, s`.execute(api.store.db);
  return subscriber;
}

const request = (body: Json, headers = {}) => api.post('event_replays', body, headers);
const run = (id: string) => runPeriodReplay(api.store.db, id, { signal: new AbortController().signal });
const read = async (id: string) => (await api.get(`event_replays/${id}`)).json;
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

test('a replay sends each event of its period once', async () => {
  const inside = await events({ count: 450 });
  const outside = await events({ count: 3, at: '2026-11-21T12:00:00Z' });
  const { status, json } = await request(DAY);
  expect(status).toBe(202);
  expect(json).toMatchObject({ type: 'event_replay', status: 'running', events: 450, events_done: 0, deliveries: 0 });
  expect(json).toMatchObject({ from: '2026-11-20T00:00:00.000+00:00', topic: null, only_failed: false });
  expect(await run(json.id)).toBe('finished');
  expect(await read(json.id)).toMatchObject({ status: 'finished', events_done: 450, deliveries: 450 });
  expect([await rounds(inside), await rounds(outside)]).toEqual([{ 1: 450 }, { 0: 3 }]);
  expect(await api.count('events')).toBe(453);
});

test('a replay that was stopped or failed between two steps continues, and repeats no step', async () => {
  const subscriber = await events({ count: 450 });
  const { id } = (await request(DAY)).json;
  const controller = new AbortController();
  const stepped = () => controller.abort();
  expect(await runPeriodReplay(api.store.db, id, { signal: controller.signal, stepped })).toBe('stopped');
  expect(await read(id)).toMatchObject({ status: 'running', events_done: 200 });
  // The step fails after it has changed deliveries, so it must leave nothing.
  const failpoint = await failWritesTo(api.store.db, 'event_replays');
  await expect(run(id)).rejects.toThrow();
  expect(await rounds(subscriber)).toEqual({ 0: 250, 1: 200 });
  await failpoint.lift();
  // Two workers have the entry, as after a lost heartbeat.
  expect(await Promise.all([run(id), run(id)])).toEqual(['finished', 'finished']);
  expect(await rounds(subscriber)).toEqual({ 1: 450 });
  expect(await read(id)).toMatchObject({ status: 'finished', events_done: 450, deliveries: 450 });
});

test('a replay whose last event was removed continues with the events behind it', async () => {
  const subscriber = await events({ count: 450 });
  const { id } = (await request(DAY)).json;
  const controller = new AbortController();
  await runPeriodReplay(api.store.db, id, { signal: controller.signal, stepped: () => controller.abort() });
  const last = sql`(select last_event_id from event_replays where id = ${id})`;
  await sql`with d as (delete from deliveries where event_id = ${last}) select`.execute(api.store.db);
  await sql`delete from events where id = ${last}`.execute(api.store.db);
  expect(await run(id)).toBe('finished');
  // Events of the millisecond of the removed one may be sent once more.
  expect((await rounds(subscriber))[0]).toBeUndefined();
});

describe('a replay that makes no progress', () => {
  const age = (interval: string, column: 'created_at' | 'stepped_at' = 'stepped_at') =>
    sql`update event_replays set ${sql.ref(column)} = now() - ${interval}::interval`.execute(api.store.db);
  const resume = () => resumeStalledReplays(api.store.db, queueInTable);

  test('it gets another entry after ten minutes, and only one', async () => {
    await events({ count: 450 });
    const { id } = (await request(DAY)).json;
    expect(await api.count('queued')).toBe(1);
    await age('9 minutes');
    expect(await resume()).toEqual({ resumed: 0, ended: 0 });
    await age('11 minutes');
    expect([await resume(), await resume()]).toEqual([
      { resumed: 1, ended: 0 },
      { resumed: 0, ended: 0 },
    ]);
    expect(await api.count('queued')).toBe(2);
    expect(await run(id)).toBe('finished');
    await age('11 minutes');
    expect(await resume()).toEqual({ resumed: 0, ended: 0 });
  });

  test('each step is progress', async () => {
    await events({ count: 450 });
    const { id } = (await request(DAY)).json;
    await age('11 minutes');
    const controller = new AbortController();
    await runPeriodReplay(api.store.db, id, { signal: controller.signal, stepped: () => controller.abort() });
    expect(await resume()).toEqual({ resumed: 0, ended: 0 });
  });

  test('it ends with a reason after a day, and does not count among those that run', async () => {
    await events({ count: 1 });
    const { id } = (await request(DAY)).json;
    await age('11 minutes');
    await age('25 hours', 'created_at');
    expect(await resume()).toEqual({ resumed: 0, ended: 1 });
    expect(await read(id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('did not finish within a day'),
      finished_at: expect.any(String),
    });
  });
});

test('the list of replays has pages, filters and an order', async () => {
  await events({ count: 1 });
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    ids.unshift((await request(DAY)).json.id);
    await sql`update event_replays set created_at = created_at - interval '1 minute'`.execute(api.store.db);
  }
  const [newest = '', middle = '', oldest = ''] = ids;
  await run(middle);
  const list = async (query: string) => {
    const { json } = await api.get(`event_replays?${query}`);
    return json.data.map(({ id }: Json) => id);
  };
  expect(await list('')).toEqual(ids);
  expect(await list('status=finished')).toEqual([middle]);
  expect(await list('per_page=2&page=2')).toEqual([oldest]);
  expect(await list(`after=${newest}&per_page=1`)).toEqual([middle]);
  expect(await list('to=2026-01-01T00:00:00Z')).toEqual([]);
  expect((await api.get(`event_replays?after=${randomUUID()}`)).status).toBe(422);
  expect((await api.get(`event_replays?per_page=1`)).json.data[0]).toEqual(await read(newest));
});

test('only_failed sends only deliveries that ended without success', async () => {
  const delivered = await events({ count: 2 });
  const failed = [await events({ count: 2, status: 'retries_exhausted' }), await events({ count: 1, status: 'gone' })];
  const { id } = (await request({ ...DAY, only_failed: true })).json;
  await run(id);
  expect(await read(id)).toMatchObject({ events: 5, deliveries: 3, only_failed: true });
  expect(await rounds(delivered)).toEqual({ 0: 2 });
  for (const subscriber of failed) expect(Object.keys(await rounds(subscriber))).toEqual(['1']);
});

test('a replay for one topic leaves out the others, and no replay has test events', async () => {
  const uploaded = await events({ count: 2 });
  const failed = await events({ count: 2, topic: 'ad.failed' });
  const tests = await events({ count: 2, topic: 'webhook.test' });
  expect((await request(DAY)).json.events).toBe(4);
  await run((await request({ ...DAY, topic: 'ad.failed' })).json.id);
  expect([await rounds(uploaded), await rounds(failed), await rounds(tests)]).toEqual([{ 0: 2 }, { 1: 2 }, { 0: 2 }]);
});

test('an endpoint gets the events of its topics that it missed', async () => {
  const others = await events({ count: 3 });
  await events({ count: 2, topic: 'ad.failed' });
  const id = await endpoint(['ad.uploaded']);
  const replay = (await request({ ...DAY, webhook_endpoint_id: id })).json;
  await run(replay.id);
  expect(await read(replay.id)).toMatchObject({ webhook_endpoint_id: id, events: 3, deliveries: 3 });
  expect([await rounds(id), await rounds(others)]).toEqual([{ 0: 3 }, { 0: 3 }]);
  const failures = (await request({ ...DAY, webhook_endpoint_id: id, topic: 'ad.failed' })).json;
  await run(failures.id);
  expect(await read(failures.id)).toMatchObject({ events: 2, deliveries: 2 });
});

test('a replay to a disabled endpoint is rejected, and one that runs fails with the reason', async () => {
  await events({ count: 3 });
  const id = await endpoint(['ad.uploaded']);
  const { json } = await request({ ...DAY, webhook_endpoint_id: id });
  await api.store.db.updateTable('webhook_endpoints').set({ disabled_at: new Date() }).where('id', '=', id).execute();
  expect((await request({ ...DAY, webhook_endpoint_id: id })).status).toBe(409);
  expect(await run(json.id)).toBe('failed');
  const reason = 'The webhook endpoint was disabled or deleted during the replay.';
  expect(await read(json.id)).toMatchObject({ status: 'failed', reason, finished_at: expect.any(String) });
});

test('the same idempotency key makes one replay', async () => {
  await events({ count: 1 });
  const first = await request(DAY, { 'idempotency-key': 'one' });
  const second = await request(DAY, { 'idempotency-key': 'one' });
  expect(second.json).toEqual(first.json);
  expect(await api.count('event_replays')).toBe(1);
  expect(await api.count('queued')).toBe(1);
});

test('a period without events has ended at once', async () => {
  const { json } = await request(DAY);
  expect(json).toMatchObject({ status: 'finished', events: 0, finished_at: expect.any(String) });
  expect(await api.count('queued')).toBe(0);
});

test.each([
  [{}, 'from'],
  [{ from: 'yesterday' }, 'from'],
  [{ from: DAY.to, to: DAY.from }, 'from'],
  [{ ...DAY, topic: 'webhook.test' }, 'topic'],
  [{ ...DAY, webhook_endpoint_id: randomUUID() }, 'webhook_endpoint_id'],
  [{ ...DAY, only_failed: 'yes' }, 'only_failed'],
])('the replay %j is rejected', async (body, path) => {
  const { status, json } = await request(body);
  expect([status, Object.keys(json.errors ?? {})]).toEqual([422, [path]]);
});

test('a period with too many events is rejected, and so is a replay beside five others', async () => {
  await sql`
    insert into events (id, organization_id, topic, body, created_at)
    select gen_random_uuid(), id, 'ad.uploaded', '{}', ${DAY.from}::timestamptz + make_interval(secs => n / 20)
    from organizations, generate_series(1, 100001) n where slug = 'acme'`.execute(api.store.db);
  const { status, json } = await request(DAY);
  expect([status, json.errors.from]).toEqual([422, [expect.stringContaining('more than 100,000 events')]]);
  const short = { ...DAY, to: '2026-11-20T00:00:01Z' };
  for (let made = 0; made < 5; made += 1) expect((await request(short)).status).toBe(202);
  expect((await request(short)).status).toBe(409);
});

test('another organization neither reads a replay nor gets its events', async () => {
  const { id } = (await request(DAY)).json;
  const { api_key } = await createOrganization(api.store.db, { slug: 'other' });
  const { status } = await api.send({
    path: `/api/v1/orgs/other/event_replays/${id}`,
    headers: { authorization: api_key },
  });
  expect(status).toBe(404);
});

test('the worker of the queue runs the replay', async () => {
  const subscriber = await events({ count: 3 });
  const { id } = (await request(DAY)).json;
  const database = await testDatabase();
  const queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  const queueStore = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  try {
    await startPeriodReplays({ queue, store: api.store, log: TEST_LOG });
    await queue.enqueue(queueStore.db, 'replay_events', { replay_id: id });
    await eventually(async () => expect((await read(id)).status).toBe('finished'));
    expect(await rounds(subscriber)).toEqual({ 1: 3 });
  } finally {
    await queue.stop({ timeoutMs: 500 });
    await queueStore.close();
    await database.close();
  }
});
