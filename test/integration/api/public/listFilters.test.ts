import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
let okapi: Json;
let zebra: Json;
beforeAll(async () => {
  api = await startPublicApi();
  okapi = await newSet('Okapi launch', 'https://sport.news.example/football', 'desktop');
  zebra = await newSet('Zebra sale', 'https://blog.example/', 'mobile');
});
afterAll(() => api.close());

async function newSet(campaign: string, url: string, device: string): Promise<Json> {
  const ad = {
    name: `Ad of ${campaign}`,
    lookup_key: campaign.toUpperCase(),
    media: { type: 'url', content: 'https://cdn.example/b.png' },
  };
  const requests = [{ ad, screenshots: [{ site: { url }, device: { name: device } }] }];
  const { json } = await api.post('screenshot_requests', {
    campaign: { name: campaign },
    screenshot_requests: requests,
  });
  return json;
}

const found = async (path: string) => {
  const { json } = await api.get(path);
  return { total: json.total, ids: json.data?.map(({ id }: Json) => id) };
};
const only = ({ id }: Json) => ({ total: 1, ids: [id] });
const none = { total: 0, ids: [] };

test('the list of sets is narrowed by words, site, device and time', async () => {
  for (const query of [
    'q=okapi',
    'q=OKAPI+football',
    'site=news.example',
    'site=https://sport.news.example/',
    'device=desktop',
    `q=${okapi.id.slice(0, 18)}`,
  ])
    expect(await found(`screenshot_sets?${query}`), query).toEqual(only(okapi));
  expect(await found('screenshot_sets?device=mobile&q=zebra&from=2020-01-01')).toEqual(only(zebra));
  for (const query of ['q=okapi+zebra', 'site=other.example', 'device=ipad', 'to=2020-01-01', 'from=2999-01-01'])
    expect(await found(`screenshot_sets?${query}`), query).toEqual(none);
  expect((await found('screenshot_sets?q=')).total).toBe(2);
});

test('the lists of ads and campaigns are narrowed by words, status and time', async () => {
  expect((await found('ads?q=zeb')).total).toBe(1);
  expect((await found('ads?q=zeb&status=pending&from=2020-01-01')).total).toBe(1);
  expect(await found('ads?q=zeb&status=uploaded')).toEqual(none);
  expect((await found('campaigns?q=launch+okapi')).total).toBe(1);
  expect(await found('campaigns?q=launch&to=2020-01-01')).toEqual(none);
});

test('a wrong filter is rejected with its field', async () => {
  const { status, json } = await api.get('screenshot_sets?device=fridge&from=2026-01-02&to=2026-01-01&q=%00');
  expect(status).toBe(422);
  expect(Object.keys(json.errors).sort()).toEqual(['device', 'q']);
  expect((await api.get('ads?from=2026-01-02&to=2026-01-01')).json.errors).toEqual({
    from: ['must not be after "to".'],
  });
});

test('"to" without "from" lists the pictures that were approved in the 24 hours before', async () => {
  const { db } = api.store;
  const approved_at = new Date('2026-01-02T12:00:00Z');
  await db.updateTable('screenshots').set({ status: 'uploaded' }).where('set_id', '=', okapi.id).execute();
  await db.updateTable('screenshot_sets').set({ status: 'approved', approved_at }).where('id', '=', okapi.id).execute();
  expect((await found('screenshots?to=2026-01-03T11:00:00Z')).total).toBe(1);
  expect((await found('screenshots?to=2026-01-03T13:00:00Z')).total).toBe(0);
});
