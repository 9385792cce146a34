/** Each kind of object after its DELETE. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertUpload } from '../../../support/insertRows.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const shots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];
const settled = (table: string, id: string, status: string) =>
  api.store.pool.query(`update ${table} set status = $2 where id = $1`, [id, status]);

const CREATE: Readonly<Record<string, () => Promise<string>>> = {
  ads: async () => {
    const { id } = (await api.post('ads', { campaign: { name: 'Gone' }, ad: { media } })).json;
    await settled('ads', id, 'uploaded');
    return id;
  },
  screenshot_sets: async () => {
    const body = { campaign: { name: 'Gone' }, screenshot_requests: [{ ad: { media }, screenshots: shots }] };
    const { id } = (await api.post('screenshot_requests', body)).json;
    await settled('screenshot_sets', id, 'failed');
    return id;
  },
  campaigns: async () => {
    const { id, campaign_id } = (await api.post('ads', { campaign: { name: randomUUID() }, ad: { media } })).json;
    await settled('ads', id, 'uploaded');
    return campaign_id;
  },
  site_lists: async () =>
    (await api.post('site_lists', { name: randomUUID(), sites: [{ url: 'news.example' }] })).json.id,
  site_rules: async () => (await api.post('site_rules', { host: 'news.example', hide: ['#a'] })).json.id,
  templates: async () => (await api.post('templates', { name: randomUUID(), devices: [{ name: 'ipad' }] })).json.id,
  webhook_endpoints: async () => (await api.post('webhook_endpoints', { url: 'https://you.example/hook' })).json.id,
  uploads: async () => {
    const { id: organizationId } = await api.store.db
      .selectFrom('organizations')
      .select('id')
      .executeTakeFirstOrThrow();
    const id = await insertUpload(
      api.store.db,
      { id: organizationId, slug: 'acme', campaignId: '' },
      { name: 'a.png', bytes: Buffer.from('a') },
    );
    await api.store.pool.query("update uploads set expires_at = now() + interval '1 day' where id = $1", [id]);
    return id;
  },
};
const READABLE = ['ads', 'screenshot_sets', 'campaigns', 'webhook_endpoints', 'uploads', 'site_rules'];

test.each(Object.entries(CREATE))('%s answer 204 to each DELETE and 410 to everything else', async (kind, create) => {
  const id = await create();
  expect([(await api.remove(`${kind}/${id}`)).status, (await api.remove(`${kind}/${id}`)).status]).toEqual([204, 204]);
  if (READABLE.includes(kind)) expect((await api.get(`${kind}/${id}`)).status).toBe(410);
  expect((await api.remove(`${kind}/${randomUUID()}`)).status).toBe(404);
});

test('all addresses of a removed set answer 410, and those of an unknown set 404', async () => {
  const id = (await CREATE['screenshot_sets']?.()) ?? '';
  const { screenshots } = (await api.get(`screenshot_sets/${id}`)).json;
  await api.remove(`screenshot_sets/${id}`);
  const ask = async (set: string, screenshot: string) => {
    const answers = [
      ...['', '/screenshots', '/exports', '/export?format=zip', '/shares'].map((path) =>
        api.get(`screenshot_sets/${set}${path}`),
      ),
      api.post(`screenshot_sets/${set}/exports`, { format: 'zip' }),
      api.post(`screenshot_sets/${set}/shares`, {}),
      api.post(`screenshot_sets/${set}/approve`, ''),
      api.post(`screenshot_sets/${set}/retake`, { which: 'all' }),
      api.get(`screenshots/${screenshot}`),
      api.post(`screenshots/${screenshot}/review`, { comment: 'x' }),
      api.post(`screenshots/${screenshot}/retake`, {}),
    ];
    return (await Promise.all(answers)).map(({ status }: Json) => status);
  };
  expect(new Set(await ask(id, screenshots[0].id))).toEqual(new Set([410]));
  expect(new Set(await ask(randomUUID(), randomUUID()))).toEqual(new Set([404]));
});
