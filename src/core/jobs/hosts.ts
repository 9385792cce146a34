/** Hosts: captures that take small sets of their organization after the index of their own job. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notifyAll } from '../../db/notifications.ts';
import type { IndexRef } from './indexes.ts';
import { changeOf } from './jobs.ts';

/** Starts or renews the lease of a host. */
export async function extendHosting(
  transaction: Queryable,
  { jobId, index }: IndexRef,
  leaseSeconds: number,
): Promise<void> {
  await transaction
    .updateTable('job_indexes')
    .set({ hosting_until: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .execute();
}

export interface HostState {
  readonly attempt: number;
  readonly pod: string | null;
  readonly organization_id: string;
  /** It holds its lease. */
  readonly hosting: boolean;
  /** Its job has an index that has not started. */
  readonly has_unstarted: boolean;
}

/** Locks the row of the index until the transaction ends. */
export async function readHost(db: Queryable, { jobId, index }: IndexRef): Promise<HostState | undefined> {
  const { rows } = await sql<HostState>`
    select i.attempt, i.pod, j.organization_id, coalesce(i.hosting_until > now(), false) as hosting,
      exists (select from job_indexes o where o.job_id = i.job_id and o.started_at is null) as has_unstarted
    from job_indexes i join screenshot_jobs j on j.id = i.job_id
    where i.job_id = ${jobId} and i.index = ${index} for update of i`.execute(db);
  return rows[0];
}

/** @returns the job that the capture took and has not finished. */
export async function findHostedJob(
  db: Queryable,
  { jobId, index, pod }: IndexRef & { readonly pod: string | null },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select j.id from screenshot_jobs j join job_indexes i on i.job_id = j.id
    where j.host_job_id = ${jobId} and j.host_index = ${index} and j.host_pod = ${pod}
      and j.settled_at is null and i.finished_at is null limit 1`.execute(db);
  return rows[0]?.id;
}

/** The capture works on the job, instead of a Job of its own. */
export async function assignHost(
  transaction: Queryable,
  { jobId, index, pod }: IndexRef & { readonly pod: string | null },
  hostedId: string,
): Promise<void> {
  await transaction
    .updateTable('screenshot_jobs')
    .set({ host_job_id: jobId, host_index: index, host_pod: pod, hosted_at: sql<Date>`now()` })
    .where('id', '=', hostedId)
    .execute();
}

/** The job gets a Job of its own. */
export async function removeHost(transaction: Queryable, hostedId: string): Promise<void> {
  await transaction
    .updateTable('screenshot_jobs')
    .set({ host_job_id: null, host_index: null, host_pod: null })
    .where('id', '=', hostedId)
    .where('settled_at', 'is', null)
    .execute();
}

/** Ends the hosting of one capture of the job, or of all. @returns whether one hosted. */
export async function endHosting(transaction: Queryable, jobId: string, index?: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('job_indexes')
    .set({ hosting_until: null, hosting_ended_at: sql<Date>`now()` })
    .where('job_id', '=', jobId)
    .where('hosting_until', 'is not', null)
    .$if(index !== undefined, (query) => query.where('index', '=', index ?? 0))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Captures of this machine ended together with the process that ran them. */
export async function endAllHosting(db: Queryable): Promise<void> {
  await db.updateTable('job_indexes').set({ hosting_until: null }).where('hosting_until', 'is not', null).execute();
}

/** Notifies the controller of a change of the job and of the unsettled jobs that its captures work on. */
export async function notifyJobAndHosted(transaction: Queryable, jobId: string): Promise<void> {
  const rows = await transaction
    .selectFrom('screenshot_jobs')
    .select(['id', 'name', 'set_id'])
    .where((eb) => eb.or([eb('id', '=', jobId), eb.and([eb('host_job_id', '=', jobId), eb('settled_at', 'is', null)])]))
    .execute();
  await notifyAll(transaction, rows.map(changeOf));
}
