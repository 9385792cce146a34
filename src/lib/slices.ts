import { setImmediate } from 'node:timers/promises';

/** Long enough to be cheap, and short enough that other requests do not notice it. */
const SLICE_MS = 8;

/** Runs steps to their end without a break. @returns the result. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs steps to their end, and lets the event loop do other work in between. @returns the result. */
export async function runInSlices<T>(steps: Generator<undefined, T>): Promise<T> {
  for (let start = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - start < SLICE_MS) continue;
    await setImmediate();
    start = performance.now();
  }
}
