/** Settlement: fails all unresolved parts of a job, gives the set its final status and records the event, in one transaction. */

import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import { type ScreenshotStatus, type SetStatus, type SettleCause, settledSetStatus } from '../../domain/states.ts';
import { failOrphanedAds } from '../events/orphanedAds.ts';
import { recordSetEvent } from '../events/recordEvent.ts';
import { recordNotice } from '../journal/recordNotice.ts';
import { closeScreenshots, type FinalStatus } from '../sets/results.ts';
import { lockCancelRequest, markSetSettled, readSetOutcome } from '../sets/setStatus.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { closeCreatives } from './creatives.ts';
import { dropUnreportedUploads } from './expectedUploads.ts';
import { hasStartedIndex } from './indexes.ts';
import { changeOf, hasUnresolved, type JobToSettle, lockJobToSettle } from './jobs.ts';
import { resolvePlacement } from './placementResults.ts';

export interface Settlement {
  readonly jobId: string;
  readonly cause: SettleCause;
  /** Why nothing started or was stored: `words` for the client, `details` for the operator of the cluster. */
  readonly problem?: { readonly words?: string | undefined; readonly details: string };
}

/** `not_due`: something is unresolved and the deadline has not passed. */
export type SettleOutcome = 'settled' | 'already' | 'not_due';

/** Causes that come from the cluster or the artifact store, so the message is stored. */
const CAUSES_WITH_PROBLEM: ReadonlySet<SettleCause> = new Set(['unscheduled', 'lost', 'deadline']);

/** In a transaction that holds the leader's epoch: see `requireEpoch`. */
export async function settleJob(
  transaction: Queryable,
  { jobId, cause, problem }: Settlement,
  context: ResolveContext,
): Promise<SettleOutcome> {
  const job = await lockJobToSettle(transaction, jobId);
  if (job === undefined) return 'already';
  const ended = await endingOf(transaction, job, cause);
  if (ended === 'not_due') return ended;
  const words = reasonOf(ended, job, problem?.words);
  context.resolved.push(...(await closeUnresolved(transaction, job, { cause: ended, words })));
  const late = ended === 'deadline' ? 'net_read_timeout' : 'generic_error';
  await resolvePlacement(transaction, job.id, { status: ended === 'canceled' ? ended : late, reason: words });
  const adIds = await closeCreatives(transaction, job.id, ended === 'canceled' ? 'canceled' : 'failed');
  await dropUnreportedUploads(transaction, job.id);
  const outcome = job.set_id === null ? undefined : await settleSet(transaction, job.set_id, ended, context);
  const shownProblem = CAUSES_WITH_PROBLEM.has(ended) ? (problem?.details ?? null) : null;
  const settled = { settled_at: sql<Date>`now()`, outcome: ended, problem: shownProblem };
  await transaction.updateTable('screenshot_jobs').set(settled).where('id', '=', job.id).execute();
  await failOrphanedAds(transaction, { adIds, reason: words }, context);
  if (job.set_id !== null && outcome !== undefined) {
    await recordOutcome(transaction, { setId: job.set_id, organizationId: job.organization_id, ...outcome }, context);
  }
  await context.queue.enqueue(transaction, 'launch', { organization_id: job.organization_id });
  await notify(transaction, changeOf(job));
  return 'settled';
}

/** A requested cancellation has priority. A job without unresolved parts is complete, whatever the caller reports. */
async function endingOf(
  transaction: Queryable,
  job: JobToSettle,
  cause: SettleCause,
): Promise<SettleCause | 'not_due'> {
  if (cause === 'canceled' || (job.set_id !== null && (await lockCancelRequest(transaction, job.set_id))))
    return 'canceled';
  if (!(await hasUnresolved(transaction, job))) return 'complete';
  if (cause === 'lost') return 'lost';
  // The job is locked, so no index can start before the transaction ends.
  if (cause === 'unscheduled' && !(await hasStartedIndex(transaction, job.id))) return 'unscheduled';
  return job.overdue ? 'deadline' : 'not_due';
}

function reasonOf(cause: SettleCause, job: JobToSettle, why: string | undefined): string {
  switch (cause) {
    case 'complete':
      return 'The ad was not captured.';
    case 'canceled':
      return job.set_id === null ? 'The capture was canceled.' : 'The screenshot set was canceled.';
    case 'deadline':
      return `It was not finished within ${job.seconds} s, the time limit for a request.${why === undefined ? '' : ` ${why}`}`;
    case 'lost':
      return why ?? 'The capture ended several times without a result.';
    case 'unscheduled':
      return `No capture could be started in time: ${why ?? 'the cluster had no capacity'}.`;
  }
}

/** At the deadline, a screenshot whose capture had started timed out; the capture of the others never started. */
async function closeUnresolved(
  transaction: Queryable,
  job: JobToSettle,
  { cause, words }: { cause: SettleCause; words: string },
): Promise<ScreenshotStatus[]> {
  if (job.set_id === null || cause === 'complete') return [];
  const final = (status: ScreenshotStatus, reason = words): FinalStatus => ({ status, reason });
  const same = final(cause === 'canceled' ? 'canceled' : 'generic_error');
  const byStart =
    cause === 'deadline'
      ? {
          started: final('net_read_timeout'),
          notStarted: final('generic_error', `No capture of this page could be started in time: ${words}`),
        }
      : { started: same, notStarted: same };
  return closeScreenshots(transaction, { jobId: job.id, setId: job.set_id }, byStart);
}

interface SetOutcome {
  readonly status: SetStatus;
  readonly uploaded: number;
  readonly total: number;
}

async function settleSet(
  transaction: Queryable,
  setId: string,
  cause: SettleCause,
  { reached }: ResolveContext,
): Promise<SetOutcome> {
  const { review, ...counts } = await readSetOutcome(transaction, setId);
  const status = cause === 'canceled' ? 'canceled' : settledSetStatus(counts, review);
  reached.push({ milestone: cause, ...(await markSetSettled(transaction, setId, status)) });
  return { status, ...counts };
}

async function recordOutcome(
  transaction: Queryable,
  { setId, organizationId, status, uploaded, total }: SetOutcome & { setId: string; organizationId: string },
  context: ResolveContext,
): Promise<void> {
  if (status !== 'canceled') {
    const kind = status === 'failed' ? 'set_failed' : 'set_ready';
    const facts = { inReview: status === 'in_review', failed: total - uploaded };
    await recordNotice(transaction, { organizationId, setId, kind, pictures: uploaded, facts });
  }
  if (status !== 'approved' && status !== 'failed') return;
  await recordSetEvent(transaction, { setId, organizationId, topic: `screenshot_set.${status}` }, context);
}
