import type { Queryable } from '../../db/database.ts';

/** @returns false if another campaign of the organization has the name. */
export async function renameCampaignRow(
  tx: Queryable,
  { id, organizationId, name }: { readonly id: string; readonly organizationId: string; readonly name: string },
): Promise<boolean> {
  const other = await tx
    .selectFrom('campaigns')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (other !== undefined) return false;
  await tx.updateTable('campaigns').set({ name }).where('id', '=', id).execute();
  return true;
}
