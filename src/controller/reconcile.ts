/**
 * Reconciles one ScreenshotJob and its Job with PostgreSQL.
 *
 * Each call reads everything again and does the next step. The process may crash after any step, so no step depends on memory. The cases,
 * in this order:
 *
 * 1. No row has this name (`handleUnknown`). The ScreenshotJob may belong to another database, so it is only marked as UnknownSet.
 * 2. The job is open, but must be settled: it was canceled through the API, nothing is unresolved, or its deadline has passed. It is settled
 *    in PostgreSQL without a look at the cluster. Only a job that the capture of another one finished before it had a ScreenshotJob gets
 *    one first, so that operators see it.
 * 3. Claims have expired (`releaseExpiredClaims`): other captures may take them.
 * 4. The job is settled (`finish`): the status gets the result, Jobs are deleted, and a deleted ScreenshotJob is released.
 * 5. There is no ScreenshotJob (`createResource`). Absent does not mean canceled: it is created again.
 * 6. The ScreenshotJob was canceled by `spec.cancel` or by an operator's deletion (`cancel`): its Job is deleted, and it is settled.
 * 7. We deleted the ScreenshotJob, but its job is open (`replaceResource`): it is removed with its Job, and case 5 creates it again.
 * 8. The capture of another job works on the job, so it has no Job (`runJob`).
 * 9. Otherwise its Job is created, replaced or watched (`runJob`).
 */
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { expireClaims } from '../core/jobs/claims.ts';
import { readJob, type StoredJob } from '../core/jobs/jobs.ts';
import type { Settlement } from '../core/jobs/settlement.ts';
import { withinSpan } from '../observe/tracing.ts';
import { createResource, replaceResource, runJob } from './captureJobs.ts';
import { cancel, finish, settle } from './completion.ts';
import { type LeaderContext, NOW, SOON } from './leaderContext.ts';
import { unknownStatus } from './status.ts';

/** @returns milliseconds until the next reconciliation; undefined: after the next change. @throws StaleLeaderError, ConflictError */
export async function reconcile(leader: LeaderContext, name: string): Promise<number | undefined> {
  const state = await readJob(leader.options.store.db, name);
  if (state === undefined) return handleUnknown(leader, name);
  return withinSpan(state.traceparent, () => reconcileJob(leader, state));
}

async function reconcileJob(leader: LeaderContext, state: StoredJob): Promise<number | undefined> {
  if (state.settled_at === null) {
    if (state.cancel_requested) return settle(leader, state, 'canceled');
    if (!state.open) {
      const isInTime = state.deadline_at > state.now;
      if (isInTime && state.host !== null && (await leader.cluster.getScreenshotJob(state.name)) === undefined)
        await createResource(leader, state);
      return settle(leader, state, 'complete');
    }
    if (state.deadline_at <= state.now) return settle(leader, state, 'deadline', storeProblem(leader));
    if (state.claims_overdue) return releaseExpiredClaims(leader, state);
  }
  const resource = await leader.cluster.getScreenshotJob(state.name);
  if (state.settled_at !== null) return finish(leader, state, resource);
  if (resource === undefined) return createResource(leader, state);
  if (isCanceled(resource)) return cancel(leader, state, resource);
  return resource.deleting ? replaceResource(leader, state, resource) : runJob(leader, state, resource);
}

/** @returns why pictures were not stored in time; undefined if the artifact store is available. */
function storeProblem({ options }: LeaderContext): Settlement['problem'] {
  const fault = options.storeFault?.();
  if (fault === undefined) return undefined;
  const text = `The service could not store the pictures: ${fault}.`;
  return { words: text, details: text };
}

/** A deletion by us, or of the whole namespace, does not cancel the set. */
function isCanceled({ spec, deleting, removedByUs }: ScreenshotJob): boolean {
  return spec.cancel === true || (deleting && !removedByUs);
}

async function releaseExpiredClaims({ transact }: LeaderContext, state: StoredJob): Promise<number> {
  await transact((tx, context) => expireClaims(tx, state.id, context));
  return NOW;
}

async function handleUnknown(leader: LeaderContext, name: string): Promise<number | undefined> {
  const { cluster, options, firstSeen, statuses } = leader;
  const resource = await cluster.getScreenshotJob(name);
  if (resource === undefined) {
    statuses.forget(name);
    return undefined;
  }
  // The row may have been created after the first read.
  if ((await readJob(options.store.db, name)) !== undefined) return NOW;
  if (resource.deleting) return releaseUnknown(leader, resource);
  const wait = firstSeen.msUntilJudged(resource.uid);
  if (wait > 0) return wait;
  // On one machine no other database can know it.
  if (options.settings.isLocal) {
    await cluster.deleteScreenshotJob(resource);
    return SOON;
  }
  // No result will come, so it must not block its namespace.
  if (resource.held) await cluster.releaseScreenshotJob(resource);
  if (resource.status?.reason === 'UnknownSet') return undefined;
  options.log.warn({ resource: name }, 'a ScreenshotJob has no row in the database; leaving it as it is');
  await statuses.write(resource, unknownStatus(resource, new Date()));
  return undefined;
}

/** There is no result to wait for. */
async function releaseUnknown({ cluster, statuses }: LeaderContext, resource: ScreenshotJob): Promise<undefined> {
  await cluster.releaseScreenshotJob(resource);
  statuses.forget(resource.name);
}
