import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requireOrganization, webhookSecretOf } from '../../../../src/core/organizations/organizations.ts';
import { openSecret } from '../../../../src/db/secrets/sealing.ts';
import { HostNotFoundError } from '../../../../src/egress/errors.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { required } from '../../../support/required.ts';

const PRINCIPAL = 'arn:aws:iam::999999999999:role/tearsheet';
const ROLE = 'arn:aws:iam::111122223333:role/pictures';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ guard: createGuard({ allow: [], lookup: resolve }), awsPrincipal: PRINCIPAL });
});
afterAll(() => api.close());

const NAMES: Readonly<Record<string, string>> = { 'you.example': '93.184.216.34', 'inside.example': '10.1.2.3' };

async function resolve(name: string) {
  const address = NAMES[name];
  if (address === undefined) throw new HostNotFoundError(name);
  return [{ address, family: 4 }];
}

const put = (body: Json, name = 's3') =>
  api.send({
    method: 'PUT',
    path: `/api/v1/orgs/acme/connectors/${name}`,
    headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const queued = async (name: string) =>
  (await api.store.pool.query('select payload from queued where name = $1', [name])).rows.map(({ payload }) => payload);

const REFUSED = [
  'http://169.254.169.254/latest/meta-data',
  'http://127.0.0.1:9000',
  'http://[::1]/',
  'http://localhost/',
  'https://inside.example/',
  'https://unknown.example/',
];

describe('the webhook secret', () => {
  const read = async () =>
    api.store.db
      .selectFrom('organizations')
      .select(['webhook_secret', 'previous_webhook_secret'])
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow();

  test('a rotation answers the new secret once, and the old one also signs for 24 hours', async () => {
    const before = await api.get('webhook_secret');
    expect(before.json).toEqual({ type: 'webhook_secret', created_at: expect.any(String), previous_until: null });
    const old = (await read()).webhook_secret;
    const { status, json } = await api.post('webhook_secret/rotate', '');
    expect([status, json.secret]).toEqual([200, expect.stringMatching(/^whsec_/)]);
    expect((await read()).previous_webhook_secret).toBe(old);
    const organization = await requireOrganization(api.store.db, 'acme');
    expect(webhookSecretOf(api.store.db, organization)).toBe(json.secret);
    const hours = (Date.parse(json.previous_until) - Date.parse(json.created_at)) / 3_600_000;
    expect(hours).toBe(24);
    const { text } = await api.get('webhook_secret');
    expect(text).not.toContain('whsec_');
  });

  test('a rotation without the previous secret ends that at once', async () => {
    const { json } = await api.post('webhook_secret/rotate', { keep_previous: false });
    expect(json.previous_until).toBeNull();
    expect((await read()).previous_webhook_secret).toBeNull();
  });
});

describe('a test event', () => {
  test('a test event is a delivery of its own topic', async () => {
    const { status, json } = await api.post('webhook_tests', { url: 'https://you.example/hook' });
    expect([status, json]).toMatchObject([
      202,
      { topic: 'webhook.test', channel: 'webhook', status: 'pending', ad_id: null, screenshot_set_id: null },
    ]);
    const one = await api.get(`deliveries/${json.id}`);
    expect(one.json.payload).toMatchObject({
      id: json.event_id,
      topic: 'webhook.test',
      data: { object: { type: 'test' } },
    });
    const { json: list } = await api.get('deliveries?topic=webhook.test&channel=webhook');
    expect(list.data.map(({ id }: Json) => id)).toEqual([json.id]);
    expect((await api.get('deliveries?topic=ad.uploaded')).json.total).toBe(0);
  });

  test.each(REFUSED)('a test event to %s is rejected at once', async (url) => {
    const { status, json } = await api.post('webhook_tests', { url });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['url']]);
    expect(JSON.stringify(json)).not.toContain('10.1.2.3');
  });
});

describe('a connector', () => {
  const account = { region: 'eu-central-1', access_key_id: 'AKIA1', secret_access_key: 'top-secret' };
  beforeEach(async () => {
    await api.store.db.deleteFrom('s3_connectors').execute();
  });

  test('a connector is shown without its secret', async () => {
    expect((await api.get('connectors/s3')).status).toBe(404);
    const { status, json, text } = await put({ ...account, endpoint: 'https://you.example' });
    expect([status, json]).toMatchObject([200, { name: 's3', endpoint: 'https://you.example', check: null }]);
    const list = await api.get('connectors');
    expect(list.json.data).toEqual([json]);
    expect(text + list.text).not.toContain('top-secret');
  });

  test('a body without a secret keeps the secret of the same access key only', async () => {
    await put(account);
    expect((await put({ region: 'us-east-1', access_key_id: 'AKIA1' })).status).toBe(200);
    const stored = required(await api.store.db.selectFrom('s3_connectors').selectAll().executeTakeFirst());
    const secret = openSecret(
      api.store.db,
      stored.secret_access_key ?? '',
      `s3_connectors.secret_access_key of ${stored.organization_id}`,
    );
    expect([stored.region, secret]).toEqual(['us-east-1', 'top-secret']);
    const { status, json } = await put({ region: 'us-east-1', access_key_id: 'AKIA2' });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['secret_access_key']]);
  });

  test('a secret that no key opens stops neither the list nor a request, and can be replaced', async () => {
    await put(account);
    await api.store.db.updateTable('s3_connectors').set({ secret_access_key: 'not sealed' }).execute();
    expect((await api.get('connectors')).status).toBe(200);
    const ad = { name: 'Ad', media: { type: 'url', content: 'https://ads.example/ad.png' } };
    const subscribers = [{ s3: { bucket: 'pictures' } }];
    expect((await api.post('ads', { campaign: { name: 'C' }, ad, subscribers })).status).toBe(201);
    const kept = await put({ region: 'us-east-1', access_key_id: 'AKIA1' });
    expect([kept.status, kept.json.errors]).toEqual([
      422,
      { secret_access_key: ['is required: the stored one cannot be opened with the keys of this service.'] },
    ]);
    expect((await put(account)).status).toBe(200);
  });

  test.each(REFUSED)('the endpoint %s is rejected at once', async (endpoint) => {
    const { status, json } = await put({ ...account, endpoint });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['endpoint']]);
  });

  test('a check waits for a controller, and a new account is checked again in the same bucket', async () => {
    await put(account);
    const { status, json } = await api.post('connectors/s3/check', { bucket: 'pictures', key_prefix: 'a/' });
    expect([status, json.check]).toMatchObject([202, { bucket: 'pictures', key_prefix: 'a/', status: 'pending' }]);
    const { organization_id } = await api.store.db
      .selectFrom('s3_connectors')
      .select('organization_id')
      .executeTakeFirstOrThrow();
    const entry = { organization_id, name: 's3' };
    expect(await queued('check_connector')).toEqual([entry]);
    expect((await put(account)).json.check).toMatchObject({ bucket: 'pictures', status: 'pending' });
    expect(await queued('check_connector')).toEqual([entry, entry]);
  });

  test('an organization has several connectors, and the one named s3 is the default', async () => {
    await put(account);
    const more = { encryption: 'aws:kms', kms_key_id: 'alias/pictures', storage_class: 'STANDARD_IA' };
    const check = { bucket: 'archive-1', key_prefix: 'a..b/' };
    const { status, json } = await put({ ...account, ...more, check }, 'archive');
    expect([status, json]).toMatchObject([200, { name: 'archive', is_default: false, ...more }]);
    expect(json.check).toMatchObject({ ...check, status: 'pending' });
    const { data, total } = (await api.get('connectors')).json;
    expect([total, data]).toMatchObject([2, [{ name: 's3', is_default: true, check: null }, { name: 'archive' }]]);
    expect((await api.remove('connectors/archive')).status).toBe(204);
    expect((await api.get('connectors/archive')).status).toBe(404);
    expect((await api.get('connectors/s3')).status).toBe(200);
  });

  test.each([
    ['Not%20a%20name', {}, 'name'],
    ['a', { kms_key_id: 'alias/pictures' }, 'kms_key_id'],
    ['a', { secret_access_key: null, role_arn: ROLE }, 'access_key_id'],
    ['a', { access_key_id: null, secret_access_key: null }, 'access_key_id'],
    ['a', { encryption: 'aws:kms', kms_key_id: 'a b' }, 'kms_key_id'],
    ['a', { storage_class: 'CHEAP' }, 'storage_class'],
    ['a', { check: { bucket: 'a..b' } }, 'check.bucket'],
  ])('the connector %s with %o is rejected', async (name, more, field) => {
    const { status, json } = await put({ ...account, ...more }, name);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  test('a connector with a role shows the external id and the identity that the role must trust', async () => {
    const { status, json } = await put({ region: 'eu-central-1', role_arn: ROLE });
    const { id } = await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
    expect([status, json]).toMatchObject([
      200,
      { access_key_id: null, role: { arn: ROLE, external_id: id, principal_arn: PRINCIPAL } },
    ]);
    expect((await api.get('connectors/s3')).json).toEqual(json);
    // The secret of the key that the role replaced is gone.
    await put(account);
    await put({ region: 'eu-central-1', role_arn: ROLE });
    expect((await put({ region: 'us-east-1', access_key_id: 'AKIA1' })).status).toBe(422);
  });

  test.each([
    ['arn:aws:iam::111122223333:user/pictures', {}, 'role_arn'],
    [ROLE, { endpoint: 'https://you.example' }, 'endpoint'],
    [ROLE, { secret_access_key: 'top-secret' }, 'secret_access_key'],
  ])('the role %s with %o is rejected', async (role_arn, more, field) => {
    const { status, json } = await put({ region: 'eu-central-1', role_arn, ...more });
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  test('a role is rejected at once if the service has no AWS identity', async () => {
    const without = await startPublicApi();
    const { status, json } = await without.send({
      ...{ method: 'PUT', path: '/api/v1/orgs/acme/connectors/s3' },
      headers: { authorization: without.organization.api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ region: 'eu-central-1', role_arn: ROLE }),
    });
    await without.close();
    expect([status, json.errors.role_arn]).toEqual([422, [expect.stringContaining('AWS_PRINCIPAL_ARN')]]);
  });

  test('an organization has at most 20 connectors', async () => {
    for (let i = 1; i <= 20; i += 1) expect((await put(account, `c${i}`)).status).toBe(200);
    expect((await put(account, 'c21')).json.errors).toHaveProperty('name');
    expect((await put(account, 'c20')).status).toBe(200);
  });

  test('a removed connector is gone', async () => {
    await put(account);
    expect((await api.remove('connectors/s3')).status).toBe(204);
    expect((await api.remove('connectors/s3')).status).toBe(204);
    expect((await api.post('connectors/s3/check', { bucket: 'pictures' })).status).toBe(404);
  });
});

test('the settings have the addresses from which the service connects to others', async () => {
  const own = await startPublicApi({ sendingAddresses: ['203.0.113.7', '2001:db8::/64'] });
  const { json } = await own.get('settings');
  await own.close();
  expect(json.sending_addresses).toEqual(['203.0.113.7', '2001:db8::/64']);
});

describe('the creative check', () => {
  const change = (creative_check: Json) =>
    api.send({
      method: 'PATCH',
      path: '/api/v1/orgs/acme/settings',
      headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ creative_check }),
    });

  test('the check of an ad follows the settings at once, and says what to do without facts', async () => {
    const media = { type: 'url', content: 'https://cdn.example/banner.png' };
    const { json: ad } = await api.post('ads', { campaign: { name: 'Spring' }, ad: { media } });
    const check = async () => (await api.get(`ads/${ad.id}/check`)).json;
    const update = (row: { status?: 'uploaded'; facts?: string }) =>
      api.store.db
        .updateTable('ads')
        .set({ width: 300, height: 250, category: 'display', ...row })
        .where('id', '=', ad.id)
        .execute();
    expect(await check()).toMatchObject({ facts: null, findings: [], not_measured: 'The ad is not rendered yet.' });
    await update({ status: 'uploaded' });
    expect((await check()).not_measured).toContain('Render it again: request a picture with its ad_id');
    const facts = { file_bytes: 100 * 1024, white_edge: 1, animation: null, page: null };
    await update({ facts: JSON.stringify(facts) });
    expect(await check()).toEqual({
      ...{ type: 'creative_check', ad_id: ad.id, not_measured: null, facts },
      limits: { initial_load_kb: 150, total_weight_kb: 450, requests: 10 },
      findings: [expect.objectContaining({ rule: 'no_border', severity: 'warning', where: {} })],
    });
    const settings = { initial_load_kb: 99, total_weight_kb: null, requests: 20, switched_off: ['no_border'] };
    expect((await change(settings)).status).toBe(200);
    expect((await api.get('settings')).json.creative_check).toEqual(settings);
    expect(await check()).toMatchObject({
      limits: { initial_load_kb: 99, total_weight_kb: 450, requests: 20 },
      findings: [{ rule: 'initial_load' }],
    });
    const [entry] = (await api.get('audit_log?action=settings.updated')).json.data;
    expect(entry.changes).toContainEqual({ field: 'switched_off', from: null, to: 'no_border' });
    expect((await change({ switched_off: ['none_such'] })).status).toBe(422);
    expect((await api.get(`ads/${ad.campaign_id}/check`)).status).toBe(404);
  });
});
