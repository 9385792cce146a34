import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import type { Metadata } from '../../domain/metadata.ts';

/** Keeps others from using or changing the ad before the transaction ends. @returns undefined if there is no such ad. */
export async function lockAdToChange(
  tx: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<Pick<Row<'ads'>, 'name' | 'metadata'> | undefined> {
  return tx
    .selectFrom('ads')
    .select(['name', 'metadata'])
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst();
}

export async function changeAdRow(
  tx: Queryable,
  id: string,
  { name, metadata }: { readonly name: string; readonly metadata: Metadata },
): Promise<void> {
  await tx
    .updateTable('ads')
    .set({ name, metadata: JSON.stringify(metadata) })
    .where('id', '=', id)
    .execute();
}
