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
  expect(replies.map(({ headers }) => headers['ratelimit'])).toEqual([
    '"default";r=2;t=1000',
    '"default";r=1;t=2000',
    '"default";r=0;t=3000',
    expect.stringMatching(/^"default";r=0;t=(999|1000)$/),
  ]);
  expect(replies[3]?.headers['ratelimit-policy']).toBe('"default";q=3;w=3000');
  expect(replies[3]?.headers['retry-after']).toMatch(/^(999|1000)$/);
  expect(replies[3]?.json).toMatchObject({ status: 'failure', errors: { rate_limit: [expect.any(String)] } });
  const { api_key } = await createKey(api.store.db, 'acme');
  const other = await api.send({ path: '/api/v1/orgs/acme/ads', headers: { authorization: api_key } });
  expect(other.status).toBe(200);
});
