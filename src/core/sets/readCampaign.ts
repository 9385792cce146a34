import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';

/** @returns undefined if this organization has no such campaign. */
export async function readCampaign(
  db: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<Row<'campaigns'> | undefined> {
  return db
    .selectFrom('campaigns')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}
