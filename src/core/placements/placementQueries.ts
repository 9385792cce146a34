/** Queries on placements. */
import { type Insertable, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Row, RowQuery } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import { PLACEMENT_DAYS } from '../../domain/retention.ts';

/** An organization that keeps its sets for a shorter time keeps its placements as long. */
export async function insertPlacement(
  tx: Queryable,
  placement: Omit<Insertable<Schema['placements']>, 'expires_at'>,
): Promise<Row<'placements'>> {
  const expires_at = sql<Date>`(
    select now() + make_interval(days => least(set_retention_days, ${PLACEMENT_DAYS})) from organizations
    where id = ${placement.organization_id})`;
  return tx
    .insertInto('placements')
    .values({ ...placement, expires_at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @returns undefined if this organization has no such placement. */
export async function readPlacement(db: Queryable, query: Required<RowQuery>): Promise<Row<'placements'> | undefined> {
  return db
    .selectFrom('placements')
    .selectAll()
    .where('id', '=', query.id)
    .where('organization_id', '=', query.organizationId)
    .executeTakeFirst();
}

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
