import type { Queryable } from '../database/database.ts';
import { type ListPage, type Page, readListPage } from '../database/listPage.ts';
import type { AdRow } from '../database/rows.ts';
import { type AdFilter, isWantedAd } from './adFilter.ts';
import { AD_COLUMNS } from './readAd.ts';

/** Newest first. */
export async function listAds(db: Queryable, filter: AdFilter, page: Page): Promise<ListPage<AdRow>> {
  const matching = db.selectFrom('ads').where(isWantedAd(filter));
  const rows = matching.select(AD_COLUMNS).orderBy('ads.created_at', 'desc').orderBy('ads.id');
  return readListPage(db, rows, page);
}
