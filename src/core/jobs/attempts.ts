/** Attempts of the indexes of a job. */
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { EventContext } from '../events/recordEvent.ts';
import { expireEarlierClaims } from './creatives.ts';
import { extendHosting, notifyJobAndHosted } from './hosts.ts';
import { lockIndex, markIndexFinished, startAttempt } from './indexes.ts';
import { changeOf, type LockedJob, type SharedJob, shareJob } from './jobs.ts';

/** Identifies one attempt of an index. */
export interface AttemptRef {
  readonly jobId: string;
  readonly index: number;
  readonly attempt: number;
  /** Uid of the calling pod, if its token proves one. The attempt must belong to this pod. */
  readonly pod?: string;
}

/** Thrown when a newer attempt of the index exists or the job is settled. The old attempt must write nothing more. */
export class SupersededError extends Error {}

export interface OpenedAttempt {
  readonly job: SharedJob;
  readonly attempt: number;
  readonly settled: boolean;
  readonly deadlineAt: Date;
  /** PostgreSQL's clock. */
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
  const job = await shareJob(transaction, jobId);
  if (job === undefined || index >= job.indexes) return undefined;
  const known = await lockIndex(transaction, { jobId, index });
  if (known === undefined) throw new Error(`Index ${index} of job ${jobId} has no row in the database.`);
  const opened = { job, settled: job.settled_at !== null, deadlineAt: job.deadline_at, now: job.now };
  if (known.pod === pod) return { ...opened, attempt: known.attempt };
  const attempt = known.attempt + 1;
  await startAttempt(transaction, { jobId, index, attempt, pod });
  await notify(transaction, changeOf(job));
  await expireEarlierClaims(transaction, { jobId, index, attempt });
  // The jobs that the earlier capture took get a Job of their own.
  if (known.attempt > 0 && job.small) await notifyJobAndHosted(transaction, jobId);
  return { ...opened, attempt };
}

/** The capture of a small job may take small sets after its own work. @returns whether it may. */
export async function startHosting(
  transaction: Queryable,
  { job, settled }: OpenedAttempt,
  { index, leaseSeconds }: { readonly index: number; readonly leaseSeconds: number },
): Promise<boolean> {
  if (!job.small || settled) return false;
  await extendHosting(transaction, { jobId: job.id, index }, leaseSeconds);
  return true;
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
  const current = await lockIndex(transaction, { jobId, index }, { isShared: true });
  if (current?.attempt !== attempt) {
    throw new SupersededError(`Attempt ${attempt} of index ${index} is not its attempt ${current?.attempt ?? 0}.`);
  }
  if (pod !== undefined && current.pod !== pod) {
    throw new SupersededError(`Attempt ${attempt} of index ${index} is another pod's.`);
  }
  return job;
}

/** Locks a job, so that it cannot be settled until the transaction ends. @returns undefined if it is settled or does not exist. */
export async function lockUnsettledJob(transaction: Queryable, jobId: string): Promise<LockedJob | undefined> {
  const job = await shareJob(transaction, jobId);
  return job?.settled_at === null ? job : undefined;
}

/**
 * Notes that the index has nothing left to do; after the job was settled too, which its last result may have caused.
 * @returns whether that is news. @throws SupersededError
 */
export async function finishIndex(
  transaction: Queryable,
  { jobId, index, attempt, pod }: AttemptRef,
  { queue }: Pick<EventContext, 'queue'>,
): Promise<boolean> {
  const known = await lockIndex(transaction, { jobId, index });
  if (known?.attempt !== attempt || (pod !== undefined && known.pod !== pod)) {
    throw new SupersededError(`Attempt ${attempt} of index ${index} is not its current attempt.`);
  }
  if (known.finished_at !== null) return false;
  const finished = await markIndexFinished(transaction, { jobId, index });
  if (finished?.is_free) await queue.enqueue(transaction, 'launch', { organization_id: finished.organization_id });
  return true;
}
