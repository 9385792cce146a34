/** What one completion index of a job may still do: attempts, and the pictures it has not yet taken. */
import { sql } from 'kysely';
import type { DeviceName } from '../domain/devices.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';

/** One run of one completion index. */
export interface AttemptRef {
  readonly jobId: string;
  readonly index: number;
  readonly attempt: number;
  /** Uid of the pod that calls, where its token proves one: the run must be its own. */
  readonly pod?: string;
}

/** A newer attempt of the index exists, or the job is settled: nothing of the old one is written any more. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
}

export interface LockedJob {
  readonly id: string;
  readonly organization_id: string;
  /** Null for ads alone. */
  readonly set_id: string | null;
}

export interface OpenedAttempt {
  readonly job: LockedJob;
  readonly attempt: number;
  readonly settled: boolean;
  readonly deadlineAt: Date;
  /** Postgres's clock. */
  readonly now: Date;
}

/**
 * Gives the pod the next attempt of its index; the same pod gets the same one again. Claims of earlier attempts end.
 * @returns undefined when there is no such job or index.
 */
export async function openAttempt(
  transaction: Queryable,
  { jobId, index, pod }: { jobId: string; index: number; pod: string },
): Promise<OpenedAttempt | undefined> {
  const job = await transaction
    .selectFrom('screenshot_jobs')
    .select(['id', 'organization_id', 'set_id', 'indexes', 'settled_at', 'deadline_at', sql<Date>`now()`.as('now')])
    .where('id', '=', jobId)
    .forKeyShare()
    .executeTakeFirst();
  if (job === undefined || index >= job.indexes) return undefined;
  const known = await transaction
    .selectFrom('job_indexes')
    .select(['attempt', 'pod'])
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const opened = { job, settled: job.settled_at !== null, deadlineAt: job.deadline_at, now: job.now };
  if (known.pod === pod) return { ...opened, attempt: known.attempt };
  const attempt = known.attempt + 1;
  await transaction
    .updateTable('job_indexes')
    .set({ attempt, pod, started_at: sql<Date>`now()`, finished_at: null })
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .execute();
  await notify(transaction, { job: jobId, ...(job.set_id === null ? {} : { set: job.set_id }) });
  await transaction
    .updateTable('job_creatives')
    .set({ claim_expires_at: sql<Date>`now()` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .where('claimed_by_index', '=', index)
    .where('claimed_by_attempt', '<', attempt)
    .execute();
  return { ...opened, attempt };
}

/**
 * Holds the attempt and the job until the transaction ends: neither a new attempt nor a settlement comes between.
 * @throws SupersededError
 */
export async function lockAttempt(
  transaction: Queryable,
  { jobId, index, attempt, pod }: AttemptRef,
): Promise<LockedJob> {
  // Settling locks the job for update first, so this order is the same everywhere.
  const job = await lockUnsettledJob(transaction, jobId);
  if (job === undefined) throw new SupersededError('The job is settled.');
  const current = await transaction
    .selectFrom('job_indexes')
    .select(['attempt', 'pod'])
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .forKeyShare()
    .executeTakeFirst();
  if (current?.attempt !== attempt) {
    throw new SupersededError(`Attempt ${attempt} of index ${index} is not its attempt ${current?.attempt ?? 0}.`);
  }
  if (pod !== undefined && current.pod !== pod) {
    throw new SupersededError(`Attempt ${attempt} of index ${index} is another pod's.`);
  }
  return job;
}

/** Keeps a job from being settled until the transaction ends. @returns undefined where it is settled, or is none. */
export async function lockUnsettledJob(transaction: Queryable, jobId: string): Promise<LockedJob | undefined> {
  const job = await transaction
    .selectFrom('screenshot_jobs')
    .select(['id', 'organization_id', 'set_id', 'settled_at'])
    .where('id', '=', jobId)
    .forKeyShare()
    .executeTakeFirst();
  if (job === undefined || job.settled_at !== null) return undefined;
  return { id: job.id, organization_id: job.organization_id, set_id: job.set_id };
}

export interface MissingScreenshot {
  readonly id: string;
  readonly ad_id: string;
  readonly site_url: string;
  readonly site_key: string;
  readonly device: DeviceName;
  readonly marker_ms: number | null;
}

/** The pictures of an index that are not resolved, in the order of the request. */
export async function missingScreenshots(
  db: Queryable,
  { setId, index }: { setId: string; index: number },
): Promise<MissingScreenshot[]> {
  return db
    .selectFrom('screenshots')
    .select(['id', 'ad_id', 'site_url', 'site_key', 'device', 'marker_ms'])
    .where('set_id', '=', setId)
    .where('job_index', '=', index)
    .where('status', '=', 'pending')
    .orderBy('seq')
    .execute();
}

/**
 * Notes that the index has nothing left to do; after the job was settled too, which its last result may have caused.
 * @returns whether that is news. @throws SupersededError
 */
export async function finishIndex(
  transaction: Queryable,
  { jobId, index, attempt, pod }: AttemptRef,
): Promise<boolean> {
  const known = await transaction
    .selectFrom('job_indexes')
    .select('finished_at')
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .where('attempt', '=', attempt)
    .$if(pod !== undefined, (query) => query.where('pod', '=', pod ?? ''))
    .forUpdate()
    .executeTakeFirst();
  if (known === undefined) throw new SupersededError(`Attempt ${attempt} of index ${index} is not its attempt.`);
  if (known.finished_at !== null) return false;
  await transaction
    .updateTable('job_indexes')
    .set({ finished_at: sql<Date>`now()` })
    .where('job_id', '=', jobId)
    .where('index', '=', index)
    .execute();
  return true;
}

/** @returns the name of a job's ScreenshotJob, which never changes; undefined where there is no such job. */
export async function jobNameOf(db: Queryable, jobId: string): Promise<string | undefined> {
  const job = await db.selectFrom('screenshot_jobs').select('name').where('id', '=', jobId).executeTakeFirst();
  return job?.name;
}
