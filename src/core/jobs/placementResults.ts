/** Resolves the placement of a job, which has the id of the job. */
import type { Insertable } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';

/** @returns the placement of a job, if it has one that is pending. It stays locked until the transaction ends. */
export async function lockPendingPlacement(tx: Queryable, jobId: string): Promise<Row<'placements'> | undefined> {
  return tx
    .selectFrom('placements')
    .selectAll()
    .where('id', '=', jobId)
    .where('status', '=', 'pending')
    .forUpdate()
    .executeTakeFirst();
}

type Resolution = Pick<
  Insertable<Schema['placements']>,
  'status' | 'reason' | 'image_token' | 'captured_at' | 'record'
>;

/** Does nothing if the placement has a result. */
export async function resolvePlacement(tx: Queryable, id: string, resolution: Resolution): Promise<void> {
  await tx.updateTable('placements').set(resolution).where('id', '=', id).where('status', '=', 'pending').execute();
}
