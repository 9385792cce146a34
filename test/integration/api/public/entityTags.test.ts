/** ETag and If-None-Match of reads and lists. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
let ad: Json;
beforeAll(async () => {
  api = await startPublicApi();
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  ad = (await api.post('ads', { campaign: { name: 'Tags' }, ad: { media } })).json;
});
afterAll(() => api.close());

function conditional(path: string, ifNoneMatch: string | string[], method = 'GET') {
  const headers = { authorization: `Bearer ${api.organization.api_key}`, 'if-none-match': ifNoneMatch };
  return api.send({ method, path: `/api/v1/orgs/acme/${path}`, headers });
}

const PATHS = ['ads', 'campaigns', 'screenshot_sets', 'deliveries', 'events', 'uploads', 'templates', 'settings'];

test('an unchanged list or object answers 304 to its tag, without a body', async () => {
  for (const path of [...PATHS, `ads/${ad.id}`, `campaigns/${ad.campaign_id}`]) {
    const first = await api.get(path);
    const tag = first.headers.etag ?? '';
    expect(tag, path).toMatch(/^"[\w-]{27}"$/);
    expect(first.headers['cache-control'], path).toBe('private, no-cache');
    for (const given of [tag, `W/${tag}`, `"other", ${tag}`, ['"other"', tag], '*']) {
      const { status, text, headers } = await conditional(path, given);
      expect([status, text, headers.etag], `${path} ${given}`).toEqual([304, '', tag]);
      expect([headers['cache-control'], headers['content-length']]).toEqual(['private, no-cache', undefined]);
    }
    const other = await conditional(path, '"other"');
    expect([other.status, other.json]).toEqual([200, first.json]);
    expect((await conditional(path, tag, 'HEAD')).status).toBe(304);
  }
});

test('a changed object has another tag', async () => {
  const path = `ads/${ad.id}`;
  const { headers } = await api.get(path);
  await api.store.db.updateTable('ads').set({ name: 'Changed' }).where('id', '=', ad.id).execute();
  const changed = await conditional(path, headers.etag ?? '');
  expect([changed.status, changed.json.name]).toEqual([200, 'Changed']);
  expect(changed.headers.etag).not.toBe(headers.etag);
});

test('the tag of a set changes with everything that the set shows', async () => {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const screenshots = ['a', 'b'].map((name) => ({
    site: { url: `https://${name}.example` },
    device: { name: 'ipad' },
  }));
  const body = { campaign: { name: 'Tags' }, screenshot_requests: [{ ad: { media, name: 'Old' }, screenshots }] };
  const { id } = (await api.post('screenshot_requests', body)).json;
  const path = `screenshot_sets/${id}`;
  const { pool } = api.store;
  const changes = [
    `update screenshots set status = 'no_slots' where seq = 1 and set_id = '${id}'`,
    `update screenshot_sets set review_notes = 'Nice' where id = '${id}'`,
    `update ads set name = 'New' where name = 'Old'`,
    `insert into reviews (set_id, decision) values ('${id}', 'none')`,
    `insert into screenshot_sets (id, organization_id, campaign_id, retake_of, original_id)
      select gen_random_uuid(), organization_id, campaign_id, id, id from screenshot_sets where id = '${id}'`,
  ];
  const tags = new Set<string>();
  for (const change of ['select 1', ...changes]) {
    await pool.query(change);
    const { json, headers } = await api.get(path);
    expect(json.screenshots).toHaveLength(2);
    tags.add(headers.etag ?? '');
    expect((await conditional(path, headers.etag ?? '')).status, change).toBe(304);
  }
  expect(tags.size).toBe(changes.length + 1);
});

test('failures, and answers of other methods, have no tag and are not stored', async () => {
  const missing = await conditional('ads/00000000-0000-4000-8000-000000000000', '*');
  expect([missing.status, missing.headers.etag]).toEqual([404, undefined]);
  const made = await api.post('templates', { name: 'One', devices: [{ name: 'desktop' }] }, { 'if-none-match': '*' });
  expect([made.status, made.headers.etag, made.headers['cache-control']]).toEqual([201, undefined, 'no-store']);
});

test('answers with secrets of the organization are not stored', async () => {
  for (const path of ['keys', 'webhook_secret', 'connectors', 'webhook_endpoints']) {
    const { status, headers } = await api.get(path);
    expect([status, headers['cache-control']], path).toEqual([200, 'no-store']);
    expect((await conditional(path, headers.etag ?? '')).status, path).toBe(304);
  }
});
