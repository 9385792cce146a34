import type { Selectable } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/listPage.ts';
import type { CampaignTable } from '../database/schema.ts';
import { type CampaignFilter, isWantedCampaign } from './campaignFilter.ts';

/** Newest first. */
export async function listCampaigns(
  db: Queryable,
  filter: CampaignFilter,
  page: Page,
): Promise<ListPage<Selectable<CampaignTable>>> {
  const matching = db.selectFrom('campaigns').where(isWantedCampaign(filter));
  const { total } = await matching.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return { rows, total: Number(total) };
}
