/** Queries on captures that host: after their own index they continue with small sets of the same organization, their guests. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { notifyAll } from '../database/notifications.ts';
import type { IndexRef } from './indexes.ts';

/** A capture that waits for a guest. */
export interface IdleHost {
  readonly jobId: string;
  readonly index: number;
  readonly pod: string;
  readonly organizationId: string;
  readonly idleMs: number;
}

/** Starts or renews the lease of a host. */
export async function extendHosting(
  transaction: Queryable,
  { jobId, index }: IndexRef,
  { leaseSeconds, idle = false }: { readonly leaseSeconds: number; readonly idle?: boolean },
): Promise<void> {
  await transaction
    .updateTable('job_indexes')
    .set({
      hosting_until: sql<Date>`now() + make_interval(secs => ${leaseSeconds})`,
      ...(idle && { idle_since: sql<Date>`coalesce(idle_since, now())` }),
    })
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
  /** How long it has waited for a guest; null if it does not wait. */
  readonly idle_ms: number | null;
  /** Its job has an index that has not started. */
  readonly has_unstarted: boolean;
}

/** @param options.lock locks the row of the index until the transaction ends. */
export async function readHost(
  db: Queryable,
  { jobId, index }: IndexRef,
  { lock }: { readonly lock: boolean },
): Promise<HostState | undefined> {
  const { rows } = await sql<HostState>`
    select i.attempt, i.pod, j.organization_id, coalesce(i.hosting_until > now(), false) as hosting,
      extract(epoch from now() - i.idle_since)::float8 * 1000 as idle_ms,
      exists (select from job_indexes o where o.job_id = i.job_id and o.started_at is null) as has_unstarted
    from job_indexes i join screenshot_jobs j on j.id = i.job_id
    where i.job_id = ${jobId} and i.index = ${index} ${lock ? sql`for update of i` : sql``}`.execute(db);
  return rows[0];
}

/** @returns the job that the capture was given and has not finished. */
export async function findGuest(
  db: Queryable,
  { jobId, index, pod }: IndexRef & { readonly pod: string | null },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select j.id from screenshot_jobs j join job_indexes i on i.job_id = j.id
    where j.host_job_id = ${jobId} and j.host_index = ${index} and j.host_pod = ${pod}
      and j.settled_at is null and i.finished_at is null limit 1`.execute(db);
  return rows[0]?.id;
}

/** Locks captures that wait for a guest, those that wait longest first. */
export async function lockIdleHosts(transaction: Queryable): Promise<IdleHost[]> {
  const { rows } = await sql<IdleHost>`
    select i.job_id as "jobId", i.index, i.pod, j.organization_id as "organizationId",
      extract(epoch from now() - i.idle_since)::float8 * 1000 as "idleMs"
    from job_indexes i join screenshot_jobs j on j.id = i.job_id
    where i.hosting_until > now() and i.idle_since is not null and i.pod is not null
    order by i.job_id, i.index for update of i`.execute(transaction);
  return rows.toSorted((a, b) => b.idleMs - a.idleMs);
}

/** Gives a job to a host. */
export async function assignGuest(transaction: Queryable, host: IdleHost, guestId: string): Promise<void> {
  const { jobId, index, pod } = host;
  await transaction
    .updateTable('screenshot_jobs')
    .set({ host_job_id: jobId, host_index: index, host_pod: pod, hosted_at: sql<Date>`now()` })
    .where('id', '=', guestId)
    .execute();
  await transaction
    .updateTable('job_indexes')
    .set({ idle_since: null, guests: sql<number>`guests + 1` })
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .execute();
}

/** The job gets a Job of its own. */
export async function removeHost(transaction: Queryable, guestId: string): Promise<void> {
  await transaction
    .updateTable('screenshot_jobs')
    .set({ host_job_id: null, host_index: null, host_pod: null })
    .where('id', '=', guestId)
    .where('settled_at', 'is', null)
    .execute();
}

/** Ends the hosting of one capture of the job, or of all. @returns whether one hosted. */
export async function endHosting(transaction: Queryable, jobId: string, index?: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('job_indexes')
    .set({ hosting_until: null, idle_since: null, hosting_ended_at: sql<Date>`now()` })
    .where('job_id', '=', jobId)
    .where('hosting_until', 'is not', null)
    .$if(index !== undefined, (query) => query.where('index', '=', index ?? 0))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Captures of this machine ended together with the process that ran them. */
export async function endAllHosting(db: Queryable): Promise<void> {
  await db
    .updateTable('job_indexes')
    .set({ hosting_until: null, idle_since: null })
    .where('hosting_until', 'is not', null)
    .execute();
}

/** Notifies the controller and the captures of a change of the job and its unsettled guests. */
export async function notifyJobAndGuests(transaction: Queryable, jobId: string): Promise<void> {
  const rows = await transaction
    .selectFrom('screenshot_jobs')
    .select(['id', 'set_id'])
    .where((eb) => eb.or([eb('id', '=', jobId), eb.and([eb('host_job_id', '=', jobId), eb('settled_at', 'is', null)])]))
    .execute();
  await notifyAll(
    transaction,
    rows.map(({ id, set_id }) => ({ job: id, ...(set_id !== null && { set: set_id }) })),
  );
}

export interface JobAccess {
  /** Name of the job's ScreenshotJob, which never changes. */
  readonly name: string;
  /** The capture that hosts the job, if one does. */
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
