/** A page of a list must not read all rows of an organization, whatever a person filters by. */
import { describe, expect, test } from 'vitest';
import { listAds } from '../../../src/core/ads/listAds.ts';
import { listCampaigns, withCounts } from '../../../src/core/sets/campaigns.ts';
import { isWantedSet, listSets, type SetFilter, withPreviews } from '../../../src/core/sets/listSets.ts';
import type { ListPage, Page } from '../../../src/db/list.ts';
import type { RowCounter } from '../../support/rowCounter.ts';
import { storedId } from '../../support/storedSets.ts';

/** A page has 25 rows with up to 100 screenshots each for their sites; a search may sort some hundred matches. */
const ROWS_MOST = 2_000;

const page = { page: 1, perPage: 25 };
const campaignId = storedId('c', 1);

/** In a page of 25: words of all, of none, of one, of some, of more than the index of words gives, and only of old ones. */
const TEXTS = ['banner', 'zebra', 'b19999', 'b1999', 'b1', 'c77', 'spring b1', 'b19'];

interface Filled {
  readonly db: RowCounter['db'];
  readonly mostRowsRead: RowCounter['mostRowsRead'];
  /** Has all stored sets. */
  readonly organizationId: string;
  readonly sets: number;
  /** Has none. */
  readonly smallOrganizationId: string;
}

export function testListPlans({ db, mostRowsRead, organizationId, sets: count, smallOrganizationId }: Filled): void {
  const middle = new Date(Date.now() - 10_000_000);
  const sets = (filter: Omit<SetFilter, 'organizationId'>) => async () =>
    withPreviews(db, (await listSets(db, { organizationId, ...filter }, page)).rows);

  describe('a list page of an organization with 20,000 sets', () => {
    test.each([
      ['all', sets({})],
      ['oldest first', sets({ sort: 'oldest' })],
      ['from the middle on', sets({ to: middle })],
      ['the third page', async () => listSets(db, { organizationId }, { ...page, page: 3 })],
      ['a rare status', sets({ status: 'in_review' })],
      ['a status that no set has', sets({ status: 'rejected' })],
      ['a campaign', sets({ campaignId })],
      ['a word that all have', sets({ text: 'banner' })],
      ['a word that one has', sets({ text: 'b19999' })],
      ['a word that none has', sets({ text: 'zebra' })],
      ['the beginning of a word', sets({ text: 'b1999' })],
      ['common and rare words', sets({ text: 'campaign b777 example' })],
      ['a device that all have', sets({ device: 'desktop' })],
      ['a device that none has', sets({ device: 'ipad' })],
      ['a site', sets({ site: 'site7.example' })],
      ['metadata that all have', sets({ metadata: { team: 'all' } })],
      ['metadata that one has', sets({ metadata: { team: 'all', order: '19999' } })],
      ['metadata that none has', sets({ metadata: { order: 'x' } })],
      [
        'everything at once',
        sets({ status: 'in_review', text: 'banner', device: 'mobile', from: new Date(0), to: new Date() }),
      ],
      ['days without sets', sets({ to: new Date('2020-01-01') })],
    ])('of sets reads few rows: %s', async (_name, read) => {
      expect(await mostRowsRead(read)).toBeLessThan(ROWS_MOST);
    });

    const ads = (filter: object) => () => listAds(db, { organizationId, ...filter }, page);
    test.each([
      ['all', ads({})],
      ['by name', ads({ sort: 'name' })],
      ['a rare status', ads({ status: 'not_found' })],
      ['metadata that all have', ads({ metadata: { team: 'all' } })],
      ['metadata that one has', ads({ metadata: { team: 'all', order: '19999' } })],
      ['metadata that none has', ads({ metadata: { order: 'x' } })],
      ['a status that no ad has', ads({ status: 'generic_error' })],
      ['a campaign', ads({ campaignId })],
      ['a word that all have', ads({ text: 'banner' })],
      ['a lookup key', ads({ text: 'key-19999' })],
    ])('of ads reads few rows: %s', async (_name, read) => {
      expect(await mostRowsRead(read)).toBeLessThan(ROWS_MOST);
    });

    const campaigns = (sort: 'active' | 'newest' | 'name', text?: string) => async () =>
      withCounts(db, (await listCampaigns(db, { organizationId, text, sort }, page)).rows);
    test.each([
      ['by activity', campaigns('active')],
      ['by time', campaigns('newest')],
      ['by name', campaigns('name')],
      ['a word', campaigns('active', '777')],
    ])('of campaigns reads few rows: %s', async (_name, read) => {
      // The counts of 25 campaigns with 20 sets and 20 ads each, through a bitmap.
      expect(await mostRowsRead(read)).toBeLessThan(2 * ROWS_MOST);
    });

    test('of the small organization reads few rows', async () => {
      const read = () => listSets(db, { organizationId: smallOrganizationId, device: 'desktop' }, page);
      expect(await mostRowsRead(read)).toBeLessThan(ROWS_MOST);
    });
  });

  describe('a search in an organization with 20,000 sets', () => {
    const lists: Readonly<Record<string, (text: string, page: Page) => Promise<ListPage<{ id: string }>>>> = {
      sets: (text, at) => listSets(db, { organizationId, text }, at),
      ads: (text, at) => listAds(db, { organizationId, text: text.replace('b1', '1').replace('c77', 'key 77') }, at),
      campaigns: (text, at) => listCampaigns(db, { organizationId, text: text.replace('b1', '1') }, at),
    };
    const searches = Object.entries(lists).flatMap(([name, list]) => TEXTS.map((text) => [name, text, list] as const));

    test.each(searches)('of %s reads few rows: %s', async (_name, text, list) => {
      // A small table may be read to its end for words of a few hundred sets.
      const most = ['b1', 'c77', 'b19'].includes(text) ? 1.2 * count : ROWS_MOST;
      expect(await mostRowsRead(() => list(text, { page: 1, perPage: 25 }))).toBeLessThan(most);
    });

    test.each([
      ...TEXTS.map((text) => ({ text })),
      { text: 'b1', status: 'in_review' as const },
      { text: 'b1', campaignId },
      { text: 'b1', after: { value: middle.toISOString(), id: organizationId } },
      { text: 'b1999', from: new Date(Date.now() - 19_995_000) },
    ])('finds the same sets as a look at every set: %o', async (filter) => {
      const conditions = isWantedSet({ organizationId, ...filter });
      const every = await db
        .selectFrom('screenshot_sets')
        .select('id')
        .where(conditions)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      for (const [page, perPage] of [
        [1, 25],
        [2, 25],
        [3, 4],
        [400, 25],
      ] as const) {
        const { rows, total } = await listSets(db, { organizationId, ...filter }, { page, perPage });
        const expected = every.slice((page - 1) * perPage, page * perPage);
        expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        // It says whether another page follows.
        if (rows.length > 0) expect(total > page * perPage).toBe(every.length > page * perPage);
        expect(total).toBeLessThanOrEqual(every.length);
      }
    });
  });
}
