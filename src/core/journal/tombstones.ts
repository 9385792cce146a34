/** Remembers the ids of deleted objects, so that their addresses answer 410. */
import type { Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';

/** Remembers that the address of an object answers 410. Triggers do this for most tables. */
export async function noteRemoved(tx: Queryable, { id, organizationId }: ObjectRef): Promise<void> {
  await tx
    .insertInto('tombstones')
    .values({ id, organization_id: organizationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** @param organizationId of any organization unless given. @returns whether there was an object with this id. */
export async function wasRemoved(
  db: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId?: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('tombstones')
    .select('id')
    .where('id', '=', id)
    .$if(organizationId !== undefined, (q) => q.where('organization_id', '=', organizationId ?? ''))
    .executeTakeFirst();
  return row !== undefined;
}
