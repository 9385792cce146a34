import { Counter, Gauge, Histogram, type LabelValues, type Registry } from 'prom-client';
import { withDeadline } from '../lib/deadline.ts';

/** Names of labels with the values whose series start at 0. Otherwise a series starts at 1, and Prometheus misses the first increase. */
type Labels<L extends string> = Readonly<Record<L, readonly string[]>>;

export type Instruments = ReturnType<typeof createInstruments>;

const DEADLINE_MS = 2_000;

/** @returns functions that make metrics, which docs/metrics.md lists in the order in which they are made. */
export function createInstruments(registry: Registry) {
  const about = <L extends string>(name: string, help: string, labels?: Labels<L>) => ({
    ...{ name: `tearsheet_${name}`, help, registers: [registry] },
    labelNames: Object.keys(labels ?? {}) as L[],
  });
  function counter<L extends string = never>(name: string, help: string, labels?: Labels<L>): Counter<L> {
    const made = new Counter<L>(about(name, help, labels));
    for (const series of seriesOf(labels)) made.inc(series, 0);
    return made;
  }
  function histogram<L extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: Labels<L>,
  ): Histogram<L> {
    const made = new Histogram<L>({ ...about(name, help, labels), buckets: [...buckets] });
    for (const series of seriesOf(labels)) made.zero(series);
    return made;
  }
  /** A gauge without labels is absent until it is set. */
  function gauge<L extends string = never>(name: string, help: string, ...labels: readonly L[]): Gauge<L> {
    const made = new Gauge<L>({ ...about(name, help), labelNames: labels });
    clear(made);
    return made;
  }
  /** A metric that is read at each scrape. */
  function measured(name: string, help: string, read: () => number): void {
    new Gauge({
      ...about(name, help),
      collect() {
        this.set(read());
      },
    });
  }
  return { counter, histogram, gauge, measured, registry };
}

/** @returns one set of labels for each combination of their values. */
function seriesOf<L extends string>(labels?: Labels<L>): LabelValues<L>[] {
  return Object.entries<readonly string[]>(labels ?? {}).reduce<LabelValues<L>[]>(
    (all, [label, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}

/** Removes its values. A gauge without labels would otherwise report 0. */
function clear(gauge: Gauge<string>): void {
  gauge.reset();
  if ('labelNames' in gauge && Array.isArray(gauge.labelNames) && gauge.labelNames.length === 0) gauge.remove();
}

interface ScrapeGaugesOptions<T> {
  /** They are removed first, because a scrape must not show an old value. */
  readonly gauges: readonly Gauge<string>[];
  set(state: T): void;
  /** Counts the scrapes at which reading failed or was late. */
  readonly failures: Counter;
}

/** Creates gauges that are read at each scrape. */
export function createScrapeGauges<T>({ gauges, set, failures }: ScrapeGaugesOptions<T>) {
  let source: (() => Promise<T>) | undefined;
  return {
    /** Sets the function that reads the state at each scrape. It has two seconds. */
    setSource: (read: () => Promise<T>): void => {
      source = read;
    },
    /** Updates the gauges before a scrape. Never throws. */
    refresh: async (): Promise<void> => {
      if (source === undefined) return;
      for (const each of gauges) clear(each);
      try {
        set(await withDeadline(DEADLINE_MS, source()));
      } catch {
        failures.inc(); // The counter reports the failure. The scrape must answer with all other metrics.
      }
    },
  };
}
