/** Exponential back-off with jitter, for everything that retries. */
export interface BackOffRange {
  readonly firstMs: number;
  readonly maxMs: number;
}

export interface Repetition {
  /** Lets `isStopped` be true, starts no further run, and waits for the run that is under way. */
  stop(): Promise<void>;
}

/**
 * Runs the work now and then every `everyMs` milliseconds, one run at a time. A run that is due during another is skipped.
 * @param work must not reject. Long work asks `isStopped` between its steps.
 */
export function repeat(work: (isStopped: () => boolean) => Promise<void>, everyMs: number): Repetition {
  let stopped = false;
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    await work(() => stopped);
    isRunning = false;
  };
  let running = run();
  const timer = setInterval(() => {
    if (!isRunning) running = run();
  }, everyMs);
  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
      return running;
    },
  };
}

/**
 * The delay doubles with each failure. Half of it is random, so that calls that failed together do not return together.
 * @param failures so far, 1 or more.
 * @param random a number from 0 to 1.
 * @returns milliseconds, at least half of the full delay.
 */
export function backOffMs(
  failures: number,
  { firstMs, maxMs }: BackOffRange,
  random: () => number = Math.random,
): number {
  return doubledMs(failures, { firstMs, maxMs }) * (0.5 + random() / 2);
}

/** As {@link backOffMs}, without jitter. */
export function doubledMs(failures: number, { firstMs, maxMs }: BackOffRange): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
}
