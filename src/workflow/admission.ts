/** Admission: creates jobs for sets and ads of the backlog, fairly between organizations and within limits. */
import { randomUUID } from 'node:crypto';
import { planBatches, planCreativeIndexes, type WantedFrame, wantedFrames } from '../domain/batches.ts';
import { findDevice } from '../domain/devices.ts';
import { chooseFairly } from '../domain/fairness.ts';
import { resourceNameOf } from '../domain/resourceNames.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import { isStopped } from '../store/installation/installation.ts';
import { countRunning, readBacklog } from '../store/jobs/backlog.ts';
import { insertJob, lockAdmission, type NewJob } from '../store/jobs/insertJob.ts';
import { assignIndexes, readPlannedScreenshots } from '../store/screenshots/results.ts';
import { startCapturing } from '../store/sets/setStatus.ts';

/** Jobs in one transaction. The caller repeats it while there are more. */
const MAX_AT_ONCE = 20;
const FRAMES_WITHOUT_SET: WantedFrame[] = [{ marker_ms: null, ratio: 1 }];

export interface AdmissionLimits {
  /** Captures that may run at the same time, of all organizations together. */
  readonly maxPods: number;
  readonly maxPodsPerOrganization: number;
  /** Captures of one set. */
  readonly parallelism: number;
  /** The most pages that one index takes, if a set has many. Default: 4. */
  readonly pagesPerIndex?: number;
  readonly setDeadlineSeconds: number;
}

export interface Admitted {
  readonly jobId: string;
  /** Name of the ScreenshotJob. */
  readonly name: string;
}

/** @returns the new jobs; none if the backlog is empty or the limits are reached. */
export async function admitWaiting(transaction: Queryable, limits: AdmissionLimits): Promise<Admitted[]> {
  await lockAdmission(transaction);
  if (await isStopped(transaction)) return [];
  const { maxPods, maxPodsPerOrganization, parallelism } = limits;
  const running = await countRunning(transaction);
  const backlog = await readBacklog(transaction, parallelism);
  const chosen = chooseFairly(backlog, { running, maxPods, maxPodsPerOrganization }).slice(0, MAX_AT_ONCE);
  const admitted: Admitted[] = [];
  for (const { item, parallelism } of chosen) {
    const { organizationId, setId, adIds = [] } = item;
    const job = { organizationId, parallelism, limits };
    const made =
      setId === undefined ? await admitAds(transaction, adIds, job) : await admitSet(transaction, setId, job);
    if (made !== undefined) admitted.push(made);
  }
  return admitted;
}

interface JobPlan {
  readonly organizationId: string;
  readonly parallelism: number;
  readonly limits: AdmissionLimits;
}

/** @returns undefined if the set was canceled in the meantime. */
async function admitSet(transaction: Queryable, setId: string, job: JobPlan): Promise<Admitted | undefined> {
  if (!(await startCapturing(transaction, setId))) return undefined;
  const screenshots = await readPlannedScreenshots(transaction, setId);
  const { indexes, assignment } = planBatches(screenshots, job.limits.parallelism, job.limits.pagesPerIndex);
  const shown = screenshots.map((screenshot) => ({ ...screenshot, ratio: findDevice(screenshot.device)?.ratio ?? 1 }));
  const creatives = [...Map.groupBy(shown, ({ adId }) => adId)].map(([adId, places]) => ({
    adId,
    wanted: wantedFrames(places),
  }));
  const admitted = await storeJob(transaction, { ...job, setId, indexes, creatives });
  await assignIndexes(
    transaction,
    screenshots.map(({ id }) => id),
    assignment,
  );
  await notify(transaction, { set: setId, job: admitted.jobId, organization: job.organizationId });
  return admitted;
}

async function admitAds(transaction: Queryable, adIds: readonly string[], job: JobPlan): Promise<Admitted> {
  const creatives = adIds.map((adId) => ({ adId, wanted: FRAMES_WITHOUT_SET }));
  const indexes = planCreativeIndexes(adIds.length);
  const admitted = await storeJob(transaction, { ...job, setId: undefined, indexes, creatives });
  await notify(transaction, { job: admitted.jobId });
  return admitted;
}

async function storeJob(
  transaction: Queryable,
  { limits, parallelism, ...plan }: JobPlan & Pick<NewJob, 'setId' | 'indexes' | 'creatives'>,
): Promise<Admitted> {
  const jobId = randomUUID();
  const name = resourceNameOf(plan.setId === undefined ? { jobId } : { setId: plan.setId });
  await insertJob(transaction, {
    ...plan,
    id: jobId,
    name,
    parallelism: Math.min(parallelism, plan.indexes),
    deadlineSeconds: limits.setDeadlineSeconds,
  });
  return { jobId, name };
}
