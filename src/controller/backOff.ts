/** How long a key that failed waits: the longer of its own pause, which doubles, and its turn at a bucket that all keys share. */

export interface BackOffOptions {
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

export class BackOff {
  readonly #options: BackOffOptions;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #failures = new Map<string, number>();
  #tokens: number;
  #filledAt: number;

  constructor(options: BackOffOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#tokens = options.burst;
    this.#filledAt = this.#clock();
  }

  /** Counts a failure. @returns in how many milliseconds the key may be tried again. */
  failed(key: string): number {
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    const { firstPauseMs, longestPauseMs } = this.#options;
    const full = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(count - 1, 30));
    // Half of it by chance: keys that failed together do not come back together.
    const own = full * (0.5 + this.#random() / 2);
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
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * retriesPerSecond) - 1;
    this.#filledAt = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / retriesPerSecond) * 1000;
  }
}
