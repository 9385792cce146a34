/** Writes statuses where they changed, at most once a second for each resource, with an Event for each change of the reason. */
import { isDeepStrictEqual } from 'node:util';
import type { ClusterPort } from '../cluster/port.ts';
import type { ScreenshotJob, ScreenshotJobStatus } from '../contract/screenshotJob.ts';
import type { Log } from '../lib/log.ts';
import { StaleLeaderError } from '../store/installation/installation.ts';

const PAUSE_MS = 1_000;
const WELL = new Set(['Queued', 'Running', 'Completed', 'CompletedWithFailures', 'Canceling', 'Canceled']);

export class StatusWriter {
  readonly #cluster: ClusterPort;
  readonly #log: Log;
  readonly #clock: () => number;
  /** When the status of a resource was last written, by name. */
  readonly #written = new Map<string, number>();

  constructor(cluster: ClusterPort, log: Log, clock: () => number = () => performance.now()) {
    this.#cluster = cluster;
    this.#log = log;
    this.#clock = clock;
  }

  /** @returns in how many milliseconds it may be written, if it is to be and it is too early; Infinity: all is said. */
  async write(resource: ScreenshotJob, status: ScreenshotJobStatus): Promise<number> {
    const before = resource.status;
    // Not by the order of the fields: an API server has its own.
    if (isDeepStrictEqual(before, status)) return Number.POSITIVE_INFINITY;
    // The end is not kept waiting: only pods that go follow it.
    const isEnd = status.completionTime !== undefined && before?.completionTime === undefined;
    const left = (this.#written.get(resource.name) ?? Number.NEGATIVE_INFINITY) + PAUSE_MS - this.#clock();
    if (left > 0 && !isEnd) return left;
    await this.#cluster.updateStatus(resource, status);
    this.#written.set(resource.name, this.#clock());
    if (before?.reason !== status.reason) await this.#tell(resource, status);
    return Number.POSITIVE_INFINITY;
  }

  forget(name: string): void {
    this.#written.delete(name);
  }

  /** Events are a courtesy: work does not wait for one that cannot be written. */
  async #tell(resource: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    const { reason } = status;
    const type = WELL.has(reason) ? 'Normal' : 'Warning';
    try {
      await this.#cluster.recordEvent(resource, { type, reason, message: wordsOf(resource, status) });
    } catch (error) {
      if (error instanceof StaleLeaderError) throw error;
      this.#log.warn({ resource: resource.name, reason, err: error }, 'an Event could not be written');
    }
  }
}

/** Where all goes well the status has no message, for its counts say it; an Event has nothing else. */
function wordsOf(
  { spec }: ScreenshotJob,
  { reason, message, total, done, pods, duration }: ScreenshotJobStatus,
): string {
  const what = spec.set === undefined ? 'creatives' : 'pictures';
  if (message !== undefined) return message;
  if (reason === 'Running') return `${pods} of ${spec.batches} captures at work, ${done} of ${total} ${what} done.`;
  if (reason === 'Completed') return `All ${total} ${what} done${duration === undefined ? '' : ` in ${duration}`}.`;
  return `${total - done} of ${total} ${what} wait for captures to start.`;
}
