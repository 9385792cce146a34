import type { Counter } from 'prom-client';
import { withDeadline } from '../lib/deadline.ts';

export interface Collected<T> {
  /** From now on this is asked, for two seconds at most. */
  use(collect: () => Promise<T>): void;
  /** Before a scrape; never throws. */
  refresh(): Promise<void>;
}

export interface CollectedGauges<T> {
  set(state: T): void;
  /** A gauge that nobody can read is absent, not what it was. */
  clear(): void;
  /** Scrapes at which the answer failed or was late. */
  readonly failures: Counter;
}

const DEADLINE_MS = 2_000;

/** Gauges that are asked for at each scrape. */
export function collected<T>({ set, clear, failures }: CollectedGauges<T>): Collected<T> {
  let collect: (() => Promise<T>) | undefined;
  return {
    use: (given) => {
      collect = given;
    },
    refresh: async () => {
      if (collect === undefined) return;
      clear();
      try {
        set(await withDeadline(DEADLINE_MS, collect()));
      } catch {
        failures.inc(); // The count is the report: a scrape must answer although what it asks does not.
      }
    },
  };
}
