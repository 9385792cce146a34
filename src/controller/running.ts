/** A job whose work is to be done: it has a resource, and the resource a Job that runs. */
import { type CaptureJob, NameTakenError, RefusedError } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import {
  clearSchedulingDeadline,
  nextGeneration,
  readJob,
  type StoredJob,
  startSchedulingDeadline,
} from '../store/jobs/jobs.ts';
import { settle } from './ending.ts';
import { jobName, jobSpec, resourceSpec } from './jobPlan.ts';
import { LATER, type LeaderContext, NOW, SOON, show } from './leaderContext.ts';
import { type Problem, plainWords } from './status.ts';

const MAX_GENERATIONS = 3;

export async function makeResource({ options, cluster }: LeaderContext, state: StoredJob): Promise<number> {
  if (state.stopped) return Math.min(LATER, dueIn(state));
  try {
    const answer = await cluster.createScreenshotJob(state.name, resourceSpec(state, options.settings));
    // One that was there was not seen: what is read lags behind.
    return answer === 'created' ? NOW : SOON;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    options.log.warn({ resource: state.name, reason: error.reason, err: error }, 'the cluster refuses a ScreenshotJob');
    return Math.min(LATER, dueIn(state));
  }
}

/** Removed by us although it has work to do: its Job and it go, so that others can be made. */
export async function withdraw(
  { cluster, transact }: LeaderContext,
  state: StoredJob,
  resource: ScreenshotJob,
): Promise<number | undefined> {
  const job = await cluster.getJob(jobName(state));
  if (job !== undefined && !job.stuck) {
    if (!job.deleting) await cluster.deleteJob(job, { waits: true });
    return LATER;
  }
  // Its name stays with what hangs.
  if (job !== undefined) await transact((tx) => nextGeneration(tx, state.id, state.generation));
  await cluster.releaseScreenshotJob(resource);
  return SOON;
}

export async function run(term: LeaderContext, state: StoredJob, resource: ScreenshotJob): Promise<number | undefined> {
  const { cluster } = term;
  await removeLeftBehind(term, state);
  const job = await cluster.getJob(jobName(state));
  if (job === undefined) return makeJob(term, state, resource);
  if (job.ownerUid !== resource.uid) {
    // Of a resource of the same name that is gone.
    await cluster.deleteJob(job);
    return SOON;
  }
  if (job.stuck || (job.finished && !job.deleting)) return leaveBehind(term, state, job);
  if (isHoldNews(state, job)) {
    await term.transact((tx) => (job.suspended ? clearSchedulingDeadline : startSchedulingDeadline)(tx, state.id));
    return NOW;
  }
  return wait(term, state, { resource, job, problem: job.problem });
}

async function makeJob(term: LeaderContext, state: StoredJob, resource: ScreenshotJob): Promise<number | undefined> {
  const { options, cluster, transact } = term;
  if (state.stopped) return wait(term, state, { resource, job: undefined, problem: undefined });
  if (state.launched_at === null) await transact((tx) => startSchedulingDeadline(tx, state.id));
  let problem: Problem | undefined;
  try {
    await cluster.createJob(jobSpec(state, resource, options));
  } catch (error) {
    if (error instanceof NameTakenError) return avoidName(term, state, { resource, message: error.message });
    if (!(error instanceof RefusedError)) throw error;
    problem = { reason: error.reason, message: error.message };
  }
  return wait(term, state, { resource, job: undefined, problem });
}

/** Somebody else's Job has the name: the next generation has another one; the last one waits until the name is free. */
async function avoidName(
  term: LeaderContext,
  state: StoredJob,
  { resource, message }: { resource: ScreenshotJob; message: string },
): Promise<number> {
  const problem = { reason: 'PodRejected', message };
  if (state.generation >= MAX_GENERATIONS) return wait(term, state, { resource, job: undefined, problem });
  const pause = await show(term, state, { resource, job: undefined, problem });
  // It is to be read somewhere, so it is not passed over.
  if (Number.isFinite(pause)) return pause;
  term.options.log.warn({ job_id: state.id, job: jobName(state) }, 'the name of a Job is taken');
  await term.transact((tx) => nextGeneration(tx, state.id, state.generation));
  return NOW;
}

interface Waiting {
  readonly resource: ScreenshotJob;
  readonly job: CaptureJob | undefined;
  readonly problem: Problem | undefined;
}

/** Nothing is to be done but to say how things are, as long as there is hope that something begins. */
async function wait(term: LeaderContext, state: StoredJob, { resource, job, problem }: Waiting): Promise<number> {
  const schedulingSeconds = resource.spec.deadlines.schedulingSeconds;
  const left = schedulingLeft(state, schedulingSeconds);
  if (left <= 0) {
    const late = `No capture was started within ${schedulingSeconds} s.`;
    const details = problem === undefined ? late : `${late} ${detailsOf(problem)}`;
    return settle(term, state, 'unscheduled', { words: wordsOf(problem), details });
  }
  const pause = await show(term, state, { resource, job, problem });
  const retry = job === undefined ? LATER : Number.POSITIVE_INFINITY;
  return Math.min(pause, retry, left + 10, dueIn(state));
}

/** Its Job will do no more, and work is left: the next generation takes it, or nobody does. */
async function leaveBehind(term: LeaderContext, seen: StoredJob, job: CaptureJob): Promise<number> {
  const { store, log } = term.options;
  // Results may have come in after the state was read and before the Job ended.
  const state = await readJob(store.db, seen.name);
  if (state === undefined || state.settled_at !== null || !state.open) return NOW;
  if (state.generation !== seen.generation) return NOW;
  const { failedIndexes, stuck, lastFailure } = job;
  if (state.generation >= MAX_GENERATIONS) {
    return settle(term, state, 'lost', lastFailure && { details: detailsOf(lastFailure) });
  }
  log.warn({ job_id: state.id, set_id: state.set_id, failedIndexes, stuck }, 'a Job left work behind');
  await term.transact((tx) => nextGeneration(tx, state.id, state.generation));
  await term.cluster.deleteJob(job);
  return NOW;
}

/** Jobs of earlier generations: a controller may have ended after counting the next one. */
async function removeLeftBehind({ cluster }: LeaderContext, { name, generation }: StoredJob): Promise<void> {
  for (let earlier = 1; earlier < generation; earlier++) {
    const job = await cluster.getJob(jobName({ name, generation: earlier }));
    if (job !== undefined) await cluster.deleteJob(job);
  }
}

/** Its Job was suspended or let go since that was noted; once a capture was there, the time until then counts no more. */
function isHoldNews({ started, launched_at }: StoredJob, { suspended }: CaptureJob): boolean {
  return !started && suspended === (launched_at !== null);
}

/** Milliseconds until it has been waiting too long for its first capture. */
function schedulingLeft({ started, launched_at, now }: StoredJob, seconds: number): number {
  if (started || launched_at === null) return Number.POSITIVE_INFINITY;
  return launched_at.getTime() + seconds * 1000 - now.getTime();
}

/** Until something happens on Postgres's clock that no notification tells of. */
function dueIn({ now, deadline_at, next_claim_expiry }: StoredJob): number {
  const due = Math.min(deadline_at.getTime(), next_claim_expiry?.getTime() ?? Number.POSITIVE_INFINITY);
  return Math.max(10, due - now.getTime() + 10);
}

const WORDS: Readonly<Record<string, string>> = {
  QuotaExceeded: 'the quota of the cluster is used up',
  Unschedulable: 'the cluster has no room for it',
  ImagePullFailed: 'the program could not be fetched',
  PodStartFailed: 'the program could not be started',
  PodRejected: 'the cluster refuses its pods',
  NodeLost: 'the machine it was to run on was lost',
  Suspended: 'it was held back by the cluster',
};

/** For whoever asked for the pictures, who is not to see how the cluster is made. */
function wordsOf(problem: Problem | undefined): string {
  return WORDS[problem?.reason ?? ''] ?? 'the cluster gave it no place';
}

/** For whoever runs the cluster. */
function detailsOf({ reason, message }: Problem): string {
  return `${reason}: ${plainWords(message)}`;
}
