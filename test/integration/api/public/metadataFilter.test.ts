/** Lists of ads and sets, filtered by metadata. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
  for (const metadata of [{ order: '1', team: 'a' }, { order: '2', team: 'a' }, { team: 'b' }, undefined, AWKWARD])
    await store(metadata);
});
afterAll(() => api.close());

const AWKWARD = { 'a]b': 'x&y', '%zz': 'Ö "quoted" \\', __proto__x: '', 'line item': '+1' };

async function store(metadata: object | undefined): Promise<void> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const screenshots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];
  const body = {
    campaign: { name: 'Metadata' },
    metadata,
    screenshot_requests: [{ ad: { media, metadata }, screenshots }],
  };
  const { status } = await api.post('screenshot_requests', body);
  expect(status).toBe(202);
}

const filter = (pairs: readonly (readonly [string, string])[]) =>
  new URLSearchParams(pairs.map(([key, value]) => [`metadata[${key}]`, value])).toString();

describe.each(['ads', 'screenshot_sets'])('the list of %s', (list) => {
  test.each([
    [
      [['team', 'a']],
      [
        { order: '2', team: 'a' },
        { order: '1', team: 'a' },
      ],
    ],
    [
      [
        ['team', 'a'],
        ['order', '1'],
      ],
      [{ order: '1', team: 'a' }],
    ],
    [[['team', 'b']], [{ team: 'b' }]],
    [[['team', 'c']], []],
    [
      [
        ['team', 'b'],
        ['order', '1'],
      ],
      [],
    ],
    [[['Team', 'a']], []],
    ...Object.entries(AWKWARD).map((pair) => [[pair], [AWKWARD]] as const),
  ] as const)('has only objects with all pairs of %j', async (pairs, expected) => {
    const { status, json } = await api.get(`${list}?${filter(pairs)}`);
    expect([status, json.data.map(({ metadata }: { metadata: object }) => metadata)]).toEqual([200, expected]);
    expect([json.total, json.request_warnings]).toEqual([expected.length, undefined]);
  });

  test('has no objects of another organization with the same pair', async () => {
    const other = await createOrganization(api.store.db, { slug: `other-${list.replace('_', '-')}` });
    const path = `/api/v1/orgs/other-${list.replace('_', '-')}/${list}?${filter([['team', 'a']])}`;
    const answer = await api.send({ path, headers: { authorization: other.api_key } });
    expect([answer.status, answer.json.data]).toEqual([200, []]);
  });

  test('works with another filter, and page by page', async () => {
    const query = filter([['team', 'a']]);
    expect((await api.get(`${list}?${query}&to=2020-01-01T00:00:00Z`)).json.total).toBe(0);
    const first = (await api.get(`${list}?${query}&per_page=1`)).json;
    const second = (await api.get(`${list}?${query}&per_page=1&after=${first.data[0].id}`)).json;
    expect([first.data[0].metadata.order, second.data[0].metadata.order]).toEqual(['2', '1']);
  });

  const four = filter(['a', 'b', 'c', 'd'].map((key) => [key, '1'] as const));
  test.each([
    [four, 'metadata', 'must have at most 3 pairs, but has 4.'],
    ['metadata=a', 'metadata', 'must be given as metadata[key]=value.'],
    ['metadata=a&metadata[b]=c', 'metadata', 'must be given as metadata[key]=value.'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a', 'must be given once.'],
    ['metadata[]=1', 'metadata', 'has a key that is not a text of 1 to 40 characters.'],
    [`metadata[${'k'.repeat(41)}]=1`, 'metadata', 'has a key that is not a text of 1 to 40 characters.'],
    [`metadata[a]=${'v'.repeat(501)}`, 'metadata.a', 'must be at most 500 characters, but has 501.'],
    ['metadata[a]=%00', 'metadata.a', expect.stringContaining('U+0000')],
  ])('rejects the filter %s', async (query, path, message) => {
    const { status, json } = await api.get(`${list}?${query}`);
    expect([status, json.errors]).toEqual([422, { [path]: [message] }]);
  });
});

test('a list without this filter names it as unknown', async () => {
  const { json } = await api.get('campaigns?metadata[a]=1');
  expect(json.request_warnings[0].path).toBe('metadata');
});
