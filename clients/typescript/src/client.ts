import type { CallOptions } from './call.ts';
import { DeadlineError } from './errors.ts';
import { Operations } from './generated/operations.ts';
import { sleep } from './sleep.ts';

type ScreenshotSet = Awaited<ReturnType<Operations['getScreenshotSet']>>;

export interface WaitOptions extends Pick<CallOptions, 'signal'> {
  /** 15 minutes unless given. */
  deadlineMs?: number;
  /** The time between two reads. 2 s unless given. */
  intervalMs?: number;
}

/** A client for one organization of one service. */
export class Tearsheet extends Operations {
  /**
   * Waits until all pictures of a set are taken or failed. The set is then `approved`, `failed`, `canceled` or, where people review,
   * `in_review` or `rejected`. To be notified instead, use a webhook.
   */
  async waitForScreenshotSet(id: string, options: WaitOptions = {}): Promise<ScreenshotSet> {
    const { deadlineMs = 15 * 60_000, intervalMs = 2_000, signal } = options;
    const end = Date.now() + deadlineMs;
    for (;;) {
      const set = await this.getScreenshotSet(id, signal ? { signal } : {});
      if (set.status !== 'draft' && set.status !== 'capturing') return set;
      if (Date.now() + intervalMs > end)
        throw new DeadlineError(
          `Set ${id} is still ${set.status} after ${deadlineMs / 1000} s. Its capture continues.`,
        );
      await sleep(intervalMs, signal);
    }
  }
}
