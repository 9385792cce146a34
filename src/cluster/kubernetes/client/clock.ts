/** The time as the client and the caches read it. Tests pass a clock that they advance themselves. */
import { sleep } from '../../../lib/sleep.ts';

export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** @throws when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** @returns a number from 0 up to, but not including, 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep,
  random: Math.random,
};
