/** The filters of the lists: words, site, device, status and time. One table says what each query finds. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
let okapi: Json;
beforeAll(async () => {
  api = await startPublicApi();
  okapi = await newSet('Okapi launch', 'https://sport.news.example/football', 'desktop');
  await newSet('Zebra sale', 'https://blog.example/', 'mobile');
  const { db } = api.store;
  const approved_at = new Date('2026-01-02T12:00:00Z');
  await db.updateTable('screenshots').set({ status: 'uploaded' }).where('set_id', '=', okapi.id).execute();
  await db.updateTable('screenshot_sets').set({ status: 'approved', approved_at }).where('id', '=', okapi.id).execute();
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

const [BOTH, OKAPI, ZEBRA, NONE] = ['okapi zebra', 'okapi', 'zebra', 'none'];

test.each([
  ['screenshot_sets?q=', BOTH],
  ['screenshot_sets?q=okapi', OKAPI],
  ['screenshot_sets?q=OKAPI+football', OKAPI],
  ['screenshot_sets?q=okapi+zebra', NONE],
  ['screenshot_sets?q={id}', OKAPI],
  ['screenshot_sets?site=news.example', OKAPI],
  ['screenshot_sets?site=https://sport.news.example/', OKAPI],
  ['screenshot_sets?site=other.example', NONE],
  ['screenshot_sets?device=desktop', OKAPI],
  ['screenshot_sets?device=ipad', NONE],
  ['screenshot_sets?device=mobile&q=zebra&from=2020-01-01', ZEBRA],
  ['screenshot_sets?to=2020-01-01', NONE],
  ['screenshot_sets?from=2999-01-01', NONE],
  ['ads?q=zeb', ZEBRA],
  ['ads?q=zeb&status=pending&from=2020-01-01', ZEBRA],
  ['ads?q=zeb&status=uploaded', NONE],
  ['campaigns?q=launch+okapi', OKAPI],
  ['campaigns?q=launch&to=2020-01-01', NONE],
  // Pictures that were approved in the 24 hours before.
  ['screenshots?to=2026-01-03T11:00:00Z', OKAPI],
  ['screenshots?to=2026-01-03T13:00:00Z', NONE],
])('GET …/%s finds: %s', async (query, found) => {
  const { json } = await api.get(query.replace('{id}', okapi.id.slice(0, 18)));
  const isOkapi = (one: Json) => [okapi.id, okapi.campaign_id].some((id) => JSON.stringify(one).includes(id));
  const names = json.data.map((one: Json) => (isOkapi(one) ? 'okapi' : 'zebra')).toSorted();
  expect([json.total, names.join(' ') || 'none']).toEqual([names.length, found]);
});

test.each([
  ['screenshot_sets?device=fridge&q=%00', ['device', 'q']],
  ['screenshot_sets?from=2026-01-02&to=2026-01-01', ['from']],
  ['ads?from=2026-01-02&to=2026-01-01', ['from']],
])('GET …/%s is rejected with the fields %j', async (query, fields) => {
  const { status, json } = await api.get(query);
  expect([status, Object.keys(json.errors).sort()]).toEqual([422, fields]);
});
