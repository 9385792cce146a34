/** The indexes of a job: one for each capture that works on a part of it. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

export interface IndexRef {
  readonly jobId: string;
  readonly index: number;
}

/**
 * Prevents a new attempt of the index until the transaction ends. @param isShared whether other holders are not blocked.
 * @returns undefined for an unknown index.
 */
export async function lockIndex(
  transaction: Queryable,
  { jobId, index }: IndexRef,
  { isShared = false } = {},
): Promise<{ attempt: number; pod: string | null; finished_at: Date | null } | undefined> {
  const rows = transaction.selectFrom('job_indexes').select(['attempt', 'pod', 'finished_at']);
  const row = rows.where('job_id', '=', jobId).where('index', '=', index);
  return (isShared ? row.forKeyShare() : row.forUpdate()).executeTakeFirst();
}

export async function startAttempt(
  transaction: Queryable,
  { jobId, index, attempt, pod }: IndexRef & { readonly attempt: number; readonly pod: string },
): Promise<void> {
  await transaction
    .updateTable('job_indexes')
    .set({ attempt, pod, started_at: sql<Date>`now()`, finished_at: null, hosting_until: null, hosting_ended_at: null })
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .execute();
}

/** @returns the organization of the job, and whether the end of the capture makes a place free. */
export async function markIndexFinished(
  transaction: Queryable,
  { jobId, index }: IndexRef,
): Promise<{ organization_id: string; is_free: boolean } | undefined> {
  const { rows } = await sql<{ organization_id: string; is_free: boolean }>`
    update job_indexes i set finished_at = now() from screenshot_jobs j
    where j.id = i.job_id and i.job_id = ${jobId} and i.index = ${index}
    returning j.organization_id, j.host_job_id is null and i.hosting_until is null as is_free`.execute(transaction);
  return rows[0];
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
