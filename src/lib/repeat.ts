export interface Repetition {
  /** Lets `isStopped` be true, starts no further run, and waits for the run that is under way. */
  stop(): Promise<void>;
}

/**
 * Runs the work now and then every `everyMs` milliseconds, one run after the other.
 * @param work must not reject. Long work asks `isStopped` between its steps.
 */
export function repeat(work: (isStopped: () => boolean) => Promise<void>, everyMs: number): Repetition {
  let stopped = false;
  const run = () => work(() => stopped);
  let running = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, everyMs);
  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
      return running;
    },
  };
}
