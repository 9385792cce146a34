import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage, readSearchPage } from '../../db/listPage.ts';
import type { AdRow } from '../../db/rows.ts';
import { type AdFilter, isInAdList, wordsOfAds } from './adFilter.ts';
import { AD_COLUMNS } from './readAd.ts';

/** Newest first. */
export async function listAds(db: Queryable, filter: AdFilter, page: Page): Promise<ListPage<AdRow>> {
  const words = wordsOfAds(filter);
  const where = isInAdList(filter);
  if (words === undefined) {
    const list = db.selectFrom('ads').where(where).select(AD_COLUMNS);
    return readListPage(db, list.orderBy('ads.created_at', 'desc').orderBy('ads.id'), page);
  }
  const columns = sql.join(AD_COLUMNS.map((name) => sql.ref(name)));
  return readSearchPage(db, { table: 'ads', columns, where, words, order: sql`ads.created_at desc, ads.id` }, page);
}
