import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endKey, setDisabled } from '../../../../src/core/organizations/operator.ts';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { eventually } from '../../../support/eventually.ts';
import { createKey } from '../../../support/keys.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { rawExchange } from '../../../support/rawHttp.ts';
import { OPERATIONS } from './sampleIds.ts';

let api: TestApi;
let otherKey: string;
beforeAll(async () => {
  api = await startPublicApi();
  otherKey = (await createOrganization(api.store.db, { slug: 'other' })).api_key;
});
afterAll(() => api.close());

const ADS = '/api/v1/orgs/acme/ads';
const NOBODY = '00000000-0000-4000-8000-000000000000';
/** Every operation of the API, as method and path. */
const ROUTES = OPERATIONS.map(({ method, path }) => {
  const own = path.replace('/api/v1/orgs/{organization_slug}/', '');
  return [method, own.replaceAll(/\{\w+\}/g, NOBODY)] as const;
});
const body = JSON.stringify({ campaign: { name: 'C' }, ad: { media: { type: 'url', content: 'https://a.example/' } } });
/** Has a fault that needs the database. */
const faulty = JSON.stringify({ campaign: { id: NOBODY }, ad: {} });

const list = (authorization: string | string[]) => api.send({ path: ADS, headers: { authorization } });
const post = (authorization: string, slug = 'acme', text = body) =>
  api.send({
    method: 'POST',
    path: `/api/v1/orgs/${slug}/ads`,
    headers: { authorization, 'content-type': 'application/json' },
    body: text,
  });

describe('the key', () => {
  test.each(['GET', 'POST'])('a key is accepted alone, after Bearer and after bearer, for %s', async (method) => {
    const key = api.organization.api_key;
    for (const header of [key, `Bearer ${key}`, `bearer   ${key}`]) {
      expect((await (method === 'GET' ? list(header) : post(header))).status).toBe(method === 'GET' ? 200 : 201);
    }
  });

  test.each(ROUTES)('a key is required on %s %s', async (method, path) => {
    const reply = await api.send({ method, path: `/api/v1/orgs/acme/${path}` });
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(reply.json).toEqual({
      ...{ status: 'failure', code: 'unauthorized', request_id: reply.headers['x-request-id'] },
      errors: { authorization: [expect.any(String)] },
    });
  });

  test.each([
    ['empty', ''],
    ['only the word', 'Bearer '],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['too short', 'ts_live_abcdefgh_short'],
    ['twice in one header', 'KEY KEY'],
    ['with text after it', 'Bearer KEYx'],
    ['of an unknown id', `ts_live_zzzzzzzz_${'A'.repeat(43)}`],
    ['with U+0001', 'Bearer KE\tY'],
  ])('an invalid key is rejected: %s', async (_what, header) => {
    const reply = await list(header.replaceAll('KEY', api.organization.api_key));
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  test('a key in two headers is rejected, even when both are right', async () => {
    expect((await list([api.organization.api_key, api.organization.api_key])).status).toBe(401);
  });

  test('a key with a wrong secret is rejected', async () => {
    const key = api.organization.api_key;
    const wrong = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    expect((await list(wrong)).status).toBe(401);
  });

  test('a key stops working when it is revoked or expires, and other keys still work', async () => {
    const { db } = api.store;
    const made = await createKey(db, 'acme', { name: 'rotation' });
    expect([(await list(made.api_key)).status, (await post(made.api_key)).status]).toEqual([200, 201]);
    await endKey(db, 'acme', made.id);
    expect((await post(made.api_key, 'acme', faulty)).status).toBe(401);
    expect([(await list(made.api_key)).status, (await post(made.api_key)).status]).toEqual([401, 401]);
    const expired = await createKey(db, 'acme', { expiresAt: new Date(Date.now() - 1) });
    expect((await list(expired.api_key)).status).toBe(401);
    expect((await list(api.organization.api_key)).status).toBe(200);
  });

  test('a request whose key is revoked while its body arrives succeeds, and the next one does not', async () => {
    const { db } = api.store;
    const made = await createKey(db, 'acme', { name: 'leaves' });
    const port = Number(new URL(api.url).port);
    const socket = connect({ host: '127.0.0.1', port });
    const answer = text(socket);
    const head = `POST ${ADS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${made.api_key}\r\nConnection: close\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
    await eventually(async () => {
      const [row] = await db.selectFrom('api_keys').select('last_used_at').where('id', '=', made.id).execute();
      expect(row?.last_used_at).not.toBeNull();
    });
    await endKey(db, 'acme', made.id);
    socket.write(body);
    expect(await answer).toMatch(/^HTTP\/1.1 201 /);
    expect((await post(made.api_key)).status).toBe(401);
  });

  test('a key is shown once, and neither the list nor the database contains it', async () => {
    const made = await createKey(api.store.db, 'acme');
    const secret = made.api_key.slice(17);
    expect(secret).toHaveLength(43);
    const { rows } = await api.store.pool.query('select row_to_json(k)::text as row from api_keys k');
    const listed = JSON.stringify([rows, (await api.get('keys')).json]);
    expect([listed.includes(made.id), listed.includes(secret)]).toEqual([true, false]);
  });

  test('a key of another organization and an unknown organization get the same 404', async () => {
    for (const [method, path] of ROUTES) {
      const ask = (slug: string, authorization: string) =>
        api.send({ method, path: `/api/v1/orgs/${slug}/${path}`, headers: { authorization } });
      const [foreign, unknown] = [await ask('acme', otherKey), await ask('nobody', otherKey)];
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      const [own, other] = [foreign, unknown].map(({ json }) => ({ ...json, request_id: '' }));
      expect(own).toEqual(other);
      expect(Object.keys(foreign.json.errors)).toEqual(['organization_slug']);
    }
  });

  test.each(['ACME', '%00', 'a'.repeat(200), '..%2f', '%F0%9F%98%80'])(
    'an organization %s is unknown',
    async (slug) => {
      expect((await post(api.organization.api_key, slug)).status).toBe(404);
    },
  );
});

describe('a disabled organization', () => {
  test('a disabled organization gets 403 on every route, after the key and before the body, until it is enabled', async () => {
    const { db } = api.store;
    await createOrganization(db, { slug: 'closed' });
    const { api_key } = await createKey(db, 'closed');
    expect((await post(api_key, 'closed')).status).toBe(201);
    await setDisabled(db, 'closed', true);
    expect((await post(api_key, 'closed')).status).toBe(403);
    for (const [method, path] of ROUTES) {
      const headers = { authorization: api_key, 'content-type': 'text/plain' };
      const sent = { method, path: `/api/v1/orgs/closed/${path}`, headers };
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const reply = await api.send(hasBody ? { ...sent, body: '{broken' } : sent);
      expect([reply.status, reply.json]).toEqual([
        403,
        {
          status: 'failure',
          code: 'organization_disabled',
          request_id: reply.headers['x-request-id'],
          errors: {
            organization: [
              'Your organization is disabled. Upgrade to keep using the API: https://shots.example/o/closed/billing',
            ],
          },
        },
      ]);
    }
    expect((await post(`${api_key.slice(0, -4)}AAAA`, 'closed')).status).toBe(401);
    await setDisabled(db, 'closed', false);
    expect((await post(api_key, 'closed')).status).toBe(201);
  });
});

describe('the order of the checks', () => {
  test('the API checks the key, the organization, the scope, whether it is disabled, and the body, in this order', async () => {
    const { db } = api.store;
    await createOrganization(db, { slug: 'ordered' });
    const reader = await createKey(db, 'ordered', { scopes: ['read'] });
    const writer = await createKey(db, 'ordered', { scopes: ['write'] });
    await setDisabled(db, 'ordered', true);
    expect((await post('nonsense', 'nobody', '{')).status).toBe(401);
    expect((await post(reader.api_key, 'acme', '{')).status).toBe(404);
    expect(Object.keys((await post(reader.api_key, 'ordered', '{')).json.errors)).toEqual(['authorization']);
    expect(Object.keys((await post(writer.api_key, 'ordered', '{')).json.errors)).toEqual(['organization']);
    await setDisabled(db, 'ordered', false);
    expect((await post(writer.api_key, 'ordered', '{')).status).toBe(400);
  });
});

test.each([
  ['GET', 'connectors/%00'],
  ['DELETE', 'connectors/%00'],
  ['DELETE', 'keys/%00'],
  ['DELETE', 'uploads/a%00b'],
  ['DELETE', 'webhook_endpoints/%00'],
  ['GET', 'ads/x'],
  ['GET', 'screenshot_sets/x'],
])('%s %s answers 404, because no object can have such an id or name', async (method, path) => {
  const headers = { authorization: `Bearer ${api.organization.api_key}` };
  const reply = await api.send({ method, path: `/api/v1/orgs/acme/${path}`, headers });
  expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
});

test('a request with two Host headers is refused, because a proxy could read the other one', async () => {
  const port = Number(new URL(api.url).port);
  const answer = await rawExchange(port, 'GET /openapi.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 400 .*"code":"malformed".*must be sent once/s);
});
