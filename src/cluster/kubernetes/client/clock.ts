/** Time as the parts of a cluster's client read it; tests hand in one that they drive. */
import { sleep } from '../../../lib/sleep.ts';

export interface Clock {
  /** Milliseconds that no change of the system's time touches. */
  now(): number;
  /** @throws when the signal says so */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1 */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep,
  random: Math.random,
};
