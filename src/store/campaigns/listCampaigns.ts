import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/listPage.ts';
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

/** @returns names by id. */
export async function readCampaignNames(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('campaigns')
    .select(['id', 'name'])
    .where(sql<boolean>`id = any(${[...new Set(ids)]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}
