/** The audit log of the API: its entries, its list, and that nothing changes it. `samples.test.ts` has the entry of each operation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteOldEntries } from '../../../../src/core/journal/auditLogQueries.ts';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { createKey } from '../../../support/keys.ts';
import { type Json, memoryArtifacts, type Reply, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { expectLoggedErrors } from '../../../support/testLog.ts';

const artifacts = memoryArtifacts(new Map());
let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ artifacts, exportWaitMs: 300 });
});
afterAll(() => api.close());

const send = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  api.send({
    method,
    path: `/api/v1/orgs/acme/${path}`,
    headers: { authorization: api.organization.api_key, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const log = async (query = ''): Promise<Json[]> => (await api.get(`audit_log?per_page=500&${query}`)).json.data;
const done = async (reply: Promise<Reply>): Promise<Json> => {
  const { status, text, json } = await reply;
  if (status >= 300) throw new Error(`The service answered ${status}: ${text}`);
  return json;
};

describe('an entry', () => {
  test('it says who did what, to which object, from where and in which request', async () => {
    const reply = await send('POST', 'keys', { name: 'Tool', scopes: ['read', 'write'] }, { 'x-request-id': 'req-1' });
    const [entry] = await log();
    expect(entry).toEqual({
      type: 'audit_log_entry',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/\+00:00$/),
      actor: { type: 'api_key', key_id: api.organization.api_key.slice(8, 16), user_id: null, name: 'first key' },
      action: 'api_key.created',
      object: { type: 'api_key', id: reply.json.id },
      changes: [
        { field: 'name', from: null, to: 'Tool' },
        { field: 'scopes', from: null, to: 'read, write' },
      ],
      ip_address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      request_id: 'req-1',
    });
  });

  test('a change of settings has the old and the new values, and settings that stay are not in it', async () => {
    await send('PATCH', 'settings', { review: 'manual', set_retention_days: null });
    await send('PATCH', 'settings', { review: 'partial', set_retention_days: 30 });
    const [entry] = await log('action=settings.updated');
    expect(entry.changes).toEqual([
      { field: 'review', from: 'manual', to: 'partial' },
      { field: 'set_retention_days', from: null, to: '30' },
    ]);
  });

  test('a request that changes nothing, or that is refused, has no entry', async () => {
    await send('PATCH', 'settings', { review: 'manual' });
    const { id } = await done(send('POST', 'keys', { name: 'Once', scopes: ['read'] }));
    await done(send('DELETE', `keys/${id}`));
    const before = await log();
    const replies = [
      await send('PATCH', 'settings', { review: 'manual' }),
      await send('DELETE', `keys/${id}`),
      await send('POST', 'keys', { name: '', scopes: ['read'] }),
      await send('DELETE', 'connectors/unknown'),
      await send('GET', 'audit_log', undefined, { authorization: 'nonsense' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 422, 204, 401]);
    expect(await log()).toEqual(before);
  });

  test('no action happens if its entry cannot be stored', async () => {
    expectLoggedErrors(/request failed/);
    await api.store.pool.query(`create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger fail before insert on audit_log for each row execute function fail()`);
    try {
      const [keys, links] = [await api.count('api_keys'), await api.count('webhook_endpoints')];
      const replies = [
        await send('POST', 'keys', { name: 'Lost', scopes: ['read'] }),
        await send('POST', 'webhook_endpoints', { url: 'https://you.example/hook' }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([500, 500]);
      expect([await api.count('api_keys'), await api.count('webhook_endpoints')]).toEqual([keys, links]);
    } finally {
      await api.store.pool.query('drop trigger fail on audit_log; drop function fail()');
    }
  });
});

test('no secret is in the log, whatever the administration does', async () => {
  const key = await done(send('POST', 'keys', { name: 'Secret', scopes: ['read'] }));
  const first = await done(send('POST', 'webhook_secret/rotate'));
  const url = 'https://chat.example/services/T0001/planted-path-secret?token=planted-query-secret';
  await done(send('POST', 'webhook_tests', { url }));
  const headers = { authorization: 'Bearer planted-header-secret' };
  const endpoint = await done(send('POST', 'webhook_endpoints', { url, headers }));
  const path = `webhook_endpoints/${endpoint.id}`;
  const changed = { url: `${url}2`, headers: { authorization: 'Bearer planted-second-header' } };
  await done(send('PATCH', path, changed));
  const rotated = await done(send('POST', `${path}/rotate`));
  const account = { region: 'eu-west-1', access_key_id: 'AKIAPLANTED', secret_access_key: 'planted/connector+secret' };
  await done(send('PUT', 'connectors/vault', account));
  await done(send('PUT', 'connectors/vault', { ...account, secret_access_key: 'planted/second+secret' }));
  const { rows } = await api.store.pool.query(`select string_agg(a::text, E'\n') as text from audit_log a`);
  const texts = [JSON.stringify(await log()), String(rows[0].text)].join('\n');
  for (const shown of [key.id, endpoint.id, 'chat.example', 'AKIAPLANTED', 'replaced']) expect(texts).toContain(shown);
  const secrets = [
    ...[key.key, api.organization.api_key].map((text: string) => text.slice(-43)),
    ...[first.secret, endpoint.secret, rotated.secret].map((text: string) => text.slice('whsec_'.length)),
    ...['planted-path', 'planted-query', 'planted-header', 'planted-second', 'planted/'],
  ];
  expect(secrets.filter((secret) => texts.includes(secret))).toEqual([]);
});

test('a new address or new headers of an endpoint are a change, although the log hides them', async () => {
  const headers = { 'x-token': 'one' };
  const { id } = await done(send('POST', 'webhook_endpoints', { url: 'https://you.example/a', headers }));
  await done(send('PATCH', `webhook_endpoints/${id}`, { url: 'https://you.example/b', headers: { 'x-token': 'two' } }));
  const [entry] = await log('action=webhook_endpoint.updated');
  expect([entry.object.id, entry.changes]).toEqual([
    id,
    [
      { field: 'url', from: 'https://you.example/…', to: 'https://you.example/…' },
      { field: 'headers', from: 'x-token', to: 'x-token' },
    ],
  ]);
});

describe('the list', () => {
  let keyId: string;
  beforeAll(async () => {
    const other = await createKey(api.store.db, 'acme', { name: 'Other' });
    keyId = other.id;
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await done(send('POST', 'keys', { name, scopes: ['read'] }, { authorization: other.api_key }));
  });

  test('it has the newest entries first, of one organization only', async () => {
    const { api_key } = await createOrganization(api.store.db, { slug: 'elsewhere' });
    const path = '/api/v1/orgs/elsewhere/audit_log';
    const foreign = await api.send({ path, headers: { authorization: api_key } });
    expect([foreign.status, foreign.json]).toEqual([200, { data: [], page: 1, per_page: 100, total: 0 }]);
    const times = (await log()).map(({ created_at }) => Date.parse(created_at));
    expect(times.length).toBeGreaterThan(5);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('action, actor and times filter it', async () => {
    const own = await log(`actor=${keyId}`);
    expect(own.map(({ changes }) => changes[0].to)).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(await log(`actor=${keyId}&action=api_key.created`)).toEqual(own);
    expect(await log(`actor=${keyId}&action=api_key.revoked`)).toEqual([]);
    expect(await log('actor=operator')).toEqual([]);
    const [newest, oldest] = [own[0].created_at, own.at(-1).created_at].map(encodeURIComponent);
    expect((await log(`actor=${keyId}&from=${oldest}&to=${newest}`)).length).toBe(5);
    expect(await log(`actor=${keyId}&to=2020-01-01`)).toEqual([]);
    expect(await log(`actor=${keyId}&from=2100-01-01`)).toEqual([]);
  });

  test('after reads on behind the last entry, while new entries arrive', async () => {
    const all = await log(`actor=${keyId}`);
    const read: Json[] = [];
    for (let after = ''; ; after = `&after=${read.at(-1).id}`) {
      const { json } = await api.get(`audit_log?actor=${keyId}&per_page=2${after}`);
      expect(json.total).toBe(all.length - read.length);
      if (json.data.length === 0) break;
      read.push(...json.data);
      await done(send('POST', 'keys', { name: `later ${read.length}`, scopes: ['read'] }));
    }
    expect(read).toEqual(all);
  });

  test('entries of the same time are each read once', async () => {
    const { id } = await createOrganization(api.store.db, { slug: 'sametime' }).then(({ organization }) =>
      api.store.db.selectFrom('organizations').select('id').where('slug', '=', organization).executeTakeFirstOrThrow(),
    );
    const { api_key } = await createKey(api.store.db, 'sametime');
    await insertEntries(id, { count: 7, age: '1 hour' });
    const read: string[] = [];
    for (let after = ''; ; after = `&after=${read.at(-1)}`) {
      const path = `/api/v1/orgs/sametime/audit_log?per_page=3${after}`;
      const { json } = await api.send({ path, headers: { authorization: api_key } });
      if (json.data.length === 0) break;
      read.push(...json.data.map((entry: Json) => entry.id));
    }
    expect([read.length, new Set(read).size]).toEqual([7, 7]);
  });

  test.each([
    ['after=00000000-0000-4000-8000-000000000000', 'after'],
    ['after=x', 'after'],
    ['action=key.created', 'action'],
    ['actor=short', 'actor'],
    ['from=2026-02-01&to=2026-01-01', 'from'],
  ])('the query %s is invalid', async (query, field) => {
    const { status, json } = await api.get(`audit_log?${query}`);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });
});

/** All have the same time. */
async function insertEntries(organizationId: string, { count, age }: { count: number; age: string }): Promise<void> {
  await api.store.pool.query(
    `insert into audit_log (organization_id, created_at, actor_type, action, object_type)
     select $1, date_trunc('hour', now()) - $3::interval, 'operator', 'settings.updated', 'settings'
     from generate_series(1, $2)`,
    [organizationId, count, age],
  );
}

describe('the rows', () => {
  test.each([`update audit_log set action = 'x'`, 'delete from audit_log', 'truncate audit_log'])(
    'PostgreSQL refuses: %s',
    async (statement) => {
      await done(send('POST', 'keys', { name: 'Kept', scopes: ['read'] }));
      const before = await log();
      await expect(api.store.pool.query(statement)).rejects.toThrow(/audit log/);
      expect(await log()).toEqual(before);
    },
  );

  test('the removal deletes old entries in steps, and leaves the others', async () => {
    const { id } = await api.store.db
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow();
    await insertEntries(id, { count: 5, age: '402 days' });
    await insertEntries(id, { count: 2, age: '398 days' });
    const before = await api.count('audit_log');
    const { db } = api.store;
    const counts = [
      await deleteOldEntries(db, { days: 400, most: 3 }),
      await deleteOldEntries(db, { days: 400, most: 3 }),
    ];
    expect(counts).toEqual([3, 2]);
    expect(await api.count('audit_log')).toBe(before - 5);
  });
});
