import { doubledMs } from '../../lib/repeat.ts';
import type { AttemptResult, NextStep } from './deliveryQueue.ts';

/** The most attempts of a delivery, including the first one. */
export const MAX_ATTEMPTS = 14;

const FIRST_WAIT_MS = 10_500;
/** Each wait is randomly up to 10 % longer or shorter, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
/** `Retry-After` can make a wait longer, up to this limit, but never shorter. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

export type AttemptOutcome = AttemptResult['outcome'];

export interface ScheduleInput {
  outcome: AttemptOutcome;
  /** Attempts so far, including this one. */
  attempts: number;
  retryAfterMs?: number | undefined;
  /** {@link MAX_ATTEMPTS} unless given. */
  maxAttempts?: number;
}

/**
 * Decides what follows an attempt. The first wait is 10.5 s and doubles with each attempt: 14 attempts within about 24 h.
 * @param random a function like `Math.random`.
 */
export function decideNext(input: ScheduleInput, random: () => number = Math.random): NextStep {
  if (input.outcome !== 'retry') return { state: input.outcome };
  if (input.attempts >= (input.maxAttempts ?? MAX_ATTEMPTS)) return { state: 'retries_exhausted' };
  const requested = Math.min(Math.max(input.retryAfterMs ?? 0, 0), MAX_RETRY_AFTER_MS);
  return { state: 'waiting', waitMs: Math.max(waitAfter(input.attempts, random), requested) };
}

function waitAfter(attempts: number, random: () => number): number {
  const jitter = 1 + JITTER * (2 * random() - 1);
  return Math.round(doubledMs(attempts, { firstMs: FIRST_WAIT_MS, maxMs: Infinity }) * jitter);
}
