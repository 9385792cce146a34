/**
 * Brings one ScreenshotJob and its Job in line with Postgres. Every step may be the last one before a crash: the next call
 * reads everything again and goes on from there.
 */
import type { CaptureJob } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { expireClaims } from '../store/jobCreatives.ts';
import { type JobState, nextGeneration, readJobState } from '../store/jobState.ts';
import { type SettleCause, settleJob } from '../store/settlement.ts';
import type { ControllerOptions } from './options.ts';
import { isSameStatus, resourceSpec, statusOf } from './status.ts';

const MOST_GENERATIONS = 3;
/** Between two writes of a status that differ in their counts alone. */
const STATUS_PAUSE_MS = 1_000;
/** How long captures of a finished set may take to end by themselves. */
const FAREWELL_MS = 10_000;
/** Nothing that is younger is judged to be unknown: its row may not be seen yet. */
const YOUNG_MS = 120_000;
/** Beyond the set's own deadline. */
const LAST_BOUND_SECONDS = 3_600;
const NOW = 0;

export interface Reconciler {
  /** @returns in how many milliseconds to look again; undefined: when something changes. @throws StaleLeaderError */
  reconcile(name: string): Promise<number | undefined>;
}

export function createReconciler(options: ControllerOptions, epoch: string): Reconciler {
  const { store, queue, cluster, settings, log, observe } = options;
  const aftermath = { queue, publicUrl: settings.publicUrl };
  /** When the status of a resource was last written. */
  const written = new Map<string, number>();

  async function reconcile(name: string): Promise<number | undefined> {
    const resource = await cluster.getScreenshotJob(name);
    const state = await readJobState(store.db, name);
    if (state === undefined) return removeUnknown(name, resource);
    if (state.settled_at !== null) return finish(state, resource);
    if (state.cancel_requested || resource?.spec.cancel === true || resource?.deleting === true) {
      return cancel(state, resource);
    }
    if (resource === undefined) {
      await cluster.createScreenshotJob(name, resourceSpec(state, settings));
      return NOW;
    }
    if (!state.open) return settle(state, 'complete');
    if (state.deadline_at <= state.now) return settle(state, 'deadline');
    if (state.claims_overdue) {
      observe?.screenshots?.(await store.db.transaction().execute((tx) => expireClaims(tx, state.id, aftermath)));
      return NOW;
    }
    return run(state, resource);
  }

  async function run(state: JobState, resource: ScreenshotJob): Promise<number | undefined> {
    const name = jobName(state);
    const job = await cluster.getJob(name);
    if (job === undefined) {
      await cluster.createJob(jobSpec(state, resource));
    } else if (job.ownerUid !== resource.uid) {
      // Of a resource of the same name that is gone.
      await cluster.deleteJob(job);
      return NOW;
    } else if (job.finished) {
      return afterJob(state, job);
    }
    const pause = await writeStatus(state, { resource, job });
    return Math.min(pause, dueIn(state));
  }

  /** Its Job has ended, and what is open was left behind: the next generation takes it, or nobody does. */
  async function afterJob(seen: JobState, job: CaptureJob): Promise<number | undefined> {
    // Results may have come in after the state was read and before the Job ended.
    const state = await readJobState(store.db, seen.name);
    if (state === undefined || state.settled_at !== null || !state.open) return NOW;
    if (state.generation !== seen.generation) return NOW;
    if (state.generation >= MOST_GENERATIONS) return settle(state, 'lost');
    log.warn({ job_id: state.id, set_id: state.set_id, failedIndexes: job.failedIndexes }, 'a Job left work behind');
    await nextGeneration(store.db, state.id, state.generation);
    await cluster.deleteJob(job);
    return NOW;
  }

  async function cancel(state: JobState, resource: ScreenshotJob | undefined): Promise<number | undefined> {
    if (resource !== undefined && resource.spec.cancel !== true) await cluster.cancelScreenshotJob(resource);
    if (resource !== undefined) await writeStatus({ ...state, cancel_requested: true }, { resource, job: undefined });
    await settle(state, 'canceled');
    const job = await cluster.getJob(jobName(state));
    if (job !== undefined) await cluster.deleteJob(job);
    return NOW;
  }

  async function settle(state: JobState, cause: SettleCause): Promise<number> {
    const settlement = { jobId: state.id, cause, epoch };
    const { outcome, closed } = await store.db.transaction().execute((tx) => settleJob(tx, settlement, aftermath));
    observe?.screenshots?.(closed);
    if (outcome === 'settled') {
      const seconds = (state.now.getTime() - state.admitted_at.getTime()) / 1000;
      log.info({ job_id: state.id, set_id: state.set_id, organization: state.organization, cause, seconds }, 'settled');
    }
    return NOW;
  }

  /** The result is in Postgres: what is left is to say so, end what still runs, and forget it after a while. */
  async function finish(state: JobState, resource: ScreenshotJob | undefined): Promise<number | undefined> {
    const job = await cluster.getJob(jobName(state));
    const age = state.now.getTime() - (state.settled_at?.getTime() ?? 0);
    if (resource !== undefined) await writeStatus(state, { resource, job, atOnce: true });
    if (job !== undefined) {
      const mayEndItself = state.outcome === 'complete' && !job.finished && age < FAREWELL_MS;
      if (mayEndItself) return FAREWELL_MS - age;
      await cluster.deleteJob(job);
      return NOW;
    }
    const left = settings.finishedTtlSeconds * 1000 - age;
    if (resource === undefined || left > 0) return resource === undefined ? undefined : left;
    await cluster.deleteScreenshotJob(resource);
    written.delete(state.name);
    return undefined;
  }

  /** A resource that no row knows. Elsewhere than here it may be somebody's who looks at the wrong database: it is left. */
  async function removeUnknown(name: string, resource: ScreenshotJob | undefined): Promise<number | undefined> {
    if (resource === undefined) return undefined;
    const age = Date.now() - resource.createdAt.getTime();
    if (age < YOUNG_MS) return YOUNG_MS - age;
    log.warn({ resource: name }, 'a ScreenshotJob that no row knows');
    if (settings.isLocal) {
      await cluster.deleteScreenshotJob(resource);
    } else if (resource.status?.reason !== 'UnknownSet') {
      const message = 'No row of the database knows it.';
      await cluster.updateStatus(resource, {
        reason: 'UnknownSet',
        message,
        ...{ total: 0, done: 0, failed: 0, pods: 0, conditions: [] },
      });
      await cluster.recordEvent(resource, { type: 'Warning', reason: 'UnknownSet', message });
    }
    return undefined;
  }

  /** @returns in how many milliseconds it may be written again, if it has to be. */
  async function writeStatus(
    state: JobState,
    { resource, job, atOnce = false }: { resource: ScreenshotJob; job: CaptureJob | undefined; atOnce?: boolean },
  ): Promise<number> {
    const before = resource.status;
    const status = statusOf({ state, job, before, generation: resource.generation });
    if (isSameStatus(before, status)) return Number.POSITIVE_INFINITY;
    const isTransition = before?.reason !== status.reason;
    const left = (written.get(state.name) ?? 0) + STATUS_PAUSE_MS - performance.now();
    if (!isTransition && !atOnce && left > 0) return left;
    await cluster.updateStatus(resource, status);
    written.set(state.name, performance.now());
    if (isTransition) {
      const type = status.reason === 'Queued' || WELL.has(status.reason) ? 'Normal' : 'Warning';
      await cluster.recordEvent(resource, { type, reason: status.reason, message: status.message ?? '' });
    }
    return Number.POSITIVE_INFINITY;
  }

  function jobSpec(state: JobState, resource: ScreenshotJob) {
    // A pod may begin just before the deadline.
    const expiresAt = new Date(state.deadline_at.getTime() + settings.podDeadlineSeconds * 1000);
    return {
      name: jobName(state),
      owner: { name: resource.name, uid: resource.uid },
      jobId: state.id,
      organization: state.organization,
      indexes: state.indexes,
      parallelism: state.parallelism,
      retriesPerIndex: settings.retries,
      podDeadlineSeconds: settings.podDeadlineSeconds,
      lastBoundSeconds: settings.setDeadlineSeconds + LAST_BOUND_SECONDS,
      environment: {
        TEARSHEET_INTERNAL_URL: settings.internalUrl,
        TEARSHEET_TOKEN: options.issueToken(state.id, expiresAt),
      },
    };
  }

  return { reconcile };
}

const WELL = new Set(['Running', 'Completed', 'CompletedWithFailures', 'Canceling', 'Canceled']);

function jobName({ name, generation }: JobState): string {
  return `${name}-${generation}`;
}

/** Until something happens on Postgres's clock that no notification tells of. */
function dueIn({ now, deadline_at, next_claim_expiry }: JobState): number {
  const due = Math.min(deadline_at.getTime(), next_claim_expiry?.getTime() ?? Number.POSITIVE_INFINITY);
  return Math.max(10, due - now.getTime() + 10);
}
