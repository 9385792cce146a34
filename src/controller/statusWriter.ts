/** Writes a changed status, at most once a second for each ScreenshotJob, and records an Event for each change of the reason. */
import { isDeepStrictEqual } from 'node:util';
import type { CaptureJob, ClusterPort, Problem } from '../cluster/port.ts';
import type { ScreenshotJob, ScreenshotJobStatus } from '../contract/screenshotJob.ts';
import { StaleLeaderError } from '../core/jobs/installation.ts';
import type { StoredJob } from '../core/jobs/jobs.ts';
import type { Log } from '../lib/log.ts';
import { statusOf } from './status.ts';

const PAUSE_MS = 1_000;
const NORMAL_REASONS = new Set(['Queued', 'Running', 'Completed', 'CompletedWithFailures', 'Canceling', 'Canceled']);

export interface StatusUpdate {
  readonly resource: ScreenshotJob;
  readonly job: CaptureJob | undefined;
  /** The problem of the Job unless set. */
  readonly problem?: Problem | undefined;
  readonly canceling?: boolean;
}

export class StatusWriter {
  readonly #cluster: ClusterPort;
  readonly #log: Log;
  readonly #clock: () => number;
  /** When the status was last written, by the name of the ScreenshotJob. */
  readonly #writtenAt = new Map<string, number>();

  constructor(cluster: ClusterPort, log: Log, clock: () => number = () => performance.now()) {
    this.#cluster = cluster;
    this.#log = log;
    this.#clock = clock;
  }

  /** Writes the status that follows from the state of the job. @returns as `write` does. */
  update(
    state: StoredJob,
    { resource, job, problem = job?.problem, canceling = false }: StatusUpdate,
  ): Promise<number> {
    const { status: before, generation } = resource;
    return this.write(resource, statusOf({ state, job, problem, canceling, before, generation }));
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
