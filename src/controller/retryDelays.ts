/** How long a key that failed waits: the longer of its own pause, which doubles, and its turn at a bucket that all keys share. */
import { backOffMs } from '../lib/backOff.ts';
import { type Bucket, refilled } from '../lib/tokenBucket.ts';

export interface RetryDelayOptions {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Of all keys together, when many fail at once. */
  readonly retriesPerSecond: number;
  readonly burst: number;
  /** Milliseconds that never run backwards. */
  readonly clock?: () => number;
  /** 0 to 1. */
  readonly random?: () => number;
}

export class RetryDelays {
  readonly #options: RetryDelayOptions;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #failures = new Map<string, number>();
  #bucket: Bucket | undefined;

  constructor(options: RetryDelayOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
  }

  /** Counts a failure. @returns in how many milliseconds the key may be tried again. */
  failed(key: string): number {
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    const { firstPauseMs, longestPauseMs } = this.#options;
    const own = backOffMs(count, { firstMs: firstPauseMs, maxMs: longestPauseMs }, this.#random);
    return Math.max(own, this.#takeTurn());
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  get failing(): number {
    return this.#failures.size;
  }

  /** Takes a token, of the future where none is left. @returns when it will be there. */
  #takeTurn(): number {
    const { retriesPerSecond, burst } = this.#options;
    const now = this.#clock();
    const { tokens, at } = refilled(this.#bucket, { perSecond: retriesPerSecond, burst }, now);
    this.#bucket = { tokens: tokens - 1, at };
    return tokens >= 1 ? 0 : ((1 - tokens) / retriesPerSecond) * 1000;
  }
}
