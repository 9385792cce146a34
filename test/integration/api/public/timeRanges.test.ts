/** Every list of the API takes a range of times, except the screenshots of one set, which are made together. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertUser } from '../../../../src/core/people/users.ts';
import { insertExportSet, type TestSet } from '../../../support/exportSet.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { OPERATIONS } from './sampleIds.ts';

/** The table and the column of the time that each list goes by. */
const LISTS: Readonly<Record<string, readonly [string, string]>> = {
  ads: ['ads', 'created_at'],
  audit_log: ['audit_log', 'created_at'],
  campaigns: ['campaigns', 'created_at'],
  connectors: ['s3_connectors', 'updated_at'],
  deliveries: ['deliveries', 'created_at'],
  events: ['events', 'created_at'],
  invitations: ['invitations', 'created_at'],
  keys: ['api_keys', 'created_at'],
  members: ['memberships', 'created_at'],
  'campaigns/{id}/exports': ['exports', 'created_at'],
  'campaigns/{id}/shares': ['share_links', 'created_at'],
  screenshot_sets: ['screenshot_sets', 'created_at'],
  schedules: ['schedules', 'created_at'],
  'screenshot_sets/{id}/answers': ['share_answers', 'created_at'],
  'screenshot_sets/{id}/comments': ['comments', 'created_at'],
  'screenshot_sets/{id}/exports': ['exports', 'created_at'],
  'screenshot_sets/{id}/shares': ['share_links', 'created_at'],
  screenshots: ['screenshot_sets', 'approved_at'],
  'screenshots/{id}/comments': ['comments', 'created_at'],
  site_lists: ['site_lists', 'created_at'],
  site_rules: ['site_rules', 'created_at'],
  templates: ['request_templates', 'created_at'],
  uploads: ['uploads', 'created_at'],
  webhook_endpoints: ['webhook_endpoints', 'created_at'],
};
const NAMES = Object.keys(LISTS).map((list) => ({ list }));

const artifacts = memoryArtifacts(new Map());
let api: TestApi;
let set: TestSet;
let campaignId: string;
beforeAll(async () => {
  api = await startPublicApi({ artifacts });
  set = await insertOneOfEach();
});
afterAll(() => api.close());

async function insertOneOfEach(): Promise<TestSet> {
  const { db } = api.store;
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const subscribers = [{ webhook: { url: 'https://hook.example' } }];
  const ad = (await api.post('ads', { campaign: { name: 'Ranges' }, ad: { media }, subscribers })).json;
  const subscriber = await db.selectFrom('subscribers').selectAll().executeTakeFirstOrThrow();
  const { organization_id } = subscriber;
  const organization = { id: organization_id, slug: 'acme', campaignId: ad.campaign_id };
  const set = await insertExportSet({ db, artifacts, organization }, [{}]);
  campaignId = ad.campaign_id;
  const rule = { cron: '0 9 * * *' };
  const repeated = { name: 'Ranges', rule, time_zone: 'UTC', screenshot_set: { id: set.id } };
  expect((await api.post('schedules', repeated)).status).toBe(201);
  await sql`update screenshot_sets set approved_at = now()`.execute(db);
  const event_id = randomUUID();
  await db.insertInto('events').values({ id: event_id, organization_id, topic: 'ad.uploaded', body: '{}' }).execute();
  const delivery = { id: randomUUID(), organization_id, event_id, subscriber_id: subscriber.id, ad_id: ad.id };
  await db
    .insertInto('deliveries')
    .values({
      ...delivery,
      channel: 'webhook',
      target: 'https://hook.example',
      status: 'gone',
      finished_at: new Date(),
    })
    .execute();
  await send('POST', 'templates', { name: 'One', devices: [{ name: 'desktop' }] });
  await send('POST', 'site_lists', { name: 'One', sites: [{ url: 'news.example' }] });
  await send('POST', 'site_rules', { host: 'news.example', hide: ['#a'] });
  await send('POST', 'webhook_endpoints', { url: 'https://hook.example' });
  await send('POST', 'invitations', { email: 'ann@example.com', role: 'viewer' });
  const user_id = await insertUser(db, { email: null, name: 'Member' });
  await db.insertInto('memberships').values({ organization_id, user_id, role: 'viewer' }).execute();
  await send('POST', `screenshot_sets/${set.id}/shares`, {});
  await send('POST', `screenshot_sets/${set.id}/exports`, { format: 'zip' });
  await send('POST', `campaigns/${campaignId}/shares`, {});
  await send('POST', `campaigns/${campaignId}/exports`, { format: 'zip' });
  await send('POST', 'uploads?name=a.html', '<a href="https://shop.example">Shop</a>', 'application/octet-stream');
  await send('PUT', 'connectors/default', { region: 'eu-central-1', access_key_id: 'AKIA', secret_access_key: 'x' });
  await send('POST', `screenshots/${set.shots[0]}/comments`, { body: 'Good.' });
  await sql`insert into share_answers
      (id, organization_id, share_id, set_id, pictures, answer, client_name, client_email)
    select gen_random_uuid(), organization_id, id, set_id, 1, 'approved', 'Anna', 'anna@client.example'
    from share_links where set_id is not null`.execute(db);
  return set;
}

async function send(method: string, path: string, body: object | string, type = 'application/json'): Promise<void> {
  const headers = { authorization: `Bearer ${api.organization.api_key}`, 'content-type': type };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { status, text: answer } = await api.send({ method, path: `/api/v1/orgs/acme/${path}`, headers, body: text });
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${answer}`);
}

const read = async (list: string, query: string) => {
  const id = list.startsWith('campaigns') ? campaignId : list.startsWith('screenshots') ? set.shots[0] : set.id;
  return api.get(`${list.replace('{id}', id ?? '')}?${query}`);
};
const total = async (list: string, query: string): Promise<number> => (await read(list, query)).json.total;

/** Lists of the operator's settings and of one set, which have no times. */
const WITHOUT_RANGE = ['locations', 'screenshot_sets/{id}/screenshots'];

test('these are all lists of the API', () => {
  const lists = OPERATIONS.filter(({ method, operation: { responses } }) => {
    const schema = responses['200']?.content?.['application/json']?.schema;
    return method === 'GET' && schema?.properties?.['data']?.type === 'array';
  });
  const paths = lists
    .map(({ path }) => path.replace('/api/v1/orgs/{organization_slug}/', ''))
    .filter((path) => !WITHOUT_RANGE.includes(path));
  expect(paths.sort()).toEqual(Object.keys(LISTS).sort());
});

test.each(NAMES)('GET …/$list with "to" in the future and without "from" is not empty', async ({ list }) => {
  expect(await total(list, 'to=2999-01-01')).toBeGreaterThan(0);
});

test.each(NAMES)(
  'GET …/$list includes both ends of its range as it shows them, with milliseconds',
  async ({ list }) => {
    const [table, column] = LISTS[list] ?? ['', ''];
    // The audit log lets nobody change its entries.
    if (table === 'audit_log') await sql`alter table audit_log disable trigger user`.execute(api.store.db);
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = '2026-01-02T12:00:00.123456Z'`.execute(api.store.db);
    const [before, at, after] = ['122', '123', '124'].map((part) => `2026-01-02T12:00:00.${part}%2B00:00`);
    for (const query of [`to=${at}`, `to=${after}`, `from=${at}&to=${at}`, `from=${at}`])
      expect(await total(list, query), query).toBeGreaterThan(0);
    for (const query of [`to=${before}`, `from=${after}`, `from=2026-01-01&to=${before}`])
      expect(await total(list, query), query).toBe(0);
    const turned = await read(list, `from=${after}&to=${at}`);
    expect([turned.status, turned.json.errors]).toEqual([422, { from: ['must not be after "to".'] }]);
    expect((await read(list, 'to=yesterday')).status).toBe(422);
  },
);
