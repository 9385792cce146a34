/**
 * An open job needs a ScreenshotJob, and the ScreenshotJob needs a Job that runs.
 *
 * A Job that ends with work left, or that is stuck, is deleted, and a Job of the next generation takes the rest. There are at most three
 * generations. While the artifact store is unavailable, no Job is created, because its pictures could not be stored. If the last
 * generation fails too, the job is settled as lost. If no capture starts within the scheduling deadline, the job is
 * settled as unscheduled.
 */
import { type CaptureJob, JobNameConflictError, type Problem, RefusedError } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { removeHost } from '../core/jobs/hosts.ts';
import {
  clearSchedulingDeadline,
  nextGeneration,
  readJob,
  type StoredJob,
  startSchedulingDeadline,
} from '../core/jobs/jobs.ts';
import { activeTraceparent, withSpan } from '../observe/tracing.ts';
import { settle } from './completion.ts';
import { LATER, type LeaderContext, NOW, SOON } from './leaderContext.ts';
import { jobName, jobSpec, resourceSpec } from './specs.ts';
import { sanitizeMessage } from './status.ts';

const MAX_GENERATIONS = 3;
/** Clocks may differ a little, so a deadline is checked shortly after it has passed. */
const DEADLINE_MARGIN_MS = 10;

export async function createResource({ options, cluster }: LeaderContext, state: StoredJob): Promise<number> {
  if (state.stopped) return Math.min(LATER, msUntilDue(state));
  try {
    const traceparent = activeTraceparent();
    const result = await withSpan('create ScreenshotJob', {}, () =>
      cluster.createScreenshotJob(state.name, resourceSpec(state, options.settings), traceparent),
    );
    // If it exists, our cache does not have it yet.
    return result === 'created' ? NOW : SOON;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const fields = { resource: state.name, reason: error.reason, err: error };
    options.log.warn(fields, 'the cluster rejected a ScreenshotJob; retrying later');
    return Math.min(LATER, msUntilDue(state));
  }
}

/** We deleted the ScreenshotJob although its job is open. Its Job is deleted and it is released, so that both can be created again. */
export async function replaceResource(
  { cluster, transact }: LeaderContext,
  state: StoredJob,
  resource: ScreenshotJob,
): Promise<number> {
  const job = await cluster.getJob(jobName(state));
  if (job !== undefined && !job.stuck) {
    if (!job.deleting) await cluster.deleteJob(job, { waitForPods: true });
    return LATER;
  }
  // A stuck Job keeps its name, so the next Job needs another one.
  if (job !== undefined) await transact((tx) => nextGeneration(tx, state.id, state.generation));
  await cluster.releaseScreenshotJob(resource);
  return SOON;
}

export async function runJob(leader: LeaderContext, state: StoredJob, resource: ScreenshotJob): Promise<number> {
  const { cluster } = leader;
  if (state.host !== null) return waitForHost(leader, state, { resource, host: state.host });
  await deleteEarlierJobs(leader, state);
  const job = await cluster.getJob(jobName(state));
  if (job === undefined) return createJob(leader, state, resource);
  if (job.ownerUid !== resource.uid) {
    // The Job belongs to a deleted ScreenshotJob of the same name.
    await cluster.deleteJob(job);
    return SOON;
  }
  if (job.stuck || (job.finished && !job.deleting)) return startNextGeneration(leader, state, { resource, job });
  // The operator has corrected the image or the resources, and this Job would wait for the old ones.
  if (job.outdated && !state.started && job.problem !== undefined && !job.deleting) {
    const fields = { job_id: state.id, job: job.name, reason: job.problem.reason };
    leader.options.log.info(fields, 'the capture profile has changed; replacing a Job whose pods could not start');
    await cluster.deleteJob(job);
    return SOON;
  }
  // Admission assigned places to it that no set waits for.
  if (!job.deleting && job.parallelism !== undefined && job.parallelism < state.parallelism)
    await cluster.resizeJob(job, state.parallelism);
  if (hasSuspensionChanged(state, job)) {
    await leader.transact((tx) => (job.suspended ? clearSchedulingDeadline : startSchedulingDeadline)(tx, state.id));
    return NOW;
  }
  return waitForCaptures(leader, state, { resource, job, problem: job.problem });
}

/** The capture of another job works on this one, so it has no Job. If that capture stops, it gets one. */
async function waitForHost(
  leader: LeaderContext,
  state: StoredJob,
  { resource, host }: { readonly resource: ScreenshotJob; readonly host: NonNullable<StoredJob['host']> },
): Promise<number> {
  if (!host.works) {
    const fields = { job_id: state.id, set_id: state.set_id, host: host.name };
    leader.options.log.warn(fields, 'the capture that worked on a small set ended; creating a Job for the set');
    await leader.transact((tx) => removeHost(tx, state.id));
    return NOW;
  }
  const statusPause = await leader.statuses.update(state, { resource, job: undefined });
  return Math.min(statusPause, host.check_ms + DEADLINE_MARGIN_MS, msUntilDue(state));
}

async function createJob(leader: LeaderContext, state: StoredJob, resource: ScreenshotJob): Promise<number> {
  const { options, cluster, transact } = leader;
  let problem: Problem | undefined;
  if (state.stopped || options.storeFault?.() !== undefined)
    return waitForCaptures(leader, state, { resource, job: undefined, problem });
  if (state.launched_at === null) await transact((tx) => startSchedulingDeadline(tx, state.id));
  try {
    const attributes = { 'tearsheet.generation': state.generation };
    await withSpan('create Job', { attributes }, () => cluster.createJob(jobSpec(state, resource, options)));
  } catch (error) {
    if (error instanceof JobNameConflictError) return changeJobName(leader, state, { resource, error });
    if (!(error instanceof RefusedError)) throw error;
    problem = { reason: error.reason, message: error.message };
  }
  return waitForCaptures(leader, state, { resource, job: undefined, problem });
}

/** The next generation gets another name. After the last generation, the controller waits until the name is free. */
async function changeJobName(
  leader: LeaderContext,
  state: StoredJob,
  { resource, error }: { readonly resource: ScreenshotJob; readonly error: JobNameConflictError },
): Promise<number> {
  const status = { resource, job: undefined, problem: { reason: 'JobNameConflict', message: error.message } };
  if (state.generation >= MAX_GENERATIONS) return waitForCaptures(leader, state, status);
  const pause = await leader.statuses.update(state, status);
  // Operators must be able to read the conflict, so the status is written before the name changes.
  if (Number.isFinite(pause)) return pause;
  const fields = { job_id: state.id, job: jobName(state) };
  leader.options.log.warn(
    fields,
    'a Job name is taken by a Job of another owner; the next generation uses another name',
  );
  await leader.transact((tx) => nextGeneration(tx, state.id, state.generation));
  return NOW;
}

interface CurrentJob {
  readonly resource: ScreenshotJob;
  readonly job: CaptureJob | undefined;
  readonly problem: Problem | undefined;
}

/** Writes the status, and settles the job if no capture has started within the scheduling deadline. */
async function waitForCaptures(
  leader: LeaderContext,
  state: StoredJob,
  { resource, job, problem }: CurrentJob,
): Promise<number> {
  const { schedulingSeconds } = resource.spec.deadlines;
  const left = msUntilSchedulingDeadline(state, schedulingSeconds);
  if (left <= 0) {
    const cause = `No capture was started within ${schedulingSeconds} s.`;
    const details = problem === undefined ? cause : `${cause} ${operatorText(problem)}`;
    return settle(leader, state, 'unscheduled', { words: clientText(problem), details });
  }
  const statusPause = await leader.statuses.update(state, { resource, job, problem });
  const retry = job === undefined ? LATER : Number.POSITIVE_INFINITY;
  return Math.min(statusPause, retry, left + DEADLINE_MARGIN_MS, msUntilDue(state));
}

async function startNextGeneration(
  leader: LeaderContext,
  read: StoredJob,
  { resource, job }: { readonly resource: ScreenshotJob; readonly job: CaptureJob },
): Promise<number> {
  const { store, log } = leader.options;
  // Results may have arrived between the read of the state and the end of the Job.
  const state = await readJob(store.db, read.name);
  if (state === undefined || state.settled_at !== null || !state.open) return NOW;
  if (state.generation !== read.generation) return NOW;
  if (leader.options.storeFault?.() !== undefined)
    return Math.min(await leader.statuses.update(state, { resource, job }), LATER, msUntilDue(state));
  const { failedIndexes, stuck, lastFailure } = job;
  if (state.generation >= MAX_GENERATIONS) {
    return settle(leader, state, 'lost', lastFailure && { details: operatorText(lastFailure) });
  }
  if (lastFailure !== undefined) {
    // Operators must be able to read it, so the status is written before the next captures begin.
    const pause = await leader.statuses.update(state, { resource, job, problem: lastFailure });
    if (Number.isFinite(pause)) return pause;
  }
  const fields = { job_id: state.id, set_id: state.set_id, failedIndexes, stuck };
  log.warn(fields, 'a Job ended or is stuck with work left; creating the next generation');
  await leader.transact((tx) => nextGeneration(tx, state.id, state.generation));
  await leader.cluster.deleteJob(job);
  return NOW;
}

/** Jobs of earlier generations remain if a controller crashed after it had counted the next generation. */
async function deleteEarlierJobs({ cluster }: LeaderContext, { name, generation }: StoredJob): Promise<void> {
  for (let earlier = 1; earlier < generation; earlier++) {
    const job = await cluster.getJob(jobName({ name, generation: earlier }));
    if (job !== undefined) await cluster.deleteJob(job);
  }
}

/** True if the Job was suspended or resumed since that was stored. It no longer matters after the first capture. */
function hasSuspensionChanged({ started, launched_at }: StoredJob, { suspended }: CaptureJob): boolean {
  return !started && suspended === (launched_at !== null);
}

function msUntilSchedulingDeadline({ started, launched_at, now }: StoredJob, seconds: number): number {
  if (started || launched_at === null) return Number.POSITIVE_INFINITY;
  return launched_at.getTime() + seconds * 1000 - now.getTime();
}

/** Milliseconds until the deadline or the expiry of a claim. No notification reports these. */
function msUntilDue({ now, deadline_at, next_claim_expiry }: StoredJob): number {
  const due = Math.min(deadline_at.getTime(), next_claim_expiry?.getTime() ?? Number.POSITIVE_INFINITY);
  return Math.max(DEADLINE_MARGIN_MS, due - now.getTime() + DEADLINE_MARGIN_MS);
}

const CLIENT_TEXTS: Readonly<Record<string, string>> = {
  QuotaExceeded: 'the quota of the cluster is used up',
  Unschedulable: 'the cluster had no capacity for it',
  ImagePullFailed: 'the program could not be fetched',
  PodStartFailed: 'the program could not be started',
  PodRejected: 'the cluster rejected its pods',
  PermissionDenied: 'the cluster does not allow the service to start it',
  JobNameConflict: 'the name of its Job is taken in the cluster',
  NodeLost: 'the machine that was chosen for it was lost',
  Suspended: 'the cluster suspended it',
};

/** For the client that made the request, who must not see details of the cluster. */
function clientText(problem: Problem | undefined): string {
  return CLIENT_TEXTS[problem?.reason ?? ''] ?? 'the cluster had no capacity';
}

function operatorText({ reason, message }: Problem): string {
  return `${reason}: ${sanitizeMessage(message)}`;
}
