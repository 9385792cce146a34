/** Queries on jobs. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Change } from '../../db/notifications.ts';
import type { Priority } from '../../domain/priorities.ts';

export interface LockedJob {
  readonly id: string;
  readonly organization_id: string;
  /** Name of its ScreenshotJob. */
  readonly name: string;
  /** Null for a job of ads without a set, and of a placement. */
  readonly set_id: string | null;
}

/** @returns the notification of a change of the job. */
export function changeOf({ id, name, set_id }: Omit<LockedJob, 'organization_id'>): Change {
  return { job: id, resource: name, ...(set_id !== null && { set: set_id }) };
}

export interface SharedJob extends LockedJob {
  readonly indexes: number;
  /** Its captures may host. */
  readonly small: boolean;
  readonly settled_at: Date | null;
  readonly deadline_at: Date;
  /** PostgreSQL's clock. */
  readonly now: Date;
}

export interface JobToSettle extends LockedJob {
  /** The deadline has passed. */
  readonly overdue: boolean;
  /** From admission to the deadline. */
  readonly seconds: number;
}

export interface StoredJob {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly organization_id: string;
  readonly set_id: string | null;
  /** The priority of the set; `normal` without one. */
  readonly priority: Priority;
  readonly indexes: number;
  readonly parallelism: number;
  readonly generation: number;
  readonly admitted_at: Date;
  readonly deadline_at: Date;
  readonly settled_at: Date | null;
  readonly outcome: string | null;
  /** Since when it waits for its first capture: its first Job was made then, or let go last. Null while a Job is suspended. */
  readonly launched_at: Date | null;
  /** The message of the cluster, if no capture could start. */
  readonly problem: string | null;
  /** At least one capture has started. */
  readonly started: boolean;
  /** The span of the request, if it is traced. */
  readonly traceparent: string | null;
  /** The number of indexes whose capture has started. */
  readonly started_indexes: number;
  /** Why screenshots have no picture, the most frequent first: `no_slots 2, blocked 1`. */
  readonly failures: string;
  /** The installation is being removed from its cluster, so nothing may be created there. */
  readonly stopped: boolean;
  readonly cancel_requested: boolean;
  /** Screenshots of the set; one for a placement. */
  readonly screenshots: { readonly total: number; readonly done: number; readonly failed: number };
  readonly creatives: { readonly total: number; readonly done: number; readonly failed: number };
  /** A screenshot or a creative is unresolved. */
  readonly open: boolean;
  /** The lease of a claim has expired. */
  readonly claims_overdue: boolean;
  /** When the next lease expires. */
  readonly next_claim_expiry: Date | null;
  /** The capture that works on the job; null if the job has a Job of its own. */
  readonly host: { readonly name: string | null; readonly works: boolean; readonly check_ms: number } | null;
  /** A capture of the job may take small sets, so its Job must stay. */
  readonly hosting: boolean;
  /** When the last capture stopped taking small sets. */
  readonly hosting_ended_at: Date | null;
  /** PostgreSQL's clock. */
  readonly now: Date;
}

/** A host must open the attempt of the job that it took within this time. */
const OPENING_SECONDS = 30;

/**
 * Whether the host works on the job: it holds its lease, and has opened the job in time and not finished it. `check_ms`: when this may
 * have changed although nothing is notified.
 */
const HOST = sql`case when j.host_job_id is not null then json_build_object(
  'name', hj.name,
  'works', coalesce(hi.pod = j.host_pod and hi.hosting_until > now() and not own.finished
    and (own.begun or j.hosted_at > now() - make_interval(secs => ${OPENING_SECONDS})), false),
  'check_ms', greatest(0, extract(epoch from least(hi.hosting_until,
    case when not own.begun then j.hosted_at + make_interval(secs => ${OPENING_SECONDS}) end) - now()) * 1000)::float8
) end`;

/** The pictures of the job: the screenshots of its set, or its placement. */
const PICTURES = sql`(
  select status from screenshots where set_id = j.set_id union all select status from placements where id = j.id
)`;

/** @returns undefined where no row has that name. */
export async function readJob(db: Queryable, name: string): Promise<StoredJob | undefined> {
  const { rows } = await sql<Omit<StoredJob, 'open'>>`
    select j.id, j.name, o.slug as organization, j.organization_id, j.set_id, j.indexes, j.parallelism, j.generation,
      j.admitted_at, j.deadline_at, j.settled_at, j.outcome, j.launched_at, j.problem, j.traceparent, now() as now,
      coalesce(own.begun, false) as started, own.started_indexes, f.failures,
      coalesce(i.stopped_until > now(), false) as stopped,
      coalesce(t.cancel_requested_at is not null, false) as cancel_requested, coalesce(t.priority, 'normal') as priority,
      s.counts as screenshots, c.counts as creatives,
      coalesce(c.next_claim_expiry <= now(), false) as claims_overdue, c.next_claim_expiry,
      ${HOST} as host, own.hosting, own.hosting_ended_at
    from screenshot_jobs j
    cross join installation i
    join organizations o on o.id = j.organization_id
    left join screenshot_sets t on t.id = j.set_id
    left join screenshot_jobs hj on hj.id = j.host_job_id
    left join job_indexes hi on hi.job_id = j.host_job_id and hi.index = j.host_index
    cross join lateral (
      select coalesce(bool_or(hosting_until > now()), false) as hosting, max(hosting_ended_at) as hosting_ended_at,
        bool_and(finished_at is not null) as finished, bool_or(started_at is not null) as begun,
        count(*) filter (where started_at is not null)::integer as started_indexes
      from job_indexes where job_id = j.id
    ) own
    cross join lateral (
      select json_build_object('total', count(*), 'done', count(*) filter (where status = 'uploaded'),
        'failed', count(*) filter (where status not in ('uploaded', 'pending'))) as counts
      from ${PICTURES} picture
    ) s
    cross join lateral (
      select coalesce(string_agg(status || ' ' || times, ', ' order by times desc, status), '') as failures from (
        select status, count(*) as times from ${PICTURES} picture
        where status not in ('uploaded', 'pending') group by status
      ) failed
    ) f
    cross join lateral (
      select json_build_object('total', count(*), 'done', count(*) filter (where status = 'rendered'),
        'failed', count(*) filter (where status not in ('rendered', 'pending'))) as counts,
        min(claim_expires_at) filter (where status = 'pending') as next_claim_expiry
      from job_creatives where job_id = j.id
    ) c
    where j.name = ${name}`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  const isOpen = ({ total, done, failed }: StoredJob['screenshots']) => total > done + failed;
  return { ...row, open: isOpen(row.screenshots) || isOpen(row.creatives) };
}

/** Names of all jobs that are not settled. */
export async function unsettledNames(db: Queryable): Promise<string[]> {
  const rows = await db
    .selectFrom('screenshot_jobs')
    .select('name')
    .where('settled_at', 'is', null)
    .orderBy('admitted_at')
    .execute();
  return rows.map(({ name }) => name);
}

/** Increases the generation, unless it is already above `current`. */
export async function nextGeneration(db: Queryable, jobId: string, current: number): Promise<void> {
  await db
    .updateTable('screenshot_jobs')
    .set({ generation: current + 1 })
    .where('id', '=', jobId)
    .where('generation', '=', current)
    .execute();
}

/** The time for the first capture to start counts from now on, unless it counts already. */
export async function startSchedulingDeadline(db: Queryable, jobId: string): Promise<void> {
  await db
    .updateTable('screenshot_jobs')
    .set({ launched_at: sql<Date>`now()` })
    .where('id', '=', jobId)
    .where('launched_at', 'is', null)
    .execute();
}

/** Stops that time, because the Job is suspended and no capture can start. */
export async function clearSchedulingDeadline(db: Queryable, jobId: string): Promise<void> {
  await db.updateTable('screenshot_jobs').set({ launched_at: null }).where('id', '=', jobId).execute();
}

/** @returns whether a screenshot or a creative of the job is unresolved. */
export async function hasUnresolved(db: Queryable, { id, set_id }: Pick<LockedJob, 'id' | 'set_id'>): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`select
    exists (select 1 from screenshots where set_id = ${set_id} and status = 'pending')
    or exists (select 1 from placements where id = ${id} and status = 'pending')
    or exists (select 1 from job_creatives where job_id = ${id} and status = 'pending') as open`.execute(db);
  return rows[0]?.open ?? true;
}

/** Prevents settlement until the transaction ends. Other holders are not blocked. @returns undefined for an unknown job. */
export async function shareJob(transaction: Queryable, jobId: string): Promise<SharedJob | undefined> {
  return transaction
    .selectFrom('screenshot_jobs')
    .select(['id', 'organization_id', 'name', 'set_id', 'indexes', 'small', 'settled_at', 'deadline_at'])
    .select(sql<Date>`now()`.as('now'))
    .where('id', '=', jobId)
    .forKeyShare()
    .executeTakeFirst();
}

/** @returns undefined for a job that is unknown or settled. */
export async function lockJobToSettle(transaction: Queryable, jobId: string): Promise<JobToSettle | undefined> {
  return transaction
    .selectFrom('screenshot_jobs')
    .select([
      'id',
      'organization_id',
      'name',
      'set_id',
      sql<boolean>`deadline_at <= now()`.as('overdue'),
      sql<number>`extract(epoch from deadline_at - admitted_at)::integer`.as('seconds'),
    ])
    .where('id', '=', jobId)
    .where('settled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** @returns the last progress step that was recorded for the job. */
export async function lockProgress(transaction: Queryable, jobId: string): Promise<number> {
  const { progress } = await transaction
    .selectFrom('screenshot_jobs')
    .select('progress')
    .where('id', '=', jobId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return progress;
}
