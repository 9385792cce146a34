import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import { CONNECTION_OUTCOMES } from '../domain/locations.ts';
import { PRIORITIES } from '../domain/priorities.ts';
import { RUN_OUTCOMES } from '../domain/schedules.ts';
import { type CountSignIn, SIGN_IN_METHODS, SIGN_IN_OUTCOMES } from '../domain/signIns.ts';
import { MILESTONES, SCREENSHOT_STATUSES } from '../domain/states.ts';
import { CHANNELS, type Channel } from '../domain/topics.ts';
import { controllerMetrics } from './controllerMetrics.ts';
import { createInstruments, createScrapeGauges, type Instruments } from './instruments.ts';

/** The kinds of removed objects. */
const REMOVED = [
  ...['set', 'draft', 'upload', 'export', 'file', 'job'],
  ...['event', 'test_receiver', 'stored_answer', 'audit_log_entry', 'user'],
];

interface QueueState {
  readonly name: string;
  /** Entries that are ready to run. */
  readonly depth: number;
  /** Waiting time of the oldest of these entries; 0 if there is none. */
  readonly oldestAgeSeconds: number;
}

interface MeasuredRequest {
  /** The pattern (`/api/v1/orgs/:slug/ads`), not the path, because each value creates a time series. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
  /** The limit of a rate or quota that the request exceeded. */
  readonly limit?: string | undefined;
}

type CountedRun = (typeof RUN_OUTCOMES)[number] | 'failed';

interface ReachedMilestone {
  readonly milestone: string;
  readonly priority: string;
  readonly seconds: number;
}

interface HealthState {
  readonly isReady: boolean;
  readonly dependencies: readonly { readonly name: string; readonly isAvailable: boolean }[];
}

interface LocationState {
  readonly id: string;
  readonly isAvailable: boolean;
}

/** Seconds. The objectives in the chart's values are some of them, because alerts count the samples of a bucket. */
export const MILESTONE_BUCKETS = [5, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export type Metrics = ReturnType<typeof createMetrics>;

/** @returns the metrics of a process, as functions that other modules call. None of them throws. */
export function createMetrics() {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  const calls = {
    ...requestMetrics(instruments),
    ...captureMetrics(instruments),
    ...locationMetrics(instruments),
    ...deliveryMetrics(instruments),
    ...maintenanceMetrics(instruments),
    ...scheduleMetrics(instruments),
  };
  const queue = queueMetrics(instruments);
  const controller = controllerMetrics(instruments);
  const collectHealth = healthMetrics(instruments);
  addProcessMetrics(instruments);
  return {
    ...calls,
    collectQueue: queue.setSource,
    /** Sets the function that reports the health of the process at each scrape. */
    collectHealth,
    controller: controller.metrics,
    /** @returns all metrics in the text format of Prometheus. */
    render: async (): Promise<string> => {
      await Promise.all([queue.refresh(), controller.refresh()]);
      return registry.metrics();
    },
    contentType: String(registry.contentType),
    /** @returns the name, kind, labels and help of each metric, for docs/metrics.md. */
    describe: async () => {
      const metrics = await registry.getMetricsAsJSON();
      return metrics.map(({ name, type, help }) => {
        const metric = registry.getSingleMetric(name);
        const labels = metric !== undefined && 'labelNames' in metric ? metric.labelNames : [];
        return { name, kind: String(type), labels: Array.isArray(labels) ? labels.map(String) : [], help };
      });
    },
  };
}

function requestMetrics({ counter, histogram }: Instruments) {
  const requests = counter('requests_total', 'HTTP requests, by route, method and status.', {
    ...{ route: [], method: [], status: [] },
  });
  const requestSeconds = histogram(
    'request_duration_seconds',
    'Time from the first byte of an HTTP request to the end of the response.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    { route: [], method: [] },
  );
  const limited = counter(
    'limited_requests_total',
    'Requests above a limit, by limit. Rates: `key_rate`, `address_rate` and `link_rate` (a share link). Requests that read sets with many pictures at the same time: `large_sets`. Quotas of an organization: `pictures_per_day` and `exports`.',
    { limit: ['key_rate', 'address_rate', 'link_rate', 'large_sets', 'pictures_per_day', 'exports'] },
  );
  const rejectedKeys = counter(
    'rejected_keys_total',
    'API keys that were rejected, by outcome: `wrong` after a look-up, `blocked` without one, after too many wrong keys from the same network.',
    { outcome: ['wrong', 'blocked'] },
  );
  const signIns = counter(
    'sign_ins_total',
    'Sign-ins to the pages, by method and outcome: `signed_in`, `refused` (an unknown or expired person, link or key), `failed` (the provider, or the mail server with the link).',
    { method: SIGN_IN_METHODS, outcome: SIGN_IN_OUTCOMES },
  );
  const countSignIn: CountSignIn = (method, outcome) => signIns.inc({ method, outcome });
  return {
    countSignIn,
    countRequest: ({ route, method: given, status, seconds, limit }: MeasuredRequest) => {
      if (limit !== undefined) limited.inc({ limit });
      // A method that a client invents must not create a time series.
      const method = METHODS.has(given) ? given : 'other';
      requests.inc({ route, method, status: String(status) });
      requestSeconds.observe({ route, method }, seconds);
    },
    countRejectedKey: (outcome: 'wrong' | 'blocked') => rejectedKeys.inc({ outcome }),
  };
}

function captureMetrics({ counter, histogram }: Instruments) {
  const captures = counter('captures_total', 'Screenshots of launched sets that reached a final status, by status.', {
    status: SCREENSHOT_STATUSES.filter((status) => status !== 'pending'),
  });
  const phases = histogram(
    'capture_phase_seconds',
    'Time that a capture spent in each phase.',
    [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
    { phase: [] },
  );
  const processor = counter(
    'capture_processor_seconds_total',
    'Processor time of captures that finished their work, with their browsers. Divided by `tearsheet_captures_total{status="uploaded"}`, it is the cost of a picture.',
  );
  const milestones = histogram(
    'set_milestone_seconds',
    'Time from the acceptance of a set (202) until it is `admitted`, its `first_picture` is stored, or it is settled as `complete`, `deadline`, `lost`, `unscheduled` or `canceled`.',
    MILESTONE_BUCKETS,
    { milestone: MILESTONES, priority: PRIORITIES },
  );
  return {
    /** Counts screenshots that reached these final statuses. */
    countScreenshots: (statuses: readonly string[]) => {
      for (const status of statuses) captures.inc({ status });
    },
    recordCapturePhase: (phase: string, seconds: number) => phases.observe({ phase }, seconds),
    countProcessorSeconds: (seconds: number) => processor.inc(seconds),
    timeMilestones: (reached: readonly ReachedMilestone[]) => {
      for (const { seconds, ...labels } of reached) milestones.observe(labels, seconds);
    },
  };
}

function locationMetrics({ counter, registry }: Instruments) {
  const connections = counter(
    'location_connections_total',
    'Connections of captures through a location, by outcome: `connected`, `target_failed` (the proxy works and did not reach the host), `refused` (by the egress guard), `unavailable` (the proxy failed).',
    { location: [], outcome: [] },
  );
  let states: () => readonly LocationState[] = () => [];
  new Gauge({
    name: 'tearsheet_location_available',
    help: '0 while connections through a location are paused because its proxy failed repeatedly, otherwise 1.',
    labelNames: ['location'],
    registers: [registry],
    collect() {
      for (const { id, isAvailable } of states()) this.set({ location: id }, isAvailable ? 1 : 0);
    },
  });
  return {
    /** Counts a connection of a capture. The setting LOCATIONS bounds the labels. */
    countLocationConnection: (location: string, outcome: string) => connections.inc({ location, outcome }),
    /** Sets the function that names the locations at each scrape. */
    collectLocations: (collect: typeof states) => {
      states = collect;
      for (const { id: location } of collect())
        for (const outcome of CONNECTION_OUTCOMES) connections.inc({ location, outcome }, 0);
    },
  };
}

function deliveryMetrics({ counter, histogram }: Instruments) {
  const deliveries = counter('deliveries_total', 'Deliveries that ended, by outcome.', {
    channel: CHANNELS,
    outcome: ['delivered', 'retries_exhausted', 'gone', 'refused'],
  });
  const attempts = counter('delivery_attempts_total', 'Delivery attempts, by outcome.', {
    channel: CHANNELS,
    outcome: ['delivered', 'retry', 'gone', 'refused'],
  });
  const attemptSeconds = histogram(
    'delivery_attempt_duration_seconds',
    'Duration of a delivery attempt.',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    { channel: [] },
  );
  type Ended = { readonly channel: Channel; readonly outcome: string };
  return {
    countDelivery: ({ channel, outcome }: Ended) => deliveries.inc({ channel, outcome }),
    countDeliveryAttempt: ({ channel, outcome, seconds }: Ended & { readonly seconds: number }) => {
      attempts.inc({ channel, outcome });
      attemptSeconds.observe({ channel }, seconds);
    },
  };
}

function maintenanceMetrics({ counter, gauge }: Instruments) {
  const removed = counter(
    'removed_total',
    'Objects that the maintenance removed because they were too old, by kind. file: files of removed objects.',
    { kind: REMOVED },
  );
  const done = gauge(
    'maintenance_timestamp_seconds',
    'Time at which a task of the maintenance last succeeded, in seconds since 1970; at first the start of the process.',
    'task',
  );
  return {
    /** A task of the maintenance succeeded, or will run from now on. */
    maintained: (task: string) => done.set({ task }, Date.now() / 1000),
    /** Counts what the maintenance removed, by kind. */
    countRemoved: (counts: Readonly<Record<string, number>>) => {
      for (const [kind, count] of Object.entries(counts)) removed.inc({ kind }, count);
    },
  };
}

function scheduleMetrics({ counter }: Instruments) {
  const runs = counter(
    'schedule_runs_total',
    'Runs of schedules, by outcome: `requested`, `skipped`, `refused` (as the API would refuse the request), `failed` (by a fault of the service; tried again for hours).',
    { outcome: [...RUN_OUTCOMES, 'failed'] },
  );
  return { countScheduleRun: (outcome: CountedRun) => runs.inc({ outcome }) };
}

function queueMetrics({ counter, gauge }: Instruments) {
  const depth = gauge('queue_depth', 'Entries of a work queue that are ready to run.', 'queue');
  const age = gauge('queue_oldest_seconds', 'Waiting time of the oldest entry that is ready to run.', 'queue');
  return createScrapeGauges<readonly QueueState[]>({
    gauges: [depth, age],
    set: (queues) => {
      for (const { name: queue, depth: count, oldestAgeSeconds } of queues) {
        depth.set({ queue }, count);
        age.set({ queue }, oldestAgeSeconds);
      }
    },
    failures: counter(
      'queue_collect_failures_total',
      'Scrapes that could not read the state of the work queues. The gauges are absent in such a scrape.',
    ),
  });
}

function healthMetrics({ measured, registry }: Instruments) {
  let read: () => HealthState = () => ({ isReady: false, dependencies: [] });
  measured('ready', '1 while /readyz answers 200, otherwise 0.', () => (read().isReady ? 1 : 0));
  new Gauge({
    name: 'tearsheet_dependency_available',
    help: '1 if the last check of what the process depends on succeeded, otherwise 0: `database`, `artifacts` (the artifact store), `captures` (whether the cluster accepts their Jobs; only controllers).',
    labelNames: ['dependency'],
    registers: [registry],
    collect() {
      for (const { name, isAvailable } of read().dependencies) this.set({ dependency: name }, isAvailable ? 1 : 0);
    },
  });
  return (source: typeof read) => {
    read = source;
  };
}

/** Processor time, memory and event loop of this process, under the names of Prometheus clients. */
function addProcessMetrics({ measured, registry }: Instruments): void {
  let used = 0;
  new Counter({
    name: 'tearsheet_process_cpu_seconds_total',
    help: 'Processor time of the process, in seconds.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      const now = (user + system) / 1_000_000;
      this.inc(now - used);
      used = now;
    },
  });
  measured('process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss());
  const delay = monitorEventLoopDelay();
  delay.enable();
  measured(
    'nodejs_eventloop_lag_p99_seconds',
    'Time that ready callbacks wait in the event loop, 99th percentile since the last scrape.',
    () => {
      const lag = delay.percentile(99) / 1_000_000_000;
      delay.reset();
      return lag;
    },
  );
}
