/** The steps of the removal must not become slower with the number of objects that stay, or that were removed before. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Queryable, Store } from '../../../src/store/database/database.ts';
import { havingOld, markOldDrafts } from '../../../src/store/removal/oldRows.ts';
import { claimRemovedAd, markAdsOfCampaign } from '../../../src/store/removal/removedAds.ts';
import { isCaptured } from '../../../src/store/removal/removedCampaigns.ts';
import { markSetsOfCampaign } from '../../../src/store/removal/removedSets.ts';
import { insertOrganization, type TestOrganization } from '../../support/insertRows.ts';
import { testStore } from '../../support/testStore.ts';

let store: Store;
let organization: TestOrganization;
const COUNT = 5_000;

beforeEach(async () => {
  store = await testStore();
  organization = await insertOrganization(store.db);
  const { id, campaignId } = organization;
  await sql`insert into screenshot_sets (id, organization_id, campaign_id, status, removed_at, emptied_at)
    select gen_random_uuid(), ${id}::uuid, ${campaignId}::uuid, 'approved', now(), now()
    from generate_series(1, ${COUNT}::integer)`.execute(store.db);
  await sql`insert into ads (id, organization_id, campaign_id, source, content, name, kind, status)
    select gen_random_uuid(), ${id}::uuid, ${campaignId}::uuid, 'create_ad', 'fine', 'Ad', 'html_tag', 'uploaded'
    from generate_series(1, ${COUNT}::integer)`.execute(store.db);
  await sql`analyze`.execute(store.db);
});
afterEach(() => store.close());

/** @returns the rows of a table that the work reads. */
async function rowsRead(table: string, work: (tx: Queryable) => Promise<unknown>): Promise<number> {
  return store.db.transaction().execute(async (tx) => {
    await work(tx);
    const { rows } = await sql<{ read: string }>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = ${table}`.execute(
      tx,
    );
    return Number(rows[0]?.read);
  });
}

test('the search for a removed ad reads no ad that stays', async () => {
  expect(await rowsRead('ads', claimRemovedAd)).toBeLessThan(50);
});

test('a step of a removed campaign reads few sets that were removed before, and few ads', async () => {
  const { campaignId } = organization;
  expect(await rowsRead('screenshot_sets', (tx) => markSetsOfCampaign(tx, campaignId, 100))).toBeLessThan(500);
  expect(await rowsRead('ads', (tx) => markAdsOfCampaign(tx, campaignId, 100))).toBeLessThan(500);
});

test('a step of the retention reads few ads in the campaign of drafts that are too young', async () => {
  const { id: organizationId, campaignId } = organization;
  await sql`update campaigns set name = 'Drafts' where id = ${campaignId}`.execute(store.db);
  const step = { organizationId, days: 30, most: 100 };
  expect(await rowsRead('ads', (tx) => markOldDrafts(tx, step))).toBeLessThan(50);
  expect(await rowsRead('ads', (tx) => havingOld(tx, 'draft', [step]))).toBeLessThan(50);
});

test('whether a set of a campaign is captured is known without reading its other sets', async () => {
  expect(await rowsRead('screenshot_sets', (tx) => isCaptured(tx, organization.campaignId))).toBeLessThan(50);
});
