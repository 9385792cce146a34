import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRequestLimits, type RequestLimits } from '../../../../src/api/limits/requestLimits.ts';
import { createKey } from '../../../support/keys.ts';
import { exchange, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
/** Two processes on one database. */
let replicas: readonly string[];
beforeAll(async () => {
  api = await startPublicApi();
  replicas = await Promise.all([limits(), limits()].map((requestLimits) => api.startReplica({ requestLimits })));
});
afterAll(() => api.close());

const ADS = '/api/v1/orgs/acme/ads';
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** A token comes back only after 1,000 s. */
function limits(): RequestLimits {
  return createRequestLimits(api.store.db, { perSecond: 0.001, burst: 6 });
}

async function newKey(): Promise<string> {
  return (await createKey(api.store.db, 'acme')).api_key;
}

const get = (replica: number, key: string, path = `${ADS}/${NOBODY}`) =>
  exchange(replicas[replica] ?? '', { path, headers: { authorization: key } });

test('two processes share the limit of a key, and other keys are not affected', async () => {
  const key = await newKey();
  const replies = [];
  for (let i = 0; i < 8; i++) replies.push(await get(i % 2, key));
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 429, 429]);
  const left = replies.map(({ headers }) => /^"default";r=(\d);t=(\d+)$/.exec(String(headers['ratelimit'])));
  expect(left.map((limit) => limit?.[1])).toEqual(['5', '4', '3', '2', '1', '0', '0', '0']);
  expect(replies[6]?.headers['ratelimit-policy']).toBe('"default";q=6;w=6000');
  expect(replies[6]?.headers['retry-after']).toBe(left[6]?.[2]);
  expect(replies[6]?.json).toMatchObject({ code: 'rate_limited', errors: { rate_limit: [expect.any(String)] } });
  expect((await get(0, await newKey())).status).toBe(404);
});

test('a list costs more than an object', async () => {
  const key = await newKey();
  const replies = [];
  for (let i = 0; i < 4; i++) replies.push(await get(i % 2, key, ADS));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
});

test('a request for many pictures costs more than one for few, and stores nothing over the limit', async () => {
  const key = await newKey();
  const request = (pictures: number) => {
    const screenshots = Array.from({ length: pictures }, (_, i) => ({
      site: { url: `https://site-${i}.example/` },
      device: { name: 'desktop' },
    }));
    const ad = { name: 'a', media: { type: 'url', content: 'https://cdn.example/a.png' } };
    const body = JSON.stringify({ campaign: { name: 'C' }, screenshot_requests: [{ ad, screenshots }] });
    const headers = { authorization: key, 'content-type': 'application/json' };
    return exchange(replicas[0] ?? '', {
      method: 'POST',
      path: ADS.replace('ads', 'screenshot_requests'),
      headers,
      body,
    });
  };
  const few = await request(2);
  expect([few.status, few.headers['ratelimit']?.slice(0, 13)]).toEqual([202, '"default";r=5']);
  const sets = await api.count('screenshot_sets');
  expect((await request(50)).status).toBe(429);
  expect(await api.count('screenshot_sets')).toBe(sets);
  expect((await request(20)).status).toBe(202);
});

test('an invalid request for many pictures costs as much as a valid one', async () => {
  const screenshots = Array.from({ length: 60 }, () => ({ device: { name: 'fridge' } }));
  const body = JSON.stringify({ screenshot_requests: [{ screenshots }] });
  const headers = { authorization: await newKey(), 'content-type': 'application/json' };
  const send = () =>
    exchange(replicas[0] ?? '', {
      ...{ method: 'POST', path: ADS.replace('ads', 'screenshot_requests'), headers, body },
    });
  const reply = await send();
  expect([reply.status, reply.headers['ratelimit']?.slice(0, 13)]).toEqual([429, '"default";r=5']);
});

test('the bytes of JSON that an organization sends are counted before they are parsed', async () => {
  const counted: number[] = [];
  const takeBytes = (_organization: string, bytes: number) => void counted.push(bytes);
  const url = await api.startReplica({ requestLimits: { take: () => Promise.resolve(), takeBytes } });
  const headers = { authorization: await newKey(), 'content-type': 'application/json' };
  const { status } = await exchange(url, { method: 'POST', path: ADS, headers, body: '{"campaign":' });
  expect([status, counted]).toEqual([400, [12]]);
});

test('an organization that sends too many bytes of JSON gets 429 with Retry-After', () => {
  const { takeBytes } = limits();
  const response = {} as Parameters<typeof takeBytes>[2];
  const send = (organization: string) => takeBytes(organization, 8 * 1024 * 1024, response);
  for (let i = 0; i < 4; i++) send('one');
  expect(() => send('one')).toThrow(expect.objectContaining({ status: 429, headers: { 'Retry-After': '8' } }));
  send('another');
});

test('JSON and event streams of pages take tokens of the key, and answer 429 as JSON', async () => {
  const key = await newKey();
  const requestLimits = limits();
  const url = await api.startReplica({ requestLimits }, { withPages: true });
  const ask = (end: string) =>
    exchange(url, { path: `/o/acme/screenshot_sets/${NOBODY}${end}`, headers: { authorization: key } });
  expect((await ask('.json')).headers['ratelimit']?.slice(0, 13)).toBe('"default";r=5');
  expect((await ask('/events')).headers['ratelimit']?.slice(0, 13)).toBe('"default";r=3');
  expect((await get(0, key, ADS)).status).toBe(200);
  expect((await ask('')).headers['ratelimit']?.slice(0, 13)).toBe('"default";r=0');
  for (const end of ['.json', '/events']) {
    const { status, json } = await ask(end);
    expect([status, json?.code]).toEqual([429, 'rate_limited']);
  }
  const page = await ask('');
  expect([page.status, page.text.includes('Too many requests')]).toEqual([429, true]);
});
