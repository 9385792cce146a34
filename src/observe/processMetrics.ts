/** Processor time, memory and event loop of this process, under the names of Prometheus clients. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import { withDeadline } from '../lib/deadline.ts';

export interface ScrapeGauges<T> {
  /** Sets the function that reads the state at each scrape. */
  setSource(read: () => Promise<T>): void;
  /** Updates the gauges before a scrape. Never throws. */
  refresh(): Promise<void>;
}

interface ScrapeGaugesOptions<T> {
  set(state: T): void;
  /** Removes the gauges, because a scrape must not show an old value. */
  clear(): void;
  /** Counts the scrapes at which reading failed or was late. */
  readonly failures: Counter;
}

const DEADLINE_MS = 2_000;

export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  let used = 0;
  new Counter({
    name: 'tearsheet_process_cpu_seconds_total',
    help: 'Processor time of the process, in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const now = (user + system) / 1_000_000;
      this.inc(now - used);
      used = now;
    },
  });
  new Gauge({
    name: 'tearsheet_process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'tearsheet_nodejs_heap_size_used_bytes',
    help: 'Used part of the heap of JavaScript.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  const delay = monitorEventLoopDelay();
  delay.enable();
  new Gauge({
    name: 'tearsheet_nodejs_eventloop_lag_p99_seconds',
    help: 'Time that ready callbacks wait in the event loop, 99th percentile since the last scrape.',
    registers,
    collect() {
      this.set(delay.percentile(99) / 1_000_000_000);
      delay.reset();
    },
  });
}

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
