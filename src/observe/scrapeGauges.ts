import type { Counter } from 'prom-client';
import { withDeadline } from '../lib/deadline.ts';

export interface ScrapeGauges<T> {
  /** Sets the function that reads the state at each scrape. */
  setSource(read: () => Promise<T>): void;
  /** Updates the gauges before a scrape. Never throws. */
  refresh(): Promise<void>;
}

export interface ScrapeGaugesOptions<T> {
  set(state: T): void;
  /** Removes the gauges, because a scrape must not show an old value. */
  clear(): void;
  /** Counts the scrapes at which reading failed or was late. */
  readonly failures: Counter;
}

const DEADLINE_MS = 2_000;

/** Creates gauges that are read at each scrape. */
export function createScrapeGauges<T>({ set, clear, failures }: ScrapeGaugesOptions<T>): ScrapeGauges<T> {
  let source: (() => Promise<T>) | undefined;
  return {
    setSource: (read) => {
      source = read;
    },
    refresh: async () => {
      if (source === undefined) return;
      clear();
      try {
        set(await withDeadline(DEADLINE_MS, source()));
      } catch {
        failures.inc(); // The counter reports the failure. The scrape must answer with all other metrics.
      }
    },
  };
}
