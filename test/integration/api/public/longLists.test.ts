import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { fillDatabase } from '../../../support/storedSets.ts';

/** More than a total counts. */
const SETS = 1_100;
const NOBODY = '00000000-0000-4000-8000-000000000000';
let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
  const { id } = await api.store.db
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow();
  await fillDatabase(api.store.pool, id, { sets: SETS, screenshotsPerSet: 2, setsPerCampaign: 100 });
});
afterAll(() => api.close());

const days = 'from=2020-01-01';
const LISTS = [
  'ads?',
  'ads?status=not_found&',
  'campaigns?',
  'screenshot_sets?',
  'screenshot_sets?q=banner&',
  `screenshots?${days}&`,
  `screenshots?${days}&order=asc&`,
  'uploads?',
  'events?topic=ad.uploaded&',
  'deliveries?status=retries_exhausted&',
];

test.each(LISTS)('with after, a client reads each object of %s once and in order', async (list) => {
  const { data } = (await api.get(`${list}per_page=500`)).json;
  const read: string[] = [];
  for (let after = ''; read.length < data.length; after = `&after=${read.at(-1)}`) {
    const page = (await api.get(`${list}per_page=180${after}`)).json.data;
    if (page.length === 0) break;
    read.push(...page.map(({ id }: Json) => id));
  }
  expect(data.length).toBeGreaterThan(1);
  expect(read.slice(0, data.length)).toEqual(data.map(({ id }: Json) => id));
});

test.each(LISTS)('an id that is not in %s is no place to begin after', async (list) => {
  const id = list.startsWith('events') ? `evt_${NOBODY}` : NOBODY;
  const reply = await api.get(`${list}after=${id}`);
  expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['after']]);
  expect((await api.get(`${list}after=x`)).status).toBe(422);
});

test('a short list has its exact total on every page, and total counts what follows after an object', async () => {
  const total = async (query: string) => (await api.get(`campaigns?${query}`)).json.total;
  expect(await total('')).toBe(11);
  expect(await total('per_page=4&page=2')).toBe(11);
  expect(await total('per_page=4&page=9')).toBe(11);
  const { data } = (await api.get('campaigns?')).json;
  expect(await total(`per_page=2&after=${data[4].id}`)).toBe(6);
});

test('the total of a long list says that there is another page until there is none', async () => {
  const page = async (number: number) => (await api.get(`ads?per_page=500&page=${number}`)).json;
  expect(await page(1)).toMatchObject({ total: 1_000 });
  expect(await page(2)).toMatchObject({ total: 1_001 });
  expect(await page(3)).toMatchObject({ total: SETS });
  expect((await page(3)).data.length).toBe(100);
});
