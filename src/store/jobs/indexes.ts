/** Queries on the indexes of a job and their attempts. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';

export interface IndexRef {
  readonly jobId: string;
  readonly index: number;
}

/** Locks the row until the transaction ends. @returns undefined for an unknown index. */
export async function lockIndex(
  transaction: Queryable,
  { jobId, index }: IndexRef,
): Promise<{ attempt: number; pod: string | null; finished_at: Date | null } | undefined> {
  return transaction
    .selectFrom('job_indexes')
    .select(['attempt', 'pod', 'finished_at'])
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .forUpdate()
    .executeTakeFirst();
}

/** Prevents a new attempt of the index until the transaction ends. Other holders are not blocked. */
export async function shareIndex(
  transaction: Queryable,
  { jobId, index }: IndexRef,
): Promise<{ attempt: number; pod: string | null } | undefined> {
  return transaction
    .selectFrom('job_indexes')
    .select(['attempt', 'pod'])
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .forKeyShare()
    .executeTakeFirst();
}

const NOT_HOSTING = { hosting_until: null, idle_since: null, hosting_ended_at: null, guests: 0 };

export async function startAttempt(
  transaction: Queryable,
  { jobId, index, attempt, pod }: IndexRef & { readonly attempt: number; readonly pod: string },
): Promise<void> {
  await transaction
    .updateTable('job_indexes')
    .set({ attempt, pod, started_at: sql<Date>`now()`, finished_at: null, ...NOT_HOSTING })
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .execute();
}

export async function markIndexFinished(transaction: Queryable, { jobId, index }: IndexRef): Promise<void> {
  await transaction
    .updateTable('job_indexes')
    .set({ finished_at: sql<Date>`now()` })
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .execute();
}

/** @returns whether at least one index of the job was started. */
export async function hasStartedIndex(db: Queryable, jobId: string): Promise<boolean> {
  const row = await db
    .selectFrom('job_indexes')
    .select('index')
    .where('job_id', '=', jobId)
    .where('started_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
