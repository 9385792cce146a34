/** The queries that the audit sends to PostgreSQL each minute must not become slower when the backlog grows. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failOrphanedAdsPage } from '../../../src/core/events/orphanedAds.ts';
import { organizationsWithBacklog } from '../../../src/core/jobs/backlog.ts';
import type { Queryable, Store } from '../../../src/db/database.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../support/insertRows.ts';
import { testStore } from '../../support/testStore.ts';

let store: Store;

beforeEach(async () => {
  store = await testStore();
});
afterEach(() => store.close());

const COUNT = 3_000;

async function insertManySets({ id, campaignId }: TestOrganization): Promise<void> {
  await sql`insert into screenshot_sets (id, organization_id, campaign_id)
    select gen_random_uuid(), ${id}::uuid, ${campaignId}::uuid from generate_series(1, ${COUNT}::integer)`.execute(
    store.db,
  );
}

async function insertManyAds({ id, campaignId }: TestOrganization): Promise<void> {
  await sql`insert into ads (id, organization_id, campaign_id, source, content, name, kind)
    select gen_random_uuid(), ${id}::uuid, ${campaignId}::uuid, 'create_ad', 'fine', 'Ad', 'html_tag'
    from generate_series(1, ${COUNT}::integer)`.execute(store.db);
}

/** Rows of a table that were read in this transaction. */
async function readOf(tx: Queryable, table: string): Promise<number> {
  const { rows } = await sql<{ read: string }>`
    select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = ${table}`.execute(
    tx,
  );
  return Number(rows[0]?.read);
}

test('The query for organizations with a backlog reads only a few rows of the backlog', async () => {
  const [flooding, quiet, idle] = [
    await insertOrganization(store.db),
    await insertOrganization(store.db),
    await insertOrganization(store.db),
  ];
  await insertManySets(flooding);
  await insertManyAds(flooding);
  await insertAd(store.db, quiet, { source: 'create_ad' });
  await sql`analyze`.execute(store.db);
  await store.db.transaction().execute(async (tx) => {
    const waiting = await organizationsWithBacklog(tx);
    expect(new Set(waiting)).toEqual(new Set([flooding.id, quiet.id]));
    expect(waiting).not.toContain(idle.id);
    for (const table of ['screenshot_sets', 'ads']) expect(await readOf(tx, table)).toBeLessThan(50);
  });
});

test('Pending ads are read page by page, and one page reads only its own rows', async () => {
  const organization = await insertOrganization(store.db);
  await insertManyAds(organization);
  await sql`analyze`.execute(store.db);
  await store.db.transaction().execute(async (tx) => {
    const about = { reason: 'It will not be captured.', size: 100 };
    const { failed, last } = await failOrphanedAdsPage(tx, { ...about, after: undefined }, AFTERMATH);
    expect(failed).toBe(0);
    expect(last).toBeDefined();
    expect(await readOf(tx, 'ads')).toBeLessThan(1_000);
  });
});

test('The audit reaches each orphaned ad, however many other pending ads come first', async () => {
  const organization = await insertOrganization(store.db);
  const shown = await Promise.all(Array.from({ length: 4 }, () => insertAd(store.db, organization)));
  await insertSet(store.db, organization, { pictures: shown.map((adId) => ({ adId })) });
  const forsaken = await Promise.all(Array.from({ length: 3 }, () => insertAd(store.db, organization)));
  let after: string | undefined;
  let pages = 0;
  let failed = 0;
  do {
    const page = await store.db
      .transaction()
      .execute((tx) => failOrphanedAdsPage(tx, { after, reason: 'Nothing captures it.', size: 2 }, AFTERMATH));
    after = page.last;
    failed += page.failed;
    pages += 1;
  } while (after !== undefined);
  expect([pages, failed]).toEqual([4, forsaken.length]);
  const rows = await store.db.selectFrom('ads').select('id').where('status', '=', 'generic_error').execute();
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(forsaken));
});

const AFTERMATH = { queue: { enqueue: async () => undefined }, publicUrl: 'http://127.0.0.1' };
