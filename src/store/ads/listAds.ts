import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/listPage.ts';
import type { AdRow } from '../database/rows.ts';
import { type AdFilter, isWantedAd } from './adFilter.ts';
import { AD_COLUMNS } from './readAd.ts';

/** Newest first. */
export async function listAds(db: Queryable, filter: AdFilter, page: Page): Promise<ListPage<AdRow>> {
  const matching = db.selectFrom('ads').where(isWantedAd(filter));
  const { total } = await matching.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .select(AD_COLUMNS)
    .orderBy('ads.created_at', 'desc')
    .orderBy('ads.id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return { rows, total: Number(total) };
}
