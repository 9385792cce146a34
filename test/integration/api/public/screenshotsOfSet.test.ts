/** GET …/screenshot_sets/{id}/screenshots, and the cost of reading a whole set. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
let set: Json;
beforeAll(async () => {
  api = await startPublicApi();
  set = await newSet(25);
});
afterAll(() => api.close());

async function newSet(count: number): Promise<Json> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const screenshots = Array.from({ length: count }, (_, at) => ({
    ...{ site: { url: `https://news${at}.example` }, device: { name: 'desktop' } },
  }));
  const body = { campaign: { name: 'Paged' }, screenshot_requests: [{ ad: { media }, screenshots }] };
  const { id } = (await api.post('screenshot_requests', body)).json;
  return (await api.get(`screenshot_sets/${id}`)).json;
}

test('the pages together are the screenshots of the set', async () => {
  const path = `screenshot_sets/${set.id}/screenshots`;
  const pages = await Promise.all([1, 2, 3].map((page) => api.get(`${path}?per_page=10&page=${page}`)));
  expect(pages.map(({ json }) => [json.total, json.data.length])).toEqual([
    [25, 10],
    [25, 10],
    [25, 5],
  ]);
  expect(pages.flatMap(({ json }) => json.data)).toEqual(set.screenshots);
  const after = await api.get(`${path}?per_page=10&after=${set.screenshots[19].id}`);
  expect(after.json.data).toEqual(set.screenshots.slice(20));
});

test('a page after a screenshot of another set, or of a set that does not exist, is rejected', async () => {
  const other = await newSet(1);
  const wrong = await api.get(`screenshot_sets/${set.id}/screenshots?after=${other.screenshots[0].id}`);
  expect([wrong.status, Object.keys(wrong.json.errors)]).toEqual([422, ['after']]);
  expect((await api.get('screenshot_sets/00000000-0000-4000-8000-000000000000/screenshots')).status).toBe(404);
});

test('a whole set costs a token for each ten screenshots, unless it is unchanged', async () => {
  const taken: number[] = [];
  const limited = await startPublicApi({
    requestLimits: { take: async (_key: string, cost: number) => void taken.push(cost), takeBytes: () => undefined },
  });
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const screenshots = set.screenshots.map(({ site, device }: Json) => ({ site, device }));
  const body = { campaign: { name: 'Paged' }, screenshot_requests: [{ ad: { media }, screenshots }] };
  const { id } = (await limited.post('screenshot_requests', body)).json;
  taken.length = 0;
  const { headers } = await limited.get(`screenshot_sets/${id}`);
  expect(taken).toEqual([1, 2]);
  taken.length = 0;
  const tag = { authorization: `Bearer ${limited.organization.api_key}`, 'if-none-match': headers.etag ?? '' };
  const again = await limited.send({ path: `/api/v1/orgs/acme/screenshot_sets/${id}`, headers: tag });
  expect([again.status, taken]).toEqual([304, [1]]);
  await limited.close();
});
