/** The time as the client and the caches read it. Tests pass a clock that they advance themselves. */
import { sleep } from '../../../lib/sleep.ts';

/** A time limit of a request. */
interface Timer {
  /** Starts the time again. */
  restart(): void;
  stop(): void;
}

export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** @throws when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** @returns a number from 0 up to, but not including, 1. */
  random(): number;
  /** Calls `expired` after `ms`, unless the timer was stopped or started again. */
  startTimer(ms: number, expired: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep,
  random: Math.random,
  startTimer: (ms, expired) => {
    const timer = setTimeout(expired, ms);
    return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
  },
};
