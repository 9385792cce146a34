/** Requests of pages on other origins. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const APP = 'https://app.example';
let closed: TestApi;
let open: TestApi;
beforeAll(async () => {
  closed = await startPublicApi();
  open = await startPublicApi({ corsOrigins: [APP] });
});
afterAll(async () => {
  await closed.close();
  await open.close();
});

const corsHeaders = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));

function preflight(api: TestApi, origin: string) {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  };
  return api.send({ method: 'OPTIONS', path: '/api/v1/orgs/acme/ads', headers });
}

function read(api: TestApi, origin: string) {
  const authorization = `Bearer ${api.organization.api_key}`;
  return api.send({ path: '/api/v1/orgs/acme/ads', headers: { authorization, origin } });
}

test('a preflight request of an origin that is not allowed gets 403 with the reason', async () => {
  for (const [api, origin] of [
    [closed, APP],
    [open, 'https://app.example.evil'],
    [open, 'http://app.example'],
    [open, 'null'],
  ] as const) {
    const { status, json, headers } = await preflight(api, origin);
    expect([status, json.code, Object.keys(json.errors)], origin).toEqual([403, 'forbidden', ['origin']]);
    expect(json.errors.origin[0]).toContain('CORS_ORIGINS');
    expect([corsHeaders(headers), headers.vary], origin).toEqual([[], 'Origin']);
  }
});

test('a preflight request of an allowed origin gets the methods and headers of the API, and no credentials', async () => {
  const { status, text, headers } = await preflight(open, APP);
  expect([status, text]).toEqual([204, '']);
  expect(headers).toMatchObject({
    'access-control-allow-origin': APP,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    vary: 'Origin',
  });
  for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match', 'Prefer'])
    expect(headers['access-control-allow-headers']).toContain(name);
  expect(headers['access-control-allow-credentials']).toBeUndefined();
});

test('only an allowed origin can read answers, also those that are failures', async () => {
  const allowed = await read(open, APP);
  expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([200, APP]);
  expect(allowed.headers['access-control-expose-headers']).toContain('Retry-After');
  const failed = await open.send({ path: '/api/v1/orgs/acme/ads', headers: { origin: APP } });
  expect([failed.status, failed.headers['access-control-allow-origin']]).toEqual([401, APP]);
  for (const [api, origin] of [
    [closed, APP],
    [open, 'https://other.example'],
  ] as const) {
    const { status, headers } = await read(api, origin);
    expect([status, corsHeaders(headers)], origin).toEqual([200, []]);
    expect(headers.vary).toContain('Origin');
  }
});

test('OPTIONS without an origin still answers with the methods of the path', async () => {
  const { status, headers } = await open.send({ method: 'OPTIONS', path: '/api/v1/orgs/acme/ads' });
  expect([status, headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
});
