/**
 * The reconcile queue: a queue of keys with the rules of client-go's work queue.
 *
 * A key is `dirty` if it must be processed, and `processing` while a worker has it. A key that becomes dirty while it is processed waits and
 * is processed once more afterwards. So no key is processed twice at the same time, and a key that is added several times before its turn
 * is processed once. A key that fails is retried after a back-off. No state is kept for a key that succeeded.
 */

import { type BackOffRange, backOffMs } from '../lib/repeat.ts';

export interface QueueSize {
  /** Keys that wait for a free worker. */
  readonly ready: number;
  readonly processing: number;
  /** Keys that are added later. */
  readonly delayed: number;
  /** Keys whose last try failed. */
  readonly failing: number;
}

export interface WorkQueueOptions {
  /** Processes a key. @returns milliseconds until it is added again; undefined: not by itself. */
  readonly work: (key: string) => Promise<number | undefined>;
  readonly concurrency: number;
  readonly failed: (key: string, error: unknown, failures: number) => void;
  readonly backOff?: BackOffRange;
}

const BACK_OFF = { firstMs: 100, maxMs: 30_000 };
/** A timer of more than 2^31 ms fires at once. */
const MAX_DELAY_MS = 3_600_000;

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Failures in a row, by key. */
  readonly #failures = new Map<string, number>();
  /** In the order in which they are processed. */
  readonly #dirty = new Set<string>();
  readonly #processing = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, { readonly due: number; readonly timer: NodeJS.Timeout }>();
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Passed as a function, so it is bound to the queue. */
  readonly add = (key: string): void => {
    if (this.#stopped || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    this.#start();
  };

  /** If the key is added several times, the earliest time counts. */
  addAfter(key: string, ms: number): void {
    if (this.#stopped) return;
    const delay = Math.min(Math.max(0, ms), MAX_DELAY_MS);
    const due = performance.now() + delay;
    const scheduled = this.#timers.get(key);
    if (scheduled !== undefined && scheduled.due <= due) return;
    clearTimeout(scheduled?.timer);
    const fire = () => {
      this.#timers.delete(key);
      this.add(key);
    };
    this.#timers.set(key, { due, timer: setTimeout(fire, delay) });
  }

  size(): QueueSize {
    return {
      ready: this.#dirty.size,
      processing: this.#processing.size,
      delayed: this.#timers.size,
      failing: this.#failures.size,
    };
  }

  /** Takes no more keys and waits for those that are processed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#dirty.clear();
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#processing.values());
  }

  #start(): void {
    if (this.#stopped) return;
    for (const key of this.#dirty) {
      if (this.#processing.size >= this.#options.concurrency) return;
      if (this.#processing.has(key)) continue;
      this.#dirty.delete(key);
      // Starts in a microtask, so that the key is in #processing when its work begins.
      this.#processing.set(
        key,
        Promise.resolve().then(() => this.#process(key)),
      );
    }
  }

  async #process(key: string): Promise<void> {
    await this.#try(key);
    this.#processing.delete(key);
    this.#start();
  }

  async #try(key: string): Promise<void> {
    const { work, failed, backOff = BACK_OFF } = this.#options;
    try {
      const next = await work(key);
      this.#failures.delete(key);
      if (next !== undefined) this.addAfter(key, next);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      failed(key, error, failures);
      this.addAfter(key, backOffMs(failures, backOff));
    }
  }
}
