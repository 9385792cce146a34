/** Quotas of organizations: screenshots that they may request on a day, and captures that may run at the same time. */
import { type Failure, tooMany } from './failure.ts';

export const QUOTA_MAX = 1_000_000_000;

/** The default quotas of organizations. */
export interface DefaultQuotas {
  /** Undefined: no limit. */
  readonly picturesPerDay: number | undefined;
  readonly runningCaptures: number;
}

export const DEFAULT_QUOTAS: DefaultQuotas = { picturesPerDay: undefined, runningCaptures: 50 };

/** For a screenshot request over the quota of the day. Nothing was stored. */
export function quotaExceeded(given: { wanted: number; used: number; quota: number; now: Date }): Failure {
  const [wanted, used, quota] = [given.wanted, given.used, given.quota].map((count) => count.toLocaleString('en'));
  const reset = nextDay(given.now);
  const text = `The organization may request ${quota} screenshots a day (UTC). It requested ${used} today, and this request wants ${wanted} more. The next day begins at ${reset.toISOString()}.`;
  const seconds = Math.ceil((reset.getTime() - given.now.getTime()) / 1000);
  return tooMany('quota', text, seconds, 'quota_exceeded');
}

/** @returns the start of the next day in UTC. */
export function nextDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}

/** @returns the day in UTC as `2026-11-21`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
