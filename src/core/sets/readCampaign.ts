import type { Selectable } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { CampaignTable } from '../../db/schema.ts';

/** @returns undefined if this organization has no such campaign. */
export async function readCampaign(
  db: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<Selectable<CampaignTable> | undefined> {
  return db
    .selectFrom('campaigns')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}
