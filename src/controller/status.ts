/** The status of a ScreenshotJob, from the state of the job in PostgreSQL and its Job in the cluster. */

import { isDeepStrictEqual } from 'node:util';
import type { CaptureJob, ClusterPort, Problem } from '../cluster/port.ts';
import {
  SCREENSHOT_JOB_REASONS,
  type ScreenshotJob,
  type ScreenshotJobReason,
  type ScreenshotJobStatus,
} from '../contract/screenshotJob.ts';
import { StaleLeaderError } from '../core/jobs/installation.ts';
import type { StoredJob } from '../core/jobs/jobs.ts';
import { cutCodePoints, storable } from '../domain/text.ts';
import type { Log } from '../lib/log.ts';
import type { ControllerOptions } from './options.ts';

type Condition = ScreenshotJobStatus['conditions'][number];
type Counts = StoredJob['creatives'];

export interface StatusInput {
  readonly state: StoredJob;
  readonly job: CaptureJob | undefined;
  /** Why the Job does not run or could not be created. */
  readonly problem: Problem | undefined;
  /** The job is being canceled. */
  readonly canceling: boolean;
  /** The current status. Its transition times are kept. */
  readonly before: ScreenshotJobStatus | undefined;
  readonly generation: number;
  /** Why the artifact store is unavailable. */
  readonly storeFault?: string | undefined;
}

const MAX_MESSAGE_LENGTH = 1_024;

/**
 * Makes a message of the cluster safe for terminals, PostgreSQL and logs. Admission policies, registries and authors of Events choose parts
 * of it, so control characters and characters that cannot be stored are replaced, and the length is limited.
 */
export function sanitizeMessage(text: string): string {
  return cutCodePoints(
    storable(text.slice(0, 4 * MAX_MESSAGE_LENGTH)).replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' '),
    MAX_MESSAGE_LENGTH,
  );
}

export function statusOf(input: StatusInput): ScreenshotJobStatus {
  const { state, job, before, generation } = input;
  const counts = countsOf(state);
  const { reason, message } = waitingForStore(input) ?? summary(input);
  return {
    observedGeneration: generation,
    reason,
    ...(message === '' ? {} : { message }),
    progress: `${counts.done}/${counts.total}`,
    ...counts,
    pods: job?.active ?? 0,
    startTime: state.admitted_at.toISOString(),
    ...completion(state),
    conditions: conditionsOf(state, { reason, message }).map((condition) => ({
      ...condition,
      lastTransitionTime: transitionTime(condition, before) ?? state.now.toISOString(),
    })),
  };
}

/** A job of ads alone has no screenshots. */
function countsOf({ screenshots, creatives }: StoredJob): Counts {
  return screenshots.total === 0 ? creatives : screenshots;
}

const UNKNOWN = {
  reason: 'UnknownSet',
  message:
    'The database of this installation has no screenshot set for this ScreenshotJob, so no pod will run. Request sets through the API; the controller creates their ScreenshotJobs.',
} as const;

/** The status of a ScreenshotJob that a person made, or that belongs to another database. */
export function unknownStatus({ generation, status }: ScreenshotJob, now: Date): ScreenshotJobStatus {
  const condition = { type: 'Settled', status: 'False', ...UNKNOWN } as const;
  const lastTransitionTime = transitionTime(condition, status) ?? now.toISOString();
  return {
    observedGeneration: generation,
    ...UNKNOWN,
    total: 0,
    done: 0,
    failed: 0,
    pods: 0,
    conditions: [{ ...condition, lastTransitionTime }],
  };
}

/** @returns undefined if nothing waits for the artifact store. */
function waitingForStore(input: StatusInput): ReturnType<typeof summary> | undefined {
  const { state, canceling, storeFault } = input;
  if (storeFault === undefined || state.settled_at !== null || canceling) return undefined;
  return { ...summary(input), message: sanitizeMessage(`Waiting until pictures can be stored: ${storeFault}`) };
}

/** A job is Running while its Job exists and a capture has started before. While its Job is replaced, it is Queued again. */
function summary({ state, job, problem, canceling }: StatusInput): { reason: ScreenshotJobReason; message: string } {
  if (state.settled_at !== null) return ending(state);
  if (canceling) return { reason: 'Canceling', message: 'The captures are being stopped.' };
  if (problem !== undefined) {
    const known = SCREENSHOT_JOB_REASONS.find((name) => name === problem.reason);
    return { reason: known ?? 'PodStartFailed', message: sanitizeMessage(problem.message) };
  }
  if (state.host !== null) {
    const by = `by a capture of ${state.host.name ?? 'another ScreenshotJob'}, which has finished its own work`;
    return state.started
      ? { reason: 'Running', message: `Its pictures are taken ${by}.` }
      : { reason: 'Queued', message: `Its pictures will be taken ${by}.` };
  }
  const isRunning = state.started && job !== undefined && !job.deleting;
  const wanted = Math.min(state.parallelism, state.indexes);
  const waiting = wanted - Math.min(wanted, state.started_indexes);
  const message = waiting === 0 ? '' : `Waiting for ${waiting} of ${wanted} pods.`;
  return { reason: isRunning ? 'Running' : 'Queued', message };
}

function ending(state: StoredJob): { reason: ScreenshotJobReason; message: string } {
  const { total, done, failed } = countsOf(state);
  // Set if the last generation failed too, or the artifact store was unavailable at the deadline.
  const lastProblem = state.problem === null ? '' : ` ${sanitizeMessage(state.problem)}`;
  switch (state.outcome) {
    case 'canceled':
      return { reason: 'Canceled', message: `${done} of ${total} were done.` };
    case 'deadline':
      return { reason: 'DeadlineExceeded', message: `${done} of ${total} were done.${lastProblem}` };
    case 'unscheduled':
      return {
        reason: 'DeadlineExceeded',
        message: sanitizeMessage(state.problem ?? 'No capture was started in time.'),
      };
  }
  const codes = state.failures === '' ? '.' : `: ${state.failures}.`;
  if (done === 0) return { reason: 'Failed', message: `None of ${total} could be captured${codes}${lastProblem}` };
  if (failed > 0)
    return {
      reason: 'CompletedWithFailures',
      message: `${failed} of ${total} could not be captured${codes}${lastProblem}`,
    };
  return { reason: 'Completed', message: '' };
}

function completion({ settled_at, admitted_at }: StoredJob): { completionTime?: string; duration?: string } {
  if (settled_at === null) return {};
  return {
    completionTime: settled_at.toISOString(),
    duration: durationOf(settled_at.getTime() - admitted_at.getTime()),
  };
}

/** In the format of kubectl: 42s, 3m7s, 2h5m. */
function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours}h${minutes}m`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}

type ConditionWithoutTime = Omit<Condition, 'lastTransitionTime'>;

function conditionsOf(
  state: StoredJob,
  { reason, message }: { reason: string; message: string },
): ConditionWithoutTime[] {
  const settled = state.settled_at !== null;
  const isGood = reason === 'Completed' || reason === 'CompletedWithFailures';
  return [
    captureCondition('AdsCaptured', state.creatives, 'creatives'),
    captureCondition('SitesCaptured', state.screenshots, 'screenshots'),
    {
      type: 'Settled',
      status: settled ? 'True' : 'False',
      reason: settled ? reason : 'Open',
      message: settled ? 'The results are stored.' : 'Results are still missing.',
    },
    {
      type: 'Succeeded',
      status: settled ? (isGood ? 'True' : 'False') : 'Unknown',
      reason,
      message,
    },
  ];
}

function captureCondition(
  type: 'AdsCaptured' | 'SitesCaptured',
  { total, done, failed }: Counts,
  what: string,
): ConditionWithoutTime {
  if (total === 0) return { type, status: 'True', reason: 'NoneWanted', message: `It has no ${what}.` };
  const open = total - done - failed;
  return {
    type,
    status: open === 0 ? 'True' : 'False',
    reason: open > 0 ? 'Capturing' : failed > 0 ? 'CapturedWithFailures' : 'Captured',
    message: `${done} of ${total} ${what} captured, ${failed} failed.`,
  };
}

function transitionTime(
  { type, status }: ConditionWithoutTime,
  before: ScreenshotJobStatus | undefined,
): string | undefined {
  return before?.conditions.find((known) => known.type === type && known.status === status)?.lastTransitionTime;
}

const PAUSE_MS = 1_000;
const NORMAL_REASONS = new Set(['Queued', 'Running', 'Completed', 'CompletedWithFailures', 'Canceling', 'Canceled']);

interface StatusUpdate {
  readonly resource: ScreenshotJob;
  readonly job: CaptureJob | undefined;
  /** The problem of the Job unless set. */
  readonly problem?: Problem | undefined;
  readonly canceling?: boolean;
}

/** Writes a changed status, at most once a second for each ScreenshotJob, and records an Event for each change of the reason. */
export class StatusWriter {
  readonly #cluster: ClusterPort;
  readonly #log: Log;
  readonly #clock: () => number;
  readonly #storeFault: () => string | undefined;
  /** When the status was last written, by the name of the ScreenshotJob. */
  readonly #writtenAt = new Map<string, number>();

  constructor(
    cluster: ClusterPort,
    log: Log,
    {
      clock = () => performance.now(),
      storeFault = () => undefined,
    }: Pick<ControllerOptions, 'clock' | 'storeFault'> = {},
  ) {
    this.#cluster = cluster;
    this.#log = log;
    this.#clock = clock;
    this.#storeFault = storeFault;
  }

  /** Writes the status that follows from the state of the job. @returns as `write` does. */
  update(
    state: StoredJob,
    { resource, job, problem = job?.problem, canceling = false }: StatusUpdate,
  ): Promise<number> {
    const { status: before, generation } = resource;
    const storeFault = this.#storeFault();
    return this.write(resource, statusOf({ state, job, problem, canceling, before, generation, storeFault }));
  }

  /** @returns Infinity if the status is up to date; otherwise the milliseconds until it may be written. */
  async write(resource: ScreenshotJob, status: ScreenshotJobStatus): Promise<number> {
    const before = resource.status;
    // The API server may return the fields in another order.
    if (isDeepStrictEqual(before, status)) return Number.POSITIVE_INFINITY;
    // The result is written at once. After it only the number of pods changes.
    const isEnd = status.completionTime !== undefined && before?.completionTime === undefined;
    const left = (this.#writtenAt.get(resource.name) ?? Number.NEGATIVE_INFINITY) + PAUSE_MS - this.#clock();
    if (left > 0 && !isEnd) return left;
    await this.#cluster.updateStatus(resource, status);
    this.#writtenAt.set(resource.name, this.#clock());
    if (before?.reason !== status.reason) await this.#recordEvent(resource, status);
    return Number.POSITIVE_INFINITY;
  }

  forget(name: string): void {
    this.#writtenAt.delete(name);
  }

  /** An Event that cannot be written must not stop the reconciliation. */
  async #recordEvent(resource: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    const { reason } = status;
    const type = NORMAL_REASONS.has(reason) ? 'Normal' : 'Warning';
    try {
      await this.#cluster.recordEvent(resource, { type, reason, message: eventMessage(resource, status) });
    } catch (error) {
      if (error instanceof StaleLeaderError) throw error;
      this.#log.warn({ resource: resource.name, reason, err: error }, 'an Event could not be written');
    }
  }
}

/** A normal status has counts and no message, but an Event needs a message. */
function eventMessage(
  { spec }: ScreenshotJob,
  { reason, message, total, done, pods, duration }: ScreenshotJobStatus,
): string {
  const what = spec.set === undefined ? 'creatives' : 'pictures';
  if (message !== undefined) return message;
  if (reason === 'Running') return `${pods} of ${spec.batches} captures running, ${done} of ${total} ${what} done.`;
  if (reason === 'Completed') return `All ${total} ${what} done${duration === undefined ? '' : ` in ${duration}`}.`;
  return `${total - done} of ${total} ${what} wait for captures to start.`;
}
