import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../../../src/store/organizations/apiKeys.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  // A token comes back only after 1,000 s.
  api = await startPublicApi({ rateLimit: { perSecond: 0.001, burst: 3 } });
});
afterAll(() => api.close());

test('after its burst a key gets 429 with Retry-After, and other keys are not affected', async () => {
  const replies = [await api.get('ads'), await api.get('ads'), await api.get('ads'), await api.get('ads')];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  const limits = replies.map(({ headers }) => /^"default";r=(\d);t=(\d+)$/.exec(String(headers['ratelimit'])));
  expect(limits.map((limit) => limit?.[1])).toEqual(['2', '1', '0', '0']);
  // Until the bucket is full, and after the rejection until the next token. Each second that the requests take is one less.
  const thousands = limits.map((limit) => Math.ceil(Number(limit?.[2]) / 1000));
  expect(thousands).toEqual([1, 2, 3, 1]);
  expect(replies[3]?.headers['ratelimit-policy']).toBe('"default";q=3;w=3000');
  expect(replies[3]?.headers['retry-after']).toBe(limits[3]?.[2]);
  expect(replies[3]?.json).toMatchObject({ status: 'failure', errors: { rate_limit: [expect.any(String)] } });
  const { api_key } = await createKey(api.store.db, 'acme');
  const other = await api.send({ path: '/api/v1/orgs/acme/ads', headers: { authorization: api_key } });
  expect(other.status).toBe(200);
});
