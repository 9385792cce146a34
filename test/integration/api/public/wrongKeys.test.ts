import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createKeyChecker } from '../../../../src/api/limits/keyChecker.ts';
import { eventually } from '../../../support/eventually.ts';
import { createKey } from '../../../support/keys.ts';
import { exchange, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const ADS = '/api/v1/orgs/acme/ads';
const WRONG = `ts_live_aaaaaaaa_${'b'.repeat(43)}`;

let api: TestApi;
/** Two processes behind a proxy. */
let replicas: readonly string[];
let outcomes: string[];

beforeEach(async () => {
  await api?.close();
  api = await startPublicApi();
  outcomes = [];
  replicas = await Promise.all([startReplica(), startReplica()]);
});
afterAll(() => api.close());

function startReplica(): Promise<string> {
  const { store } = api;
  // After three wrong keys, one more is looked up each 1,000 s.
  const wrongKeys = { perSecond: 0.001, burst: 3 };
  const keyChecker = createKeyChecker({ db: store.db, wrongKeys, observe: (outcome) => void outcomes.push(outcome) });
  return api.startReplica({ keyChecker, trustedProxies: 1 }, { withPages: true });
}

const get = (replica: number, key: string, address = '192.0.2.1', path = ADS) =>
  exchange(replicas[replica] ?? '', { path, headers: { authorization: key, 'x-forwarded-for': address } });

async function statuses(count: number, address?: string): Promise<number[]> {
  const replies = [];
  for (let i = 0; i < count; i++) replies.push(await get(0, WRONG, address));
  return replies.map(({ status }) => status);
}

test('after too many wrong keys the service looks up no more keys of the address', async () => {
  expect(await statuses(3)).toEqual([401, 401, 401]);
  // A look-up would now fail.
  await sql`alter table api_keys rename to hidden_keys`.execute(api.store.db);
  const reply = await get(0, WRONG);
  expect(reply.status).toBe(429);
  expect(reply.json).toMatchObject({
    code: 'rate_limited',
    errors: { authorization: [expect.stringContaining('wrong')] },
  });
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  expect(outcomes).toEqual(['wrong', 'wrong', 'wrong', 'blocked']);
});

test('other addresses are not affected, but addresses of one IPv6 network count together', async () => {
  expect(await statuses(4)).toEqual([401, 401, 401, 429]);
  expect((await get(0, WRONG, '192.0.2.2')).status).toBe(401);
  expect(await statuses(3, '2001:db8::1')).toEqual([401, 401, 401]);
  expect((await get(0, WRONG, '2001:db8::ffff:2')).status).toBe(429);
  expect((await get(0, WRONG, '2001:db8:0:1::1')).status).toBe(401);
});

test('a valid key that the process has seen works from a blocked address, and a new one does not', async () => {
  const key = api.organization.api_key;
  expect((await get(0, key, '192.0.2.9')).status).toBe(200);
  await statuses(5);
  expect((await get(0, key)).status).toBe(200);
  expect((await get(0, `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`)).status).toBe(429);
  const { api_key: fresh } = await createKey(api.store.db, 'acme');
  expect((await get(0, fresh)).status).toBe(429);
  expect((await get(1, fresh)).status).toBe(200);
});

test('a missing or malformed key does not count, because it costs no look-up', async () => {
  for (let i = 0; i < 10; i++) expect((await get(0, 'nonsense')).status).toBe(401);
  expect(outcomes).toEqual([]);
});

test('the pages and their sign-in count wrong keys, too', async () => {
  const signIn = () =>
    exchange(replicas[0] ?? '', {
      method: 'POST',
      path: '/o/acme/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '192.0.2.1' },
      body: new URLSearchParams({ key: WRONG }).toString(),
    });
  expect([await signIn(), await signIn()].map(({ status }) => status)).toEqual([200, 200]);
  const page = '/o/acme/screenshot_sets/00000000-0000-4000-8000-000000000000.json';
  expect((await get(0, WRONG, '192.0.2.1', page)).status).toBe(401);
  expect((await get(0, WRONG, '192.0.2.1', page)).json).toMatchObject({ code: 'rate_limited' });
  expect((await signIn()).status).toBe(429);
  // The service adds the entries after its answers.
  const refused = () =>
    api.store.db.selectFrom('audit_log').where('action', '=', 'session.refused').selectAll().execute();
  await eventually(async () => expect(await refused()).toHaveLength(2));
});
