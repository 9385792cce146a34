/** Queries on the indexes of a job, and on hosts: captures that take small sets of their organization after their own index. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notifyAll } from '../../db/notifications.ts';
import { changeOf } from './jobs.ts';

interface IndexRef {
  readonly jobId: string;
  readonly index: number;
}

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

export interface JobAccess {
  /** Name of the job's ScreenshotJob, which never changes. */
  readonly name: string;
  /** The capture of another job that works on it, if one does. */
  readonly host?: { readonly jobId: string; readonly pod: string };
}

/** @returns whose captures may work on the job; undefined for an unknown job. */
export async function findJobAccess(db: Queryable, jobId: string): Promise<JobAccess | undefined> {
  const { rows } = await sql<{ name: string; host_job_id: string | null; host_pod: string | null }>`
    select j.name, j.host_job_id, i.pod as host_pod from screenshot_jobs j
    left join screenshot_jobs h on h.id = j.host_job_id and h.organization_id = j.organization_id
    left join job_indexes i on i.job_id = h.id and i.index = j.host_index and i.pod = j.host_pod
    where j.id = ${jobId}`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  const { name, host_job_id: host, host_pod: pod } = row;
  return { name, ...(host !== null && pod !== null && { host: { jobId: host, pod } }) };
}

/** @returns whether the job, or one that its captures work on, has a screenshot at the location. */
export async function hasLocation(db: Queryable, jobId: string, location: string): Promise<boolean> {
  const { rows } = await sql`
    select from screenshot_jobs j join screenshots s on s.set_id = j.set_id
    where (j.id = ${jobId} or (j.host_job_id = ${jobId} and j.settled_at is null))
      and s.options->>'location' = ${location} limit 1`.execute(db);
  return rows.length > 0;
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
