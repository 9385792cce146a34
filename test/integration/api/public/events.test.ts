import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordAdEvent } from '../../../../src/core/events/recordEvent.ts';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

/** Records an event of a new ad with one subscriber. @returns its delivery. */
async function adEvent(topic: 'ad.uploaded' | 'ad.failed' = 'ad.uploaded'): Promise<Json> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const webhook = { url: 'https://you.example/mine', topics: ['ad.uploaded', 'ad.failed'] };
  const { json } = await api.post('ads', { campaign: { name: 'Events' }, ad: { media }, subscribers: [{ webhook }] });
  const { organization_id: organizationId } = await api.store.db
    .selectFrom('ads')
    .select('organization_id')
    .where('id', '=', json.id)
    .executeTakeFirstOrThrow();
  const context = { queue: { enqueue: () => Promise.resolve() }, publicUrl: 'https://shots.example' };
  await api.store.db
    .transaction()
    .execute((tx) => recordAdEvent(tx, { adId: json.id, organizationId, topic }, context));
  return (await api.get(`deliveries?ad_id=${json.id}`)).json.data[0];
}

const finish = (id: string) =>
  api.store.db.updateTable('deliveries').set({ status: 'delivered', tries: 1 }).where('id', '=', id).execute();
const endpoint = async (body: Json = {}): Promise<string> =>
  (
    await api.post('webhook_endpoints', {
      url: 'https://you.example/endpoint',
      topics: ['screenshot_set.failed'],
      ...body,
    })
  ).json.id;
const isDue = async (id: string) => {
  const row = api.store.db.selectFrom('deliveries').select(['status', 'next_attempt_at']).where('id', '=', id);
  const { status, next_attempt_at } = await row.executeTakeFirstOrThrow();
  return status === 'pending' && next_attempt_at !== null;
};
const roundOf = async (id: string) => {
  const row = api.store.db.selectFrom('deliveries').select('replays').where('id', '=', id);
  return (await row.executeTakeFirstOrThrow()).replays;
};

test('an event is read with its content and its deliveries', async () => {
  const delivery = await adEvent();
  const { status, json } = await api.get(`events/${delivery.event_id}`);
  expect(status).toBe(200);
  expect(json).toMatchObject({ type: 'event', id: delivery.event_id, topic: 'ad.uploaded', ad_id: delivery.ad_id });
  expect(json.deliveries).toEqual([delivery]);
  const { payload } = (await api.get(`deliveries/${delivery.id}`)).json;
  expect([json.data, json.created_at]).toEqual([payload.data, payload.created_at]);
});

test('the list has filters by topic, time, ad and endpoint', async () => {
  const [uploaded, failed] = [await adEvent('ad.uploaded'), await adEvent('ad.failed')];
  const listed = async (query: string) => (await api.get(`events?${query}`)).json.data.map(({ id }: Json) => id);
  expect(await listed(`topic=ad.failed`)).toEqual([failed.event_id]);
  expect(await listed(`ad_id=${uploaded.ad_id}`)).toEqual([uploaded.event_id]);
  expect(await listed(`webhook_endpoint_id=${await endpoint()}`)).toEqual([]);
  expect(await listed('per_page=2')).toEqual([failed.event_id, uploaded.event_id]);
  const { data } = (await api.get(`events?ad_id=${failed.ad_id}`)).json;
  expect(data[0]).toEqual({
    ...{ type: 'event', id: failed.event_id, topic: 'ad.failed', created_at: expect.any(String) },
    ...{ ad_id: failed.ad_id, screenshot_set_id: null },
  });
  expect(await listed('from=2100-01-01T00:00:00Z')).toEqual([]);
  expect(await listed('to=2000-01-01T00:00:00Z')).toEqual([]);
});

test('a replay sends an event again to those that had it, and leaves out what is about to be sent', async () => {
  const delivery = await adEvent();
  const replay = () => api.post('events/replay', { ids: [delivery.event_id] });
  expect((await replay()).json).toEqual({ type: 'replay', events: 1, deliveries: 0 });
  await finish(delivery.id);
  const { status, json } = await replay();
  expect([status, json.deliveries]).toEqual([202, 1]);
  expect((await api.get(`deliveries/${delivery.id}`)).json).toMatchObject({ status: 'pending', finished_at: null });
  expect(await isDue(delivery.id)).toBe(true);
});

test('a repeated request replays once', async () => {
  const delivery = await adEvent();
  await finish(delivery.id);
  const body = { ids: [delivery.event_id, delivery.event_id] };
  const replay = () => api.post('events/replay', body, { 'idempotency-key': 'one' });
  const first = await replay();
  await finish(delivery.id);
  const second = await replay();
  expect(first.json).toEqual({ type: 'replay', events: 1, deliveries: 1 });
  expect([second.text, second.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
  expect(await roundOf(delivery.id)).toBe(1);
});

test('a replay to one endpoint also sends events that it did not get before, and only there', async () => {
  const deliveries = [await adEvent(), await adEvent('ad.failed')];
  for (const { id } of deliveries) await finish(id);
  const webhook_endpoint_id = await endpoint();
  const body = { ids: deliveries.map(({ event_id }) => event_id), webhook_endpoint_id };
  expect((await api.post('events/replay', body)).json.deliveries).toBe(2);
  const got = (await api.get(`deliveries?webhook_endpoint_id=${webhook_endpoint_id}`)).json.data;
  expect(got).toHaveLength(2);
  for (const { id, status } of got) expect([status, await isDue(id)]).toEqual(['pending', true]);
  for (const { id } of deliveries) expect(await isDue(id)).toBe(false);
  // They are about to be sent.
  expect((await api.post('events/replay', body)).json.deliveries).toBe(0);
});

test('a replay leaves out a disabled endpoint, and a replay to it is rejected', async () => {
  const delivery = await adEvent();
  const webhook_endpoint_id = await endpoint();
  const replay = (to: Json = {}) => api.post('events/replay', { ids: [delivery.event_id], ...to });
  await replay({ webhook_endpoint_id });
  await api.send({
    method: 'PATCH',
    path: `/api/v1/orgs/acme/webhook_endpoints/${webhook_endpoint_id}`,
    headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
    body: '{"disabled":true}',
  });
  expect((await replay()).json.deliveries).toBe(0);
  expect((await replay({ webhook_endpoint_id })).status).toBe(409);
  await api.remove(`webhook_endpoints/${webhook_endpoint_id}`);
  expect((await replay({ webhook_endpoint_id })).status).toBe(422);
});

test('unknown, malformed, foreign and too many ids are rejected', async () => {
  const { event_id } = await adEvent();
  const fault = async (ids: string[]) => {
    const { status, json } = await api.post('events/replay', { ids });
    return [status, Object.keys(json.errors)];
  };
  expect(await fault([event_id, `evt_${randomUUID()}`])).toEqual([422, ['ids.1']]);
  expect(await fault(['x'])).toEqual([422, ['ids.0']]);
  expect(await fault([])).toEqual([422, ['ids']]);
  expect(await fault(Array.from({ length: 1_001 }, () => event_id))).toEqual([422, ['ids']]);
  expect((await api.get('events/x')).status).toBe(404);
  const { api_key } = await createOrganization(api.store.db, { slug: 'other' });
  const headers = { authorization: api_key, 'content-type': 'application/json' };
  expect((await api.send({ path: `/api/v1/orgs/other/events/${event_id}`, headers })).status).toBe(404);
  const body = JSON.stringify({ ids: [event_id] });
  const foreign = await api.send({ method: 'POST', path: '/api/v1/orgs/other/events/replay', headers, body });
  expect(foreign.status).toBe(422);
});
