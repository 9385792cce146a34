/**
 * How a job ends: first in PostgreSQL, then in the cluster.
 *
 * `settle` ends it in PostgreSQL. After that, `finish` runs until nothing is left: it writes the result into the status, releases the
 * ScreenshotJob, ends Jobs, and deletes the ScreenshotJob after its time to live. A ScreenshotJob that is already being deleted is
 * released when its pods have ended, or after 60 s.
 */
import type { CaptureJob } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import type { StoredJob } from '../core/jobs/jobs.ts';
import { type Settlement, settleJob } from '../core/jobs/settlement.ts';
import { stopHosting } from '../core/jobs/smallSets.ts';
import type { SettleCause } from '../domain/states.ts';
import { withSpan } from '../observe/tracing.ts';
import { LATER, type LeaderContext, NOW, SOON } from './leaderContext.ts';
import { jobName } from './specs.ts';

/** Captures of a complete set get this long to exit by themselves. */
const SELF_EXIT_MS = 10_000;
/** The deletion of a ScreenshotJob waits this long for its pods. */
const MAX_POD_WAIT_MS = 60_000;

/** Settles the job in PostgreSQL. Everything unresolved fails; see `core/jobs/settlement.ts`. */
export async function settle(
  { options, transact }: LeaderContext,
  state: StoredJob,
  cause: SettleCause,
  problem?: Settlement['problem'],
): Promise<number> {
  const { log } = options;
  const settlement = { jobId: state.id, cause, ...(problem && { problem }) };
  const outcome = await withSpan('settle job', { attributes: { 'tearsheet.cause': cause } }, async (span) => {
    const settled = await transact((tx, context) => settleJob(tx, settlement, context));
    span.set({ 'tearsheet.outcome': settled });
    return settled;
  });
  if (outcome === 'settled') {
    const seconds = (state.now.getTime() - state.admitted_at.getTime()) / 1000;
    const { id: job_id, set_id, organization } = state;
    log.info({ job_id, set_id, organization, cause, seconds, ...(problem && { problem: problem.details }) }, 'settled');
  }
  return NOW;
}

/** Deletes the Job and settles the job as canceled. Results that are already stored are kept. */
export async function cancel(leader: LeaderContext, state: StoredJob, resource: ScreenshotJob): Promise<number> {
  const job = await leader.cluster.getJob(jobName(state));
  if (job !== undefined && !job.deleting) await leader.cluster.deleteJob(job, { waitForPods: !job.stuck });
  await leader.statuses.update(state, { resource, job, canceling: true });
  return settle(leader, state, 'canceled');
}

/** Cleans up after a settled job. @returns milliseconds until the next step; undefined if nothing is left. */
export async function finish(
  leader: LeaderContext,
  state: StoredJob,
  resource: ScreenshotJob | undefined,
): Promise<number | undefined> {
  const age = state.now.getTime() - (state.settled_at?.getTime() ?? 0);
  const current = await leader.cluster.getJob(jobName(state));
  if (await checkHosting(leader, state, { resource, job: current }))
    return waitForSmallSets(leader, state, { resource, job: current });
  const keepsFailed = resource !== undefined && !resource.deleting;
  const jobsLeftMs = await endJobs(leader, state, { age, mayWait: resource?.deleting !== true, keepsFailed });
  if (resource === undefined) {
    if (jobsLeftMs === undefined) leader.statuses.forget(state.name);
    return jobsLeftMs;
  }
  const job = await leader.cluster.getJob(jobName(state));
  const statusPause = await leader.statuses.update(state, { resource, job });
  if (resource.deleting) return releaseResource(leader, resource, { age, jobsLeftMs });
  // Its result is stored. With the finalizer, it would block its namespace if no controller ran after that.
  if (resource.held) await leader.cluster.releaseScreenshotJob(resource);
  return Math.min(statusPause, jobsLeftMs ?? (await expireResource(leader, resource, age)));
}

/**
 * Ends the hosting of a settled job if its captures have ended or must end, so that their small sets do not wait for the lease.
 * @returns whether a capture may still take small sets.
 */
async function checkHosting(
  { transact }: LeaderContext,
  state: StoredJob,
  { resource, job }: { readonly resource: ScreenshotJob | undefined; readonly job: CaptureJob | undefined },
): Promise<boolean> {
  if (!state.hosting) return false;
  const mustEnd = state.outcome !== 'complete' || resource === undefined || resource.deleting;
  if (!mustEnd && job !== undefined && !job.finished && !job.stuck && !job.deleting) return true;
  await transact((tx) => stopHosting(tx, state.id));
  return false;
}

/** A capture of the job works on other sets, so its Job and its ScreenshotJob stay. */
async function waitForSmallSets(
  leader: LeaderContext,
  state: StoredJob,
  { resource, job }: { readonly resource: ScreenshotJob | undefined; readonly job: CaptureJob | undefined },
): Promise<number> {
  if (resource === undefined) return LATER;
  return Math.min(await leader.statuses.update(state, { resource, job }), LATER);
}

/** Releases a deleted ScreenshotJob when its Jobs are gone. */
async function releaseResource(
  leader: LeaderContext,
  resource: ScreenshotJob,
  { age, jobsLeftMs }: { readonly age: number; readonly jobsLeftMs: number | undefined },
): Promise<number | undefined> {
  if (jobsLeftMs !== undefined && age < MAX_POD_WAIT_MS) return Math.min(jobsLeftMs, MAX_POD_WAIT_MS - age);
  await leader.cluster.releaseScreenshotJob(resource);
  leader.statuses.forget(resource.name);
  return jobsLeftMs;
}

/** Deletes a finished ScreenshotJob after its time to live, or earlier if there are too many. */
async function expireResource(leader: LeaderContext, resource: ScreenshotJob, age: number): Promise<number> {
  const left = resource.spec.ttlSecondsAfterFinished * 1000 - age;
  if (left > 0 && !leader.surplus.has(resource.name)) return left;
  await leader.cluster.deleteScreenshotJob(resource);
  return SOON;
}

/**
 * Ends the Jobs of all generations, because a controller that crashed may have left an earlier one.
 * @param options.mayWait lets captures of a complete set exit by themselves first.
 * @param options.keepsFailed leaves a Job that has ended with failed captures, so that their logs stay as long as the ScreenshotJob.
 * @returns milliseconds until the next check; undefined if no Job is left.
 */
async function endJobs(
  { cluster }: LeaderContext,
  state: StoredJob,
  { age, mayWait, keepsFailed }: { readonly age: number; readonly mayWait: boolean; readonly keepsFailed: boolean },
): Promise<number | undefined> {
  const idleMs = age - Math.max(0, (state.hosting_ended_at?.getTime() ?? 0) - (state.settled_at?.getTime() ?? 0));
  let next = Number.POSITIVE_INFINITY;
  for (let generation = 1; generation <= state.generation; generation++) {
    const job = await cluster.getJob(jobName({ name: state.name, generation }));
    if (job === undefined || (keepsFailed && hasFailed(job, state))) continue;
    const waits = mayWait && state.outcome === 'complete' && !job.finished && idleMs < SELF_EXIT_MS;
    if (!waits) await endJob(cluster, job);
    next = Math.min(next, waits ? SELF_EXIT_MS - idleMs : LATER);
  }
  return Number.isFinite(next) ? next : undefined;
}

/** A job that ended early supersedes its captures. Their indexes failed only if a pod says so. */
function hasFailed({ finished, deleting, failedIndexes, lastFailure }: CaptureJob, { outcome }: StoredJob): boolean {
  if (!finished || deleting) return false;
  const wasSuperseded = outcome === 'deadline' || outcome === 'canceled';
  return lastFailure !== undefined || (failedIndexes.length > 0 && !wasSuperseded);
}

async function endJob(cluster: LeaderContext['cluster'], job: CaptureJob): Promise<void> {
  if (job.stuck || !job.deleting) await cluster.deleteJob(job, { waitForPods: !job.stuck });
}
