/**
 * The delay before a failed key is retried: the longer of two times. One is its own back-off, which doubles with each failure. The other is
 * the wait for a token of the bucket that all keys share.
 */
import { backOffMs } from '../lib/backOff.ts';
import { type Bucket, refilled } from '../lib/tokenBucket.ts';

export interface RetryDelayOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Limit for all keys together. */
  readonly retriesPerSecond: number;
  readonly burst: number;
  /** Milliseconds on a monotonic clock. */
  readonly clock?: () => number;
  /** @returns a number from 0 to 1. */
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

  /** Counts a failure of the key. @returns milliseconds until it may be retried. */
  failed(key: string): number {
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    const { firstMs, maxMs } = this.#options;
    const own = backOffMs(count, { firstMs, maxMs }, this.#random);
    return Math.max(own, this.#takeToken());
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

  /** Takes a token, in advance if none is left. @returns milliseconds until the token is available. */
  #takeToken(): number {
    const { retriesPerSecond, burst } = this.#options;
    const now = this.#clock();
    const { tokens, at } = refilled(this.#bucket, { perSecond: retriesPerSecond, burst }, now);
    this.#bucket = { tokens: tokens - 1, at };
    return tokens >= 1 ? 0 : ((1 - tokens) / retriesPerSecond) * 1000;
  }
}
