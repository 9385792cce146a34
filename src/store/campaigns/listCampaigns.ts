import type { Selectable } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/page.ts';
import type { CampaignTable } from '../database/schema.ts';

/** Newest first; of that exact name only where one is given. */
export async function listCampaigns(
  db: Queryable,
  filter: { organizationId: string; name?: string | undefined },
  page: Page,
): Promise<ListPage<Selectable<CampaignTable>>> {
  const matching = db
    .selectFrom('campaigns')
    .where('organization_id', '=', filter.organizationId)
    .$if(filter.name !== undefined, (q) => q.where('name', '=', filter.name ?? ''));
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
