import { doubledMs } from '../lib/backOff.ts';

/** Of a delivery, the first one included. */
export const MAX_TRIES = 14;

const FIRST_WAIT_MS = 10_500;
/** Each wait is up to this part longer or shorter, so that what failed together does not return together. */
const JITTER = 0.1;
/** A receiver may ask for more patience than the schedule has, up to this; never for less. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

export type TryOutcome = 'delivered' | 'retry' | 'gone';

export interface TryResult {
  outcome: TryOutcome;
  /** Tries made so far, this one included. */
  tries: number;
  /** When this try ended. */
  at: Date;
  retryAfterMs?: number | undefined;
}

/** What follows from a try. */
export type Next = { state: 'delivered' | 'gone' | 'retries_exhausted' } | { state: 'waiting'; dueAt: Date };

/**
 * The schedule: a wait of 10.5 s that doubles with each try, 14 tries within about 24 h.
 * @param random from 0 to below 1, as `Math.random`.
 */
export function afterTry(result: TryResult, random: () => number = Math.random): Next {
  if (result.outcome !== 'retry') return { state: result.outcome };
  if (result.tries >= MAX_TRIES) return { state: 'retries_exhausted' };
  const asked = Math.min(Math.max(result.retryAfterMs ?? 0, 0), MAX_RETRY_AFTER_MS);
  const wait = Math.max(waitAfter(result.tries, random), asked);
  return { state: 'waiting', dueAt: new Date(result.at.getTime() + wait) };
}

function waitAfter(tries: number, random: () => number): number {
  const jitter = 1 + JITTER * (2 * random() - 1);
  return Math.round(doubledMs(tries, { firstMs: FIRST_WAIT_MS, maxMs: Infinity }) * jitter);
}

/** Reads `Retry-After`: seconds or an HTTP date. @returns milliseconds from now, never negative; undefined when it says nothing usable. */
export function parseRetryAfter(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  if (!/^[A-Z][a-z]{2}/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
