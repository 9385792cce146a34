/** A clock that the test advances. Sleepers wake in the order of their due times, and then expired timers fire. */
import type { Clock } from '../../src/cluster/kubernetes/client/clock.ts';

export interface FakeClock extends Clock {
  /** The length of each sleep in milliseconds, in the order of their starts. */
  readonly slept: readonly number[];
  /** The number of sleepers. */
  readonly sleepers: number;
  /** Advances the clock and wakes the sleepers that are due. */
  advance(ms: number): void;
  /** From now on each sleep ends at once and advances the clock by its length. Timers do not fire then. */
  skipSleeps(): void;
}

export function fakeClock(random = 0.5): FakeClock {
  let now = 1_000_000;
  let hurries = false;
  const slept: number[] = [];
  const timers = new Set<{ until: number; readonly expired: () => void }>();
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    slept,
    get sleepers() {
      return sleepers.size;
    },
    now: () => now,
    random: () => random,
    sleep(ms, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      slept.push(ms);
      if (hurries) {
        now += ms;
        return new Promise((resolve) => setImmediate(resolve));
      }
      return new Promise((resolve, reject) => {
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
      });
    },
    advance(ms) {
      now += ms;
      const due = [...sleepers].filter(({ until }) => until <= now).sort((a, b) => a.until - b.until);
      for (const sleeper of due) {
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      for (const timer of [...timers].filter(({ until }) => until <= now)) {
        timers.delete(timer);
        timer.expired();
      }
    },
    startTimer(ms, expired) {
      const timer = { until: now + ms, expired };
      timers.add(timer);
      return {
        restart: () => {
          timer.until = now + ms;
        },
        stop: () => void timers.delete(timer),
      };
    },
    skipSleeps() {
      hurries = true;
    },
  };
}
