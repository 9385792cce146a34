import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordAdEvent } from '../../../../src/core/events/recordEvent.ts';
import type { Enqueuer } from '../../../../src/db/queue.ts';
import { HostNotFoundError } from '../../../../src/egress/errors.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const NAMES: Readonly<Record<string, string>> = { 'you.example': '93.184.216.34', 'inside.example': '10.1.2.3' };
const URL = 'https://you.example/hook';

let api: TestApi;
beforeAll(async () => {
  const lookup = async (name: string) => {
    const address = NAMES[name];
    if (address === undefined) throw new HostNotFoundError(name);
    return [{ address, family: 4 }];
  };
  api = await startPublicApi({ guard: createGuard({ allow: [], lookup }) });
});
afterAll(() => api.close());

const create = async (body: Json = {}): Promise<Json> =>
  (await api.post('webhook_endpoints', { url: URL, ...body })).json;
const change = (id: string, body: Json) =>
  api.send({
    method: 'PATCH',
    path: `/api/v1/orgs/acme/webhook_endpoints/${id}`,
    headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const faults = async (body: Json) => {
  const { status, json } = await api.post('webhook_endpoints', { url: URL, ...body });
  return [status, Object.keys(json.errors ?? {})];
};
const queue: Enqueuer = { enqueue: () => Promise.resolve() };

/** Records an event of a new ad, which has these subscribers. @returns the deliveries. */
async function adEvent(topic: 'ad.uploaded' | 'ad.failed', subscribers: Json[] = []): Promise<Json[]> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const { json } = await api.post('ads', { campaign: { name: 'Events' }, ad: { media }, subscribers });
  const { organization_id: organizationId } = await api.store.db
    .selectFrom('ads')
    .select('organization_id')
    .where('id', '=', json.id)
    .executeTakeFirstOrThrow();
  const context = { queue, publicUrl: 'https://shots.example' };
  await api.store.db
    .transaction()
    .execute((tx) => recordAdEvent(tx, { adId: json.id, organizationId, topic }, context));
  return (await api.get(`deliveries?ad_id=${json.id}`)).json.data;
}

/** Runs a test with no other endpoints in the organization. */
async function removeEndpoints(): Promise<void> {
  for (const { id } of (await api.get('webhook_endpoints')).json.data) await api.remove(`webhook_endpoints/${id}`);
}

test('a new endpoint has the default topics, and its secret is shown once', async () => {
  const { status, json } = await api.post('webhook_endpoints', { url: ` ${URL} `, description: 'Reports' });
  expect([status, json]).toMatchObject([
    201,
    { type: 'webhook_endpoint', url: URL, description: 'Reports', disabled: false, header_names: [] },
  ]);
  expect(json.topics).toEqual(['ad.uploaded', 'screenshot_set.approved']);
  expect(json.secret).toMatch(/^whsec_/);
  const one = await api.get(`webhook_endpoints/${json.id}`);
  const { secret: _, ...shown } = json;
  expect(one.json).toEqual(shown);
  const list = await api.get('webhook_endpoints');
  expect(list.json.data).toContainEqual(shown);
  expect(one.text + list.text).not.toContain('whsec_');
});

test.each([
  'http://169.254.169.254/',
  'http://127.0.0.1/',
  'https://inside.example/',
  'https://unknown.example/',
  'ftp://a',
])('an endpoint at %s is rejected at its creation and at a change', async (url) => {
  expect(await faults({ url })).toEqual([422, ['url']]);
  const { id } = await create();
  const { status, text } = await change(id, { url });
  expect(status).toBe(422);
  expect(text).not.toContain('10.1.2.3');
});

test('headers have names, and no response has their values', async () => {
  const { id, header_names } = await create({ headers: { Authorization: 'Bearer planted', 'X-Stage': 'live' } });
  expect(header_names).toEqual(['Authorization', 'X-Stage']);
  const changed = await change(id, { description: 'x' });
  expect(changed.json.header_names).toEqual(['Authorization', 'X-Stage']);
  const shown = [changed, await api.get(`webhook_endpoints/${id}`), await api.get('webhook_endpoints')];
  expect(shown.map(({ text }) => text).join('')).not.toContain('planted');
  expect((await change(id, { headers: null })).json.header_names).toEqual([]);
});

test('forbidden and repeated headers, unknown topics and a long description are rejected', async () => {
  expect((await faults({ headers: { Host: 'a' } }))[0]).toBe(422);
  expect(await faults({ headers: { 'x-a': '1', 'X-A': '2' } })).toEqual([422, ['headers']]);
  expect(await faults({ topics: ['webhook.test'] })).toEqual([422, ['topics.0']]);
  expect(await faults({ topics: [] })).toEqual([422, ['topics']]);
  expect(await faults({ description: 'a'.repeat(251) })).toEqual([422, ['description']]);
});

test('a change leaves other fields as they are, and null resets them', async () => {
  const { id } = await create({ topics: ['ad.failed'], description: 'a' });
  expect((await change(id, { description: 'b' })).json).toMatchObject({
    topics: ['ad.failed'],
    description: 'b',
    url: URL,
  });
  const reset = (await change(id, { topics: null, description: null })).json;
  expect(reset).toMatchObject({ topics: ['ad.uploaded', 'screenshot_set.approved'], description: '' });
});

test('a rotation keeps the old secret for 24 hours unless it leaked', async () => {
  const { id, secret } = await create();
  const rotated = await api.post(`webhook_endpoints/${id}/rotate`, '');
  expect(rotated.status).toBe(200);
  expect(rotated.json.secret).not.toBe(secret);
  const overlapHours = (json: Json) =>
    (Date.parse(json.previous_secret_until) - Date.parse(json.secret_created_at)) / 3_600_000;
  expect(overlapHours(rotated.json)).toBe(24);
  const leaked = await api.post(`webhook_endpoints/${id}/rotate`, { keep_previous: false });
  expect(leaked.json.previous_secret_until).toBeNull();
});

test('an organization has at most 50 endpoints', async () => {
  const { total } = (await api.get('webhook_endpoints')).json;
  for (let i = total; i < 40; i += 1) await create();
  const atOnce = await Promise.all(Array.from({ length: 30 }, () => faults({})));
  expect(atOnce.filter(([status]) => status === 201)).toHaveLength(10);
  expect(atOnce.filter(([status]) => status === 409)).toHaveLength(20);
  expect((await api.get('webhook_endpoints')).json.total).toBe(50);
  await removeEndpoints();
});

test('an event goes to each enabled endpoint that wants its topic, beside the subscribers', async () => {
  await removeEndpoints();
  const wanting = await create();
  await create({ topics: ['screenshot_set.approved'] });
  await create({ disabled: true });
  const deliveries = await adEvent('ad.uploaded', [{ webhook: { url: 'https://you.example/mine' } }]);
  expect(deliveries.map(({ webhook_endpoint_id, target }) => [webhook_endpoint_id, target])).toEqual(
    expect.arrayContaining([
      [wanting.id, URL],
      [null, 'https://you.example/mine'],
    ]),
  );
  const { json } = await api.get(`deliveries?webhook_endpoint_id=${wanting.id}`);
  expect(json.total).toBe(1);
});

test('an event that no endpoint and no subscriber wants is not recorded', async () => {
  await removeEndpoints();
  const before = await api.count('events');
  expect(await adEvent('ad.failed')).toEqual([]);
  await create({ topics: ['ad.failed'] });
  expect(await adEvent('ad.failed')).toHaveLength(1);
  expect(await api.count('events')).toBe(before + 1);
});

test.each(['disabled', 'deleted'])(
  'the pending deliveries of an endpoint end with a reason when it is %s',
  async (how) => {
    await removeEndpoints();
    const { id } = await create();
    await adEvent('ad.uploaded', [{ webhook: { url: 'https://you.example/mine' } }]);
    const sent = how === 'deleted' ? api.remove(`webhook_endpoints/${id}`) : change(id, { disabled: true });
    expect((await sent).status).toBeLessThan(300);
    const { data } = (await api.get(`deliveries?webhook_endpoint_id=${id}`)).json;
    expect(data).toMatchObject([{ status: 'gone', reason: `The webhook endpoint was ${how}.`, next_attempt_at: null }]);
    expect((await api.get('deliveries?status=pending')).json.data[0]).toMatchObject({ webhook_endpoint_id: null });
    expect(await adEvent('ad.uploaded')).toEqual([]);
  },
);

test('an event that is recorded while its endpoint is disabled ends too', async () => {
  await removeEndpoints();
  const { id } = await create();
  const { id: adId, organization_id: organizationId } = await api.store.db
    .selectFrom('ads')
    .select(['id', 'organization_id'])
    .executeTakeFirstOrThrow();
  const context = { queue, publicUrl: 'https://shots.example' };
  let disabling: Promise<Json> = Promise.resolve();
  await api.store.db.transaction().execute(async (tx) => {
    await recordAdEvent(tx, { adId, organizationId, topic: 'ad.uploaded' }, context);
    disabling = change(id, { disabled: true });
    await lockWaiter();
  });
  expect((await disabling).status).toBe(200);
  const { data } = (await api.get(`deliveries?webhook_endpoint_id=${id}`)).json;
  expect(data.map(({ status }: Json) => status)).toEqual(['gone']);
});

/** Waits until a statement of this database waits for a lock. */
async function lockWaiter(): Promise<void> {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await eventually(async () => expect((await api.store.pool.query(waiting)).rowCount).toBeGreaterThan(0));
}

test('a change of the address redirects pending deliveries', async () => {
  await removeEndpoints();
  const { id } = await create();
  await adEvent('ad.uploaded');
  await change(id, { url: 'https://you.example/new' });
  const { data } = (await api.get(`deliveries?webhook_endpoint_id=${id}`)).json;
  expect(data).toMatchObject([{ status: 'pending', target: 'https://you.example/new' }]);
});

test('a test event goes to one endpoint, whatever its topics, unless it is disabled', async () => {
  await removeEndpoints();
  const { id } = await create({ topics: ['ad.failed'] });
  await create();
  const { status, json } = await api.post(`webhook_endpoints/${id}/test`, '');
  expect([status, json]).toMatchObject([202, { topic: 'webhook.test', webhook_endpoint_id: id, target: URL }]);
  await change(id, { disabled: true });
  expect((await api.post(`webhook_endpoints/${id}/test`, '')).status).toBe(409);
});

test('a delivery of a disabled or deleted endpoint is not sent again', async () => {
  await removeEndpoints();
  const { id } = await create();
  const [delivery] = await adEvent('ad.uploaded');
  const again = () => api.post(`deliveries/${delivery.id}/replay`, '');
  await change(id, { disabled: true });
  expect([(await again()).status, (await again()).json.errors]).toEqual([
    409,
    { webhook_endpoint_id: ['names a disabled webhook endpoint: enable it first.'] },
  ]);
  await change(id, { disabled: false, url: 'https://you.example/new' });
  const sent = await again();
  expect(sent.json).toMatchObject({ status: 'pending', reason: null, target: 'https://you.example/new' });
  await api.remove(`webhook_endpoints/${id}`);
  expect((await again()).status).toBe(409);
});

test('a repeated request to send a delivery again sends it once', async () => {
  await removeEndpoints();
  await create();
  const [delivery] = await adEvent('ad.uploaded');
  await api.store.db.updateTable('deliveries').set({ status: 'gone' }).where('id', '=', delivery.id).execute();
  const again = (key: string) => api.post(`deliveries/${delivery.id}/replay`, '', { 'idempotency-key': key });
  const [first, second] = [await again('one'), await again('one')];
  expect([first.status, second.status, second.headers['idempotency-replayed']]).toEqual([202, 202, 'true']);
  expect(second.text).toBe(first.text);
  const replays = async () =>
    (
      await api.store.db
        .selectFrom('deliveries')
        .select('replays')
        .where('id', '=', delivery.id)
        .executeTakeFirstOrThrow()
    ).replays;
  expect(await replays()).toBe(1);
  await api.store.db.updateTable('deliveries').set({ status: 'gone' }).where('id', '=', delivery.id).execute();
  await again('two');
  expect(await replays()).toBe(2);
});
