/** How the API reads paths, queries and `Accept`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await startPublicApi();
  headers = { authorization: api.organization.api_key };
});
afterAll(() => api.close());

const ADS = '/api/v1/orgs/acme/ads';
const get = (path: string, more: Record<string, string> = {}) =>
  exchange(api.url, { path, headers: { ...headers, ...more } });

describe('wrong percent-encoding', () => {
  test.each([
    ['path', '/api/v1/orgs/acme/ads/%zz'],
    ['path', '/api/v1/orgs/%ff/ads'],
    ['path', '/api/%'],
    ['query', `${ADS}?lookup_key=%zz`],
    ['query', `${ADS}?lookup_key=%ff`],
    ['query', `${ADS}?lookup_key=50%`],
    ['query', `${ADS}?%c3=1`],
  ])('of the %s is rejected: %s', async (part, path) => {
    const { status, json } = await get(path);
    expect([status, json.code, Object.keys(json.errors)]).toEqual([400, 'malformed', [part]]);
    expect(json.request_id).toEqual(expect.any(String));
  });

  test('correct percent-encoding is read', async () => {
    expect((await get(`${ADS}?lookup_key=50%25%20%C3%A9+a`)).status).toBe(200);
    expect((await get('/api/v1/orgs/%61cme/ads')).status).toBe(200);
  });
});

describe('the spelling of a path', () => {
  test.each([
    [`${ADS}/`, 'Paths have no slash at their end.'],
    ['/API/v1/orgs/acme/ads', 'Paths are in lower case.'],
    ['/api/v1/Orgs/acme/ads', 'Paths are in lower case.'],
    ['/api/v1//orgs/acme/ads', 'See /docs'],
  ])('%s does not exist, and the answer says why', async (path, hint) => {
    const { status, json } = await get(path);
    expect([status, json.code]).toEqual([404, 'unknown_path']);
    expect(json.errors.path[0]).toContain(hint);
  });
});

test.each(['application/xml', 'text/html', 'image/png', 'application/json;version=2', 'nonsense', '*/*;q=0'])(
  'the answer is JSON, whatever Accept says: %s',
  async (accept) => {
    for (const [path, status] of [
      [ADS, 200],
      ['/api/v1/nothing', 404],
    ] as const) {
      const answer = await get(path, { accept });
      expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
    }
  },
);

test('every answer tells browsers to use https only if the service has an address with https', async () => {
  const plain = await startPublicApi({ publicUrl: 'http://shots.example' });
  const strictOf = async (url: string) =>
    (await exchange(url, { path: '/nowhere' })).headers['strict-transport-security'];
  expect([await strictOf(api.url), await strictOf(plain.url)]).toEqual(['max-age=31536000', undefined]);
  await plain.close();
});
