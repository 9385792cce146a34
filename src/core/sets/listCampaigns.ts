import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage, readSearchPage } from '../../db/listPage.ts';
import type { Row } from '../../db/rows.ts';
import { type CampaignFilter, isInCampaignList, wordsOfCampaigns } from './campaignFilter.ts';

/** Newest first. */
export async function listCampaigns(
  db: Queryable,
  filter: CampaignFilter,
  page: Page,
): Promise<ListPage<Row<'campaigns'>>> {
  const words = wordsOfCampaigns(filter);
  const where = isInCampaignList(filter);
  if (words === undefined) {
    const list = db.selectFrom('campaigns').where(where).selectAll();
    return readListPage(db, list.orderBy('created_at', 'desc').orderBy('id'), page);
  }
  const order = sql`campaigns.created_at desc, campaigns.id`;
  return readSearchPage(db, { table: 'campaigns', columns: sql`campaigns.*`, where, words, order }, page);
}
