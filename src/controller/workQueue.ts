/**
 * Keys to be worked on, with the semantics of client-go's queue. A key is `dirty` when it is to be worked on and `processing`
 * while it is: one that becomes dirty meanwhile waits for its worker and is worked on once more. So no key is worked on
 * twice at once, and however often it is added before its turn, it is worked on once. One that fails comes back after a pause; one
 * that is done, or gone, leaves no trace.
 */
import { RetryDelays } from './retryDelays.ts';

export interface WorkQueue {
  add(key: string): void;
  /** The earlier of two times counts. */
  addAfter(key: string, ms: number): void;
  size(): QueueSize;
  /** Takes nothing more and waits for what is being worked on. */
  stop(): Promise<void>;
}

export interface QueueSize {
  /** To be worked on as soon as a worker is free. */
  readonly ready: number;
  readonly processing: number;
  /** To be looked at later. */
  readonly delayed: number;
  /** Whose last try failed. */
  readonly failing: number;
}

/** Told of everything that is measured. */
export interface QueueObserver {
  added?(): void;
  retried?(): void;
  /** Seconds from being added to being worked on. */
  waited?(seconds: number): void;
  worked?(seconds: number, outcome: 'done' | 'failed'): void;
}

export interface WorkQueueOptions {
  /** @returns in how many milliseconds to look at the key again; undefined: when it is added. */
  readonly work: (key: string) => Promise<number | undefined>;
  readonly concurrency: number;
  readonly failed: (key: string, error: unknown, failures: number) => void;
  readonly backOff?: RetryDelays;
  readonly observe?: QueueObserver;
}

const BACK_OFF = { firstPauseMs: 100, longestPauseMs: 30_000, retriesPerSecond: 20, burst: 100 };
/** A delay beyond 2^31 ms would fire at once. */
const LONGEST_DELAY_MS = 3_600_000;

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyedQueue(options);
}

class KeyedQueue implements WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #backOff: RetryDelays;
  /** Keys with the time at which they were added, in the order of their turns. */
  readonly #dirty = new Map<string, number>();
  readonly #processing = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, { readonly due: number; readonly timer: NodeJS.Timeout }>();
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#backOff = options.backOff ?? new RetryDelays(BACK_OFF);
  }

  // Handed on as functions, so they are bound.
  readonly add = (key: string): void => {
    if (this.#stopped || this.#dirty.has(key)) return;
    this.#options.observe?.added?.();
    this.#dirty.set(key, performance.now());
    this.#start();
  };

  readonly addAfter = (key: string, ms: number): void => {
    if (this.#stopped) return;
    const delay = Math.min(Math.max(0, ms), LONGEST_DELAY_MS);
    const due = performance.now() + delay;
    const known = this.#timers.get(key);
    if (known !== undefined && known.due <= due) return;
    clearTimeout(known?.timer);
    const fire = () => {
      this.#timers.delete(key);
      this.add(key);
    };
    this.#timers.set(key, { due, timer: setTimeout(fire, delay) });
  };

  size(): QueueSize {
    return {
      ready: this.#dirty.size,
      processing: this.#processing.size,
      delayed: this.#timers.size,
      failing: this.#backOff.failing,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#dirty.clear();
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#processing.values());
  }

  #start(): void {
    if (this.#stopped) return;
    for (const [key, since] of this.#dirty) {
      if (this.#processing.size >= this.#options.concurrency) return;
      if (this.#processing.has(key)) continue;
      this.#dirty.delete(key);
      this.#options.observe?.waited?.((performance.now() - since) / 1000);
      // Later, so that the key counts as processing when its work begins.
      this.#processing.set(
        key,
        Promise.resolve().then(() => this.#process(key)),
      );
    }
  }

  async #process(key: string): Promise<void> {
    const begun = performance.now();
    const outcome = await this.#try(key);
    this.#options.observe?.worked?.((performance.now() - begun) / 1000, outcome);
    this.#processing.delete(key);
    this.#start();
  }

  async #try(key: string): Promise<'done' | 'failed'> {
    const { work, failed, observe } = this.#options;
    try {
      const again = await work(key);
      this.#backOff.forget(key);
      if (again !== undefined) this.addAfter(key, again);
      return 'done';
    } catch (error) {
      const pause = this.#backOff.failed(key);
      failed(key, error, this.#backOff.failures(key));
      observe?.retried?.();
      this.addAfter(key, pause);
      return 'failed';
    }
  }
}
