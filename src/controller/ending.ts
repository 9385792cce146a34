/** How a job ends: in Postgres first, then in the cluster. */
import type { CaptureJob } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import type { StoredJob } from '../store/jobs/jobs.ts';
import { type SettleCause, type Settlement, settleJob } from '../workflow/settlement.ts';
import { jobName } from './jobPlan.ts';
import { LATER, type LeaderContext, NOW, SOON, show } from './leaderContext.ts';

/** How long captures of a finished set may take to end by themselves. */
const FAREWELL_MS = 10_000;
/** How long the deletion of a resource waits for its pods. */
const PODS_MS = 60_000;

/** Whatever is open gets its failure; see `store/settlement.ts`. */
export async function settle(
  { options, transact }: LeaderContext,
  state: StoredJob,
  cause: SettleCause,
  problem?: Settlement['problem'],
): Promise<number> {
  const { log } = options;
  const settlement = { jobId: state.id, cause, ...(problem && { problem }) };
  const outcome = await transact((tx, context) => settleJob(tx, settlement, context));
  if (outcome === 'settled') {
    const seconds = (state.now.getTime() - state.admitted_at.getTime()) / 1000;
    const { id: job_id, set_id, organization } = state;
    log.info({ job_id, set_id, organization, cause, seconds, ...(problem && { problem: problem.details }) }, 'settled');
  }
  return NOW;
}

/** By `spec.cancel`, or by the deletion of its resource: its captures are asked to end, and what they have by now is kept. */
export async function cancel(term: LeaderContext, state: StoredJob, resource: ScreenshotJob): Promise<number> {
  const job = await term.cluster.getJob(jobName(state));
  if (job !== undefined && !job.deleting) await term.cluster.deleteJob(job, { waits: !job.stuck });
  await show(term, state, { resource, job, canceling: true });
  return settle(term, state, 'canceled');
}

/** The result is in Postgres: what is left is to say so, end what still runs, and forget it after a while. */
export async function finish(
  term: LeaderContext,
  state: StoredJob,
  resource: ScreenshotJob | undefined,
): Promise<number | undefined> {
  const age = state.now.getTime() - (state.settled_at?.getTime() ?? 0);
  const again = await endJobs(term, state, { age, patient: resource?.deleting !== true });
  if (resource === undefined) {
    if (again === undefined) forget(term, state.name);
    return again;
  }
  const job = await term.cluster.getJob(jobName(state));
  const pause = await show(term, state, { resource, job });
  if (resource.deleting) return release(term, resource, { age, again });
  const next = again ?? (await expireResource(term, state, { resource, age }));
  return Math.min(pause, next);
}

/** What its deletion waited for is done; for pods that do not end it waits no longer. */
async function release(
  term: LeaderContext,
  resource: ScreenshotJob,
  { age, again }: { age: number; again: number | undefined },
): Promise<number | undefined> {
  if (again !== undefined && age < PODS_MS) return Math.min(again, PODS_MS - age);
  await term.cluster.releaseScreenshotJob(resource);
  forget(term, resource.name);
  return again;
}

async function expireResource(
  { look, cluster, retention }: LeaderContext,
  { name }: StoredJob,
  { resource, age }: { resource: ScreenshotJob; age: number },
): Promise<number> {
  const oldest = retention.keep(name);
  if (oldest !== undefined) look(oldest);
  const left = resource.spec.ttlSecondsAfterFinished * 1000 - age;
  if (left > 0 && !retention.isExcess(name)) return left;
  await cluster.deleteScreenshotJob(resource);
  return SOON;
}

/** Of every generation: one may have been left when a controller ended. @returns when to look again, if one is there still. */
async function endJobs(
  { cluster }: LeaderContext,
  state: StoredJob,
  { age, patient }: { age: number; patient: boolean },
): Promise<number | undefined> {
  let again = Number.POSITIVE_INFINITY;
  for (let generation = 1; generation <= state.generation; generation++) {
    const job = await cluster.getJob(jobName({ name: state.name, generation }));
    if (job === undefined) continue;
    const mayEndItself = patient && state.outcome === 'complete' && !job.finished && age < FAREWELL_MS;
    if (!mayEndItself) await end(cluster, job);
    again = Math.min(again, mayEndItself ? FAREWELL_MS - age : LATER);
  }
  return Number.isFinite(again) ? again : undefined;
}

async function end(cluster: LeaderContext['cluster'], job: CaptureJob): Promise<void> {
  if (job.stuck || !job.deleting) await cluster.deleteJob(job, { waits: !job.stuck });
}

function forget({ statuses, retention }: LeaderContext, name: string): void {
  statuses.forget(name);
  retention.forget(name);
}
