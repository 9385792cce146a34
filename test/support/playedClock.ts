/** A clock that the test moves: what sleeps wakes when its time has come, in order. */
import type { Clock } from '../../src/cluster/kubernetes/client/clock.ts';

export interface PlayedClock extends Clock {
  /** How long each sleep was, in the order they began. */
  readonly slept: readonly number[];
  /** What sleeps now. */
  readonly sleepers: number;
  /** Moves on, and wakes what is due. */
  advance(ms: number): void;
  /** From now on nothing sleeps: time moves on by as much as is slept. */
  hurry(): void;
}

export function playedClock(random = 0.5): PlayedClock {
  let now = 1_000_000;
  let hurries = false;
  const slept: number[] = [];
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
    },
    hurry() {
      hurries = true;
    },
  };
}
