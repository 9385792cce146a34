import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/listPage.ts';
import type { AdRow } from '../database/rows.ts';
import { AD_COLUMNS } from './readAd.ts';

export interface AdFilter {
  readonly organizationId: string;
  readonly campaignId?: string | undefined;
  readonly lookupKey?: string | undefined;
}

/** Newest first. */
export async function listAds(db: Queryable, filter: AdFilter, page: Page): Promise<ListPage<AdRow>> {
  const matching = db
    .selectFrom('ads')
    .where('organization_id', '=', filter.organizationId)
    .$if(filter.campaignId !== undefined, (q) => q.where('campaign_id', '=', filter.campaignId ?? ''))
    .$if(filter.lookupKey !== undefined, (q) => q.where('lookup_key', '=', filter.lookupKey ?? ''));
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
