import type { Selectable } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { type ListPage, type Page, readListPage } from '../database/listPage.ts';
import type { CampaignTable } from '../database/schema.ts';
import { type CampaignFilter, isWantedCampaign } from './campaignFilter.ts';

/** Newest first. */
export async function listCampaigns(
  db: Queryable,
  filter: CampaignFilter,
  page: Page,
): Promise<ListPage<Selectable<CampaignTable>>> {
  const matching = db.selectFrom('campaigns').where(isWantedCampaign(filter));
  const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('id');
  return readListPage(db, rows, page);
}
