import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { takeKey } from '../../../../src/core/requests/idempotency.ts';
import { exchange, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://a.example/' };
const ad = { campaign: { name: 'C' }, ad: { media } };
const shots = {
  campaign: { name: 'C' },
  screenshot_requests: [{ ad: { media }, screenshots: [{ site: { url: 'a.example' }, device: { name: 'desktop' } }] }],
};
const KEY = 'idempotency-key';
const create = (key: string, body: unknown = ad) => api.post('ads', body, { [KEY]: key });

test.each([
  ['ads', ad, 201],
  ['screenshot_requests', shots, 202],
])('the same key and body replay the first answer of %s, and nothing is made twice', async (path, body, status) => {
  const counts = () => Promise.all(['ads', 'screenshot_sets', 'queued'].map((table) => api.count(table)));
  const first = await api.post(path, body, { [KEY]: 'replay' });
  const before = await counts();
  const second = await api.post(path, body, { [KEY]: 'replay' });
  expect([first.status, second.status, second.text]).toEqual([status, status, first.text]);
  expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
  expect(await counts()).toEqual(before);
});

test('the same idempotency key with another body is rejected', async () => {
  await create('other body');
  const reply = await create('other body', { ...ad, x: 1 });
  expect([reply.status, reply.json.code, Object.keys(reply.json.errors)]).toEqual([
    422,
    'idempotency_key_reused',
    [KEY],
  ]);
});

test('an idempotency key belongs to one organization and one endpoint', async () => {
  const first = await create('scoped');
  expect((await api.post('screenshot_requests', shots, { [KEY]: 'scoped' })).status).toBe(202);
  const other = await createOrganization(api.store.db, { slug: 'other' });
  const headers = { authorization: other.api_key, 'content-type': 'application/json', [KEY]: 'scoped' };
  const reply = await exchange(api.url, {
    method: 'POST',
    path: '/api/v1/orgs/other/ads',
    headers,
    body: JSON.stringify(ad),
  });
  expect(reply.status).toBe(201);
  expect(reply.json.id).not.toBe(first.json.id);
});

test('a rejected request may be sent again under its key, because only successes are kept', async () => {
  expect((await create('mended', { campaign: {} })).status).toBe(422);
  expect((await create('mended')).status).toBe(201);
});

test('the API rejects a request while another one with its key runs', async () => {
  const id = (
    await api.store.db.selectFrom('organizations').select('id').where('slug', '=', 'acme').executeTakeFirstOrThrow()
  ).id;
  await api.store.db.transaction().execute(async (tx) => {
    await takeKey(tx, {
      organizationId: id,
      callerId: api.organization.api_key.split('_')[2] ?? '',
      endpoint: 'ads',
      key: 'running',
      bodySha256: Buffer.alloc(32),
    });
    const reply = await create('running');
    expect([reply.status, reply.json.code, Object.keys(reply.json.errors)]).toEqual([
      409,
      'idempotency_key_in_use',
      [KEY],
    ]);
  });
  expect((await create('running')).status).toBe(201);
});

test('twenty requests at once with one key make one ad', async () => {
  const before = await api.count('ads');
  const replies = await Promise.all(Array.from({ length: 20 }, () => create('at once')));
  expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  expect(new Set(replies.filter(({ status }) => status === 201).map(({ json }) => json.id)).size).toBe(1);
  expect(await api.count('ads')).toBe(before + 1);
});

test('an idempotency key can be used again after 24 hours', async () => {
  const first = await create('aged');
  const age = () =>
    sql`update idempotency_keys set created_at = now() - interval '25 hours' where strpos(key, 'aged') > 0`.execute(
      api.store.db,
    );
  await age();
  const second = await create('aged', { ...ad, y: 2 });
  expect([second.status, second.json.id === first.json.id]).toEqual([201, false]);
  expect((await create('aged', { ...ad, y: 2 })).json.id).toBe(second.json.id);
});

test.each([
  ['empty', ''],
  ['256 characters', 'k'.repeat(256)],
])('an idempotency key that is %s is rejected', async (_what, key) => {
  const reply = await create(key);
  expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [KEY]]);
});

test('an idempotency key of 255 characters is accepted', async () => {
  expect((await create('k'.repeat(255))).status).toBe(201);
});

test('a repeated POST of templates gets the first answer', async () => {
  const body = { name: 'Once', devices: [{ name: 'ipad' }] };
  const send = () => api.post('templates', body, { [KEY]: 'once' });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
});

test.each([
  ['keys', { name: 'Once', scopes: ['read'] }, 'key'],
  ['webhook_endpoints', { url: 'https://you.example/hook' }, 'secret'],
  ['shares', {}, 'url'],
])(
  'a repeated POST of %s creates nothing, and its answer is not kept, because it has a secret',
  async (kind, body, secret) => {
    const set = (await api.post('screenshot_requests', shots)).json;
    await api.store.pool.query("update screenshot_sets set status = 'approved' where id = $1", [set.id]);
    const path = kind === 'shares' ? `screenshot_sets/${set.id}/shares` : kind;
    const send = (more = {}) => api.post(path, { ...body, ...more }, { [KEY]: 'secret' });
    const count = async () => (await api.get(path)).json;
    const first = await send();
    const before = await count();
    const second = await send();
    expect([first.status, second.status, second.json.code]).toEqual([201, 409, 'conflict']);
    expect(second.text).toContain(first.json.id);
    expect(second.text).not.toContain(first.json[secret]);
    expect(await count()).toEqual(before);
    const { rows } = await api.store.pool.query('select * from idempotency_keys');
    expect(JSON.stringify(rows)).not.toContain(first.json[secret]);
    expect((await send({ label: 'x', description: 'x', name: 'x' })).status).toBe(422);
  },
);

test('an idempotency key belongs to the API key that sent it', async () => {
  const scopes = ['read', 'write'];
  const { json: other } = await api.post('keys', { name: 'Other', scopes });
  const first = await create('two keys');
  const send = () => api.post('ads', ad, { [KEY]: 'two keys', authorization: other.key });
  const [second, third] = [await send(), await send()];
  expect([second.status, second.headers['idempotency-replayed'], second.json.id === first.json.id]).toEqual([
    201,
    undefined,
    false,
  ]);
  expect([third.headers['idempotency-replayed'], third.text]).toEqual(['true', second.text]);
  expect((await create('two keys')).text).toBe(first.text);
});

test('an answer that the version before stored is replayed', async () => {
  const first = await create('stored before');
  await sql`update idempotency_keys set key = 'stored before' where strpos(key, 'stored before') > 0`.execute(
    api.store.db,
  );
  expect((await create('stored before')).text).toBe(first.text);
});
