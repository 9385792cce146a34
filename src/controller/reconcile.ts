/**
 * Brings one ScreenshotJob and its Job in line with Postgres. Every step may be the last one before a crash: the next call
 * reads everything again and goes on from there. In this order:
 *
 * 1. No row has the name: the resource is somebody else's, see `unknown.ts`.
 * 2. Settled: the resource says how it ended, its Job is removed, its finalizer is taken off when it is deleted, see `ending.ts`.
 * 3. Nothing is open any more, or its time is over, or it was canceled through the API: it is settled, whatever the cluster does.
 * 4. Canceled in the cluster, by `spec.cancel` or by deleting the resource: its Job is ended and it is settled as canceled.
 * 5. Otherwise there is to be a resource with a Job that runs, see `running.ts`. What is absent is made: absent is not canceled.
 */
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { readJob, type StoredJob } from '../store/jobs/jobs.ts';
import { expireClaims } from '../workflow/claims.ts';
import { cancel, finish, settle } from './ending.ts';
import { type LeaderContext, NOW } from './leaderContext.ts';
import { makeResource, run, withdraw } from './running.ts';
import { meetUnknown } from './unknown.ts';

/** @returns in how many milliseconds to look again; undefined: when something changes. @throws StaleLeaderError (by what it writes), ConflictError */
export async function reconcile(term: LeaderContext, name: string): Promise<number | undefined> {
  const { store } = term.options;
  const state = await readJob(store.db, name);
  if (state === undefined) return meetUnknown(term, name);
  if (state.settled_at === null) {
    if (state.cancel_requested) return settle(term, state, 'canceled');
    if (!state.open) return settle(term, state, 'complete');
    if (state.deadline_at <= state.now) return settle(term, state, 'deadline');
    if (state.claims_overdue) return expire(term, state);
  }
  const resource = await term.cluster.getScreenshotJob(name);
  if (state.settled_at !== null) return finish(term, state, resource);
  if (resource === undefined) return makeResource(term, state);
  if (isCanceled(resource)) return cancel(term, state, resource);
  return resource.deleting ? withdraw(term, state, resource) : run(term, state, resource);
}

/** A deletion that was ours, or is one of everything around it, says nothing about the set. */
function isCanceled({ spec, deleting, removedByUs }: ScreenshotJob): boolean {
  return spec.cancel === true || (deleting && !removedByUs);
}

/** Leases are over whose holders said nothing: others may claim what they held. */
async function expire({ transact }: LeaderContext, state: StoredJob): Promise<number> {
  await transact((tx, context) => expireClaims(tx, state.id, context));
  return NOW;
}
