/**
 * Admission: creates jobs for sets and ads of the backlog, fairly between organizations and within limits. A small set becomes the guest of
 * a capture that waits for one, if its organization has such a capture.
 */
import { randomUUID } from 'node:crypto';
import { planBatches, planCreativeIndexes, type WantedFrame, wantedFrames } from '../domain/batches.ts';
import { findDevice } from '../domain/devices.ts';
import { type Capacity, chooseFairly } from '../domain/fairness.ts';
import { resourceNameOf } from '../domain/resourceNames.ts';
import { releaseSmallSets, type SmallSetLimits } from '../domain/smallSets.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import { isStopped } from '../store/installation/installation.ts';
import {
  countRunning,
  countUnstarted,
  raiseParallelism,
  readBacklog,
  readGrowable,
  type WaitingItem,
} from '../store/jobs/backlog.ts';
import { type IdleHost, lockIdleHosts } from '../store/jobs/hosting.ts';
import { insertJob, lockAdmission, type NewJob } from '../store/jobs/insertJob.ts';
import { assignIndexes, readPlannedScreenshots } from '../store/screenshots/results.ts';
import { startCapturing } from '../store/sets/setStatus.ts';
import { giveGuest, stopHosting } from './hosting.ts';

/** Jobs in one transaction. The caller repeats it while there are more. */
const MAX_AT_ONCE = 20;
const FRAMES_WITHOUT_SET: WantedFrame[] = [{ marker_ms: null, ratio: 1 }];

export interface AdmissionLimits {
  /** Captures that may run at the same time, of all organizations together. */
  readonly maxPods: number;
  readonly maxPodsPerOrganization: number;
  /** Captures of one set. */
  readonly parallelism: number;
  /** A job keeps the parallelism of its admission, because Kueue has admitted its Job with it. */
  readonly fixedParallelism?: boolean;
  /** The most pages that one index takes, if a set has many. Default: 4. */
  readonly pagesPerIndex?: number;
  readonly setDeadlineSeconds: number;
  /** Unset: no set waits for a running capture, and no capture lingers. */
  readonly smallSets?: SmallSetLimits & {
    /** A capture without a guest ends after this time. */
    readonly lingerSeconds: number;
  };
}

export interface Admitted {
  readonly jobId: string;
  /** Name of the ScreenshotJob. */
  readonly name: string;
  /** Id of the job whose capture takes this one as its guest. */
  readonly host?: string;
}

export interface Admission {
  readonly admitted: readonly Admitted[];
  /** Names of the ScreenshotJobs whose Jobs may run more pods than before. */
  readonly grown: readonly string[];
  /** Milliseconds until a set that waits for a running capture may start its own; undefined if none waits. */
  readonly nextMs: number | undefined;
}

/** A job without a capture after this time probably waits for a place in the cluster. */
const START_SECONDS = 5;

/** Admits nothing if the limits are reached. If the backlog is empty, running jobs get the free places. */
export async function admitWaiting(transaction: Queryable, limits: AdmissionLimits): Promise<Admission> {
  await lockAdmission(transaction);
  if (await isStopped(transaction)) return { admitted: [], grown: [], nextMs: undefined };
  const { chosen, idle, nextMs, grown } = await choose(transaction, limits);
  const admitted: Admitted[] = [];
  let started = 0;
  for (const { item, parallelism } of chosen) {
    const host = item.small ? takeHost(idle, item.organizationId) : undefined;
    const made = await admit(transaction, item, { parallelism, limits, host });
    if (made === undefined) {
      if (host !== undefined) idle.push(host);
      continue;
    }
    admitted.push(made);
    if (made.host === undefined) started += parallelism;
  }
  if (chosen.length < MAX_AT_ONCE) await endIdleHosts(transaction, idle, { started, limits });
  return { admitted, grown, nextMs };
}

interface ChosenItem {
  readonly item: WaitingItem & { readonly packed: boolean };
  readonly parallelism: number;
}

/** Idle hosts count as free capacity, so that they give no organization an advantage. */
async function choose(
  transaction: Queryable,
  { maxPods, maxPodsPerOrganization, parallelism, fixedParallelism, smallSets }: AdmissionLimits,
): Promise<{ chosen: readonly ChosenItem[]; idle: IdleHost[]; nextMs: number | undefined; grown: readonly string[] }> {
  const hosts = await lockIdleHosts(transaction);
  const idle = hosts.slice(hosts.length === 0 ? 0 : await countUnstarted(transaction, START_SECONDS));
  for (const { jobId, index } of hosts.slice(0, hosts.length - idle.length))
    await stopHosting(transaction, jobId, index);
  const running = await countRunning(transaction);
  const idleOf = countByOrganization(idle);
  const waiting = await readBacklog(transaction, parallelism);
  const { ready, nextMs } = releaseSmallSets(waiting, { running: running.small, idle: idleOf }, smallSets);
  const busy = new Map([...running.all].map(([id, pods]) => [id, pods - (idleOf.get(id) ?? 0)]));
  const chosen = chooseFairly(ready, { running: busy, maxPods, maxPodsPerOrganization }).slice(0, MAX_AT_ONCE);
  const grown =
    fixedParallelism || waiting.length > 0
      ? []
      : await growJobs(transaction, parallelism, { running: running.all, maxPods, maxPodsPerOrganization });
  return { chosen, idle, nextMs, grown };
}

/** Gives places that no set waits for to the jobs that can use more. @returns the names of these jobs. */
async function growJobs(transaction: Queryable, parallelism: number, capacity: Capacity): Promise<string[]> {
  const chosen = chooseFairly(await readGrowable(transaction, parallelism), capacity);
  for (const { item, parallelism: more } of chosen) await raiseParallelism(transaction, item.jobId, more);
  return chosen.map(({ item }) => item.name);
}

function countByOrganization(hosts: readonly IdleHost[]): Map<string, number> {
  const lines = Map.groupBy(hosts, ({ organizationId }) => organizationId);
  return new Map([...lines].map(([id, line]) => [id, line.length]));
}

function takeHost(idle: IdleHost[], organizationId: string): IdleHost | undefined {
  const at = idle.findIndex((host) => host.organizationId === organizationId);
  return at < 0 ? undefined : idle.splice(at, 1)[0];
}

/** Each started capture takes the place of an idle one. At most one stays, and only if it may linger. */
async function endIdleHosts(
  transaction: Queryable,
  idle: readonly IdleHost[],
  { started, limits }: { readonly started: number; readonly limits: AdmissionLimits },
): Promise<void> {
  const { lingerSeconds = 0 } = limits.smallSets ?? {};
  const stays = lingerSeconds > 0 && started < idle.length ? 1 : 0;
  for (const { jobId, index } of idle.slice(0, idle.length - stays)) await stopHosting(transaction, jobId, index);
}

interface JobPlan {
  readonly parallelism: number;
  readonly limits: AdmissionLimits;
  readonly host: IdleHost | undefined;
}

/** @returns undefined if the set was canceled in the meantime. */
async function admit(transaction: Queryable, item: ChosenItem['item'], plan: JobPlan): Promise<Admitted | undefined> {
  return item.setId === undefined ? admitAds(transaction, item, plan) : admitSet(transaction, item.setId, item, plan);
}

async function admitSet(
  transaction: Queryable,
  setId: string,
  item: ChosenItem['item'],
  plan: JobPlan,
): Promise<Admitted | undefined> {
  if (!(await startCapturing(transaction, setId))) return undefined;
  const { organizationId, small } = item;
  const screenshots = await readPlannedScreenshots(transaction, setId);
  const { indexes, assignment } =
    item.packed || plan.host !== undefined
      ? { indexes: 1, assignment: screenshots.map(() => 0) }
      : planBatches(screenshots, plan.limits.parallelism, plan.limits.pagesPerIndex);
  const shown = screenshots.map((screenshot) => ({ ...screenshot, ratio: findDevice(screenshot.device)?.ratio ?? 1 }));
  const creatives = [...Map.groupBy(shown, ({ adId }) => adId)].map(([adId, places]) => ({
    adId,
    wanted: wantedFrames(places),
  }));
  const admitted = await storeJob(transaction, { organizationId, small, setId, indexes, creatives }, plan);
  await assignIndexes(
    transaction,
    screenshots.map(({ id }) => id),
    assignment,
  );
  if (plan.host !== undefined) await giveGuest(transaction, plan.host, admitted.jobId);
  await notify(transaction, { set: setId, job: admitted.jobId, organization: organizationId });
  return admitted;
}

async function admitAds(
  transaction: Queryable,
  { organizationId, adIds = [] }: WaitingItem,
  plan: JobPlan,
): Promise<Admitted> {
  const creatives = adIds.map((adId) => ({ adId, wanted: FRAMES_WITHOUT_SET }));
  const indexes = planCreativeIndexes(adIds.length);
  const job = { organizationId, small: false, setId: undefined, indexes, creatives };
  const admitted = await storeJob(transaction, job, plan);
  await notify(transaction, { job: admitted.jobId });
  return admitted;
}

async function storeJob(
  transaction: Queryable,
  job: Pick<NewJob, 'organizationId' | 'small' | 'setId' | 'indexes' | 'creatives'>,
  { limits, parallelism, host }: JobPlan,
): Promise<Admitted> {
  const jobId = randomUUID();
  const name = resourceNameOf(job.setId === undefined ? { jobId } : { setId: job.setId });
  await insertJob(transaction, {
    ...job,
    id: jobId,
    name,
    parallelism: Math.min(parallelism, job.indexes),
    deadlineSeconds: limits.setDeadlineSeconds,
  });
  return { jobId, name, ...(host && { host: host.jobId }) };
}
