import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestEntries } from '../../../../src/contract/requestEntries.ts';
import { readMediaPlan } from '../../../../src/core/mediaPlans/mediaPlan.ts';
import { tableOfText } from '../../../../src/core/mediaPlans/readTable.ts';
import { planCombinations } from '../../../../src/domain/combinations.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

async function newAd(name: string, [width, height]: readonly [number, number], lookup_key: string | null = null) {
  const ad = { name, lookup_key, size: { width, height }, media: { type: 'url', content: 'https://ads.example/a' } };
  const { json } = await api.post('ads', { campaign: { name: 'Spring' }, ad });
  return json.id as string;
}

test('the newest ad of a name in any case counts', async () => {
  for (const [name, key] of [['Twice.png'], ['TWICE.PNG', 'key of twice'], ['twice.png']] as const)
    await newAd(name, [300, 250], key ?? null);
  const newest = await newAd('Twice.png', [300, 250]);
  const table = tableOfText('Ad,Site\ntwice,news.example\nTwice.PNG,news.example\n');
  const organizationId = (await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()).id;
  const plan = await readMediaPlan(api.store.db, {
    organizationId,
    table,
    adIds: [],
    devices: ['desktop'],
    markers: [],
  });
  expect([plan.combinations.map(({ ad }) => ad.id), plan.faults]).toEqual([[newest, newest], []]);
});

test('a media plan finds ads of the organization and becomes a request of exactly its rows', async () => {
  const half = await newAd('Spring_300x600.png', [300, 600]);
  const board = await newAd('Billboard', [970, 250], 'board-1');
  await newAd('Spring_300x600.zip', [300, 600]);
  const text = [
    'Creative,Site URL,Device,Size,Second',
    'Spring_300x600.png,news.example,Desktop,300x600,',
    'board-1,news.example,Desktop & Mobile,,1.5',
    `${half},https://blog.example/a,1600x900,,`,
    'Gone,news.example,Desktop,,',
  ].join('\n');
  const organizationId = (await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()).id;
  const context = { organizationId, adIds: [half], devices: ['desktop'], markers: [] } as const;
  const { combinations, faults } = await readMediaPlan(api.store.db, { ...context, table: tableOfText(text) });
  expect(faults.map(({ row, column }) => [row, column])).toEqual([[4, 0]]);
  const planned = planCombinations(combinations);
  expect(planned.notFitting).toBe(1);
  const body = { campaign: { name: 'Spring' }, screenshot_requests: requestEntries(planned.combinations) };
  const reply = await api.post('screenshot_requests', body);
  const set = await api.get(`screenshot_sets/${reply.json.id}`);
  const shown = set.json.screenshots.map(({ ad, site, device, frame }: never) => ({ ad, site, device, frame }));
  const own = { width: 1600, height: 900, ratio: 1, touch: false };
  expect(shown).toMatchObject([
    { ad: { id: half }, site: { url: 'news.example' }, device: { name: 'desktop' }, frame: { marker: null } },
    { ad: { id: half }, device: { name: 'Own device 1600 x 900, 1x', ...own } },
    { ad: { id: board }, device: { name: 'desktop' }, frame: { marker: 1.5 } },
  ]);
  expect(set.json.screenshots).toHaveLength(3);
  const plain = readMediaPlan(api.store.db, { ...context, table: tableOfText('news.example') });
  await expect(plain).rejects.toMatchObject({
    errors: { plan: [expect.stringContaining('No row names the columns')] },
  });
});
