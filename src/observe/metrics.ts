import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EXPORT_FORMATS } from '../domain/exports.ts';
import { CONNECTION_OUTCOMES } from '../domain/locations.ts';
import { PRIORITIES } from '../domain/priorities.ts';
import { type CountSignIn, SIGN_IN_METHODS, SIGN_IN_OUTCOMES } from '../domain/signIns.ts';
import { MILESTONES, SCREENSHOT_STATUSES } from '../domain/states.ts';
import { CHANNELS, type Channel } from '../domain/topics.ts';
import { type ControllerMetrics, createControllerMetrics } from './controllerMetrics.ts';
import { addProcessMetrics, createScrapeGauges, type ScrapeGauges } from './processMetrics.ts';

/** The kinds of removed objects. */
const REMOVED = [
  ...['set', 'draft', 'upload', 'export', 'file', 'job'],
  ...['event', 'test_receiver', 'stored_answer', 'audit_log_entry', 'user'],
];

export interface QueueState {
  readonly name: string;
  /** Entries that are ready to run. */
  readonly depth: number;
  /** Waiting time of the oldest of these entries; 0 if there is none. */
  readonly oldestAgeSeconds: number;
}

export interface MeasuredRequest {
  /** The pattern (`/api/v1/orgs/:slug/ads`), not the path, because each value creates a time series. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
  /** The limit of a rate or quota that the request exceeded. */
  readonly limit?: string | undefined;
}

export interface MeasuredDeliveryAttempt {
  readonly channel: Channel;
  /** `delivered`, `retry`, `gone`, `refused`. */
  readonly outcome: string;
  readonly seconds: number;
}

interface ReachedMilestone {
  readonly milestone: string;
  readonly priority: string;
  readonly seconds: number;
}

export interface MeasuredExportAttempt {
  readonly format: string;
  /** `ready`, `retry`, `failed`. */
  readonly outcome: string;
  readonly seconds: number;
}

/** The metrics of a process, as functions that other modules call. None of them throws. */
export interface Metrics {
  countRequest(request: MeasuredRequest): void;
  /** Counts an API key that was wrong (`wrong`), or rejected without a look-up after too many wrong ones (`blocked`). */
  countRejectedKey(outcome: 'wrong' | 'blocked'): void;
  readonly countSignIn: CountSignIn;
  /** Counts screenshots that reached these final statuses. */
  countScreenshots(statuses: readonly string[]): void;
  /** Times sets that reached a milestone. */
  timeMilestones(reached: readonly ReachedMilestone[]): void;
  countProcessorSeconds(seconds: number): void;
  /** Records the time that a capture program spent in one phase. */
  recordCapturePhase(phase: string, seconds: number): void;
  /** Counts a connection of a capture through a location. The setting LOCATIONS bounds the labels. */
  countLocationConnection(location: string, outcome: string): void;
  /** Sets the function that names the locations at each scrape. */
  collectLocations(collect: () => readonly { readonly id: string; readonly isAvailable: boolean }[]): void;
  countDeliveryAttempt(attempt: MeasuredDeliveryAttempt): void;
  /** Counts a delivery that ended as `delivered`, `retries_exhausted`, `gone` or `refused`. */
  countDelivery(ended: { readonly channel: Channel; readonly outcome: string }): void;
  /** Counts a webhook endpoint that the service disabled because it failed for days. */
  countDisabledEndpoint(): void;
  countExportAttempt(attempt: MeasuredExportAttempt): void;
  /** Counts what the maintenance removed, by kind. */
  countRemoved(counts: Readonly<Record<string, number>>): void;
  /** Sets the function that reads the queues at each scrape. It has two seconds. */
  collectQueue(collect: () => Promise<readonly QueueState[]>): void;
  readonly controller: ControllerMetrics;
  /** @returns all metrics in the text format of Prometheus. */
  render(): Promise<string>;
  readonly contentType: string;
  /** @returns the name, kind, labels and help of each metric, for docs/metrics.md. */
  describe(): Promise<MetricDescription[]>;
}

export interface MetricDescription {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Seconds. The objectives in the chart's values are some of them, because alerts count the samples of a bucket. */
export const MILESTONE_BUCKETS = [5, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createMetrics(): Metrics {
  const registry = new Registry();
  const made = {
    ...requestInstruments(registry),
    ...captureInstruments(registry),
    ...locationInstruments(registry),
    ...deliveryInstruments(registry),
    ...exportInstruments(registry),
    ...removalInstruments(registry),
  };
  createKnownSeries(made);
  const queue = queueGauges(registry);
  const controller = createControllerMetrics(registry);
  addProcessMetrics(registry);
  return {
    countRequest: ({ route, method, status, seconds, limit }) => {
      if (limit !== undefined) made.limitedRequests.inc({ limit });
      // A method that a client invents must not create a time series.
      const labels = { route, method: METHODS.has(method) ? method : 'other', status: String(status) };
      made.requests.inc(labels);
      made.requestSeconds.observe({ route: labels.route, method: labels.method }, seconds);
    },
    countRejectedKey: (outcome) => made.rejectedKeys.inc({ outcome }),
    countSignIn: (method, outcome) => made.signIns.inc({ method, outcome }),
    countScreenshots: (statuses) => {
      for (const status of statuses) made.captures.inc({ status });
    },
    timeMilestones: (reached) => {
      for (const { seconds, ...labels } of reached) made.milestones.observe(labels, seconds);
    },
    countProcessorSeconds: (seconds) => made.processorSeconds.inc(seconds),
    recordCapturePhase: (phase, seconds) => made.captureSeconds.observe({ phase }, seconds),
    countLocationConnection: (location, outcome) => made.locationConnections.inc({ location, outcome }),
    collectLocations: made.collectLocations,
    countDeliveryAttempt: ({ channel, outcome, seconds }) => {
      made.attempts.inc({ channel, outcome });
      made.attemptSeconds.observe({ channel }, seconds);
    },
    countDelivery: ({ channel, outcome }) => made.deliveries.inc({ channel, outcome }),
    countDisabledEndpoint: () => made.disabledEndpoints.inc(),
    countExportAttempt: ({ format, outcome, seconds }) => {
      made.exports.inc({ format, outcome });
      made.exportSeconds.observe({ format }, seconds);
    },
    countRemoved: (counts) => {
      for (const [kind, count] of Object.entries(counts)) made.removed.inc({ kind }, count);
    },
    collectQueue: queue.setSource,
    controller: controller.metrics,
    render: async () => {
      await Promise.all([queue.refresh(), controller.refresh()]);
      return registry.metrics();
    },
    contentType: registry.contentType,
    describe: () => describeAll(registry),
  };
}

function requestInstruments(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'tearsheet_requests_total',
      help: 'HTTP requests, by route, method and status.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'tearsheet_request_duration_seconds',
      help: 'Time from the first byte of an HTTP request to the end of the response.',
      labelNames: ['route', 'method'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    limitedRequests: new Counter({
      name: 'tearsheet_limited_requests_total',
      help: 'Requests above a limit, by limit. Rates: `key_rate`, `address_rate` and `link_rate` (a share link). Quotas of an organization: `pictures_per_day` and `exports`.',
      labelNames: ['limit'],
      registers,
    }),
    rejectedKeys: new Counter({
      name: 'tearsheet_rejected_keys_total',
      help: 'API keys that were rejected, by outcome: `wrong` after a look-up, `blocked` without one, after too many wrong keys from the same network.',
      labelNames: ['outcome'],
      registers,
    }),
    signIns: new Counter({
      name: 'tearsheet_sign_ins_total',
      help: 'Sign-ins to the pages, by method and outcome: `signed_in`, `refused` (an unknown or expired person, link or key), `failed` (the provider, or the mail server with the link).',
      labelNames: ['method', 'outcome'],
      registers,
    }),
  };
}

function captureInstruments(registry: Registry) {
  const registers = [registry];
  return {
    captures: new Counter({
      name: 'tearsheet_captures_total',
      help: 'Screenshots of launched sets that reached a final status, by status.',
      labelNames: ['status'],
      registers,
    }),
    captureSeconds: new Histogram({
      name: 'tearsheet_capture_phase_seconds',
      help: 'Time that a capture spent in each phase.',
      labelNames: ['phase'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
      registers,
    }),
    processorSeconds: new Counter({
      name: 'tearsheet_capture_processor_seconds_total',
      help: 'Processor time of captures that finished their work, with their browsers. Divided by `tearsheet_captures_total{status="uploaded"}`, it is the cost of a picture.',
      registers,
    }),
    milestones: new Histogram({
      name: 'tearsheet_set_milestone_seconds',
      help: 'Time from the acceptance of a set (202) until it is `admitted`, its `first_picture` is stored, or it is settled as `complete`, `deadline`, `lost`, `unscheduled` or `canceled`.',
      labelNames: ['milestone', 'priority'],
      buckets: [...MILESTONE_BUCKETS],
      registers,
    }),
  };
}

function locationInstruments(registry: Registry) {
  const registers = [registry];
  const locationConnections = new Counter({
    name: 'tearsheet_location_connections_total',
    help: 'Connections of captures through a location, by outcome: `connected`, `target_failed` (the proxy works and did not reach the host), `refused` (by the egress guard), `unavailable` (the proxy failed).',
    labelNames: ['location', 'outcome'],
    registers,
  });
  let states: () => readonly { readonly id: string; readonly isAvailable: boolean }[] = () => [];
  new Gauge({
    name: 'tearsheet_location_available',
    help: '0 while connections through a location are paused because its proxy failed repeatedly, otherwise 1.',
    labelNames: ['location'],
    registers,
    collect() {
      for (const { id, isAvailable } of states()) this.set({ location: id }, isAvailable ? 1 : 0);
    },
  });
  const collectLocations = (collect: typeof states) => {
    states = collect;
    for (const { id: location } of collect())
      for (const outcome of CONNECTION_OUTCOMES) locationConnections.inc({ location, outcome }, 0);
  };
  return { locationConnections, collectLocations };
}

function deliveryInstruments(registry: Registry) {
  const registers = [registry];
  return {
    deliveries: new Counter({
      name: 'tearsheet_deliveries_total',
      help: 'Deliveries that ended, by outcome.',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    attempts: new Counter({
      name: 'tearsheet_delivery_attempts_total',
      help: 'Delivery attempts, by outcome.',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    disabledEndpoints: new Counter({
      name: 'tearsheet_webhook_endpoints_disabled_total',
      help: 'Webhook endpoints that the service disabled because every delivery attempt failed for days.',
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'tearsheet_delivery_attempt_duration_seconds',
      help: 'Duration of a delivery attempt.',
      labelNames: ['channel'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
      registers,
    }),
  };
}

function exportInstruments(registry: Registry) {
  const registers = [registry];
  return {
    exports: new Counter({
      name: 'tearsheet_export_attempts_total',
      help: 'Attempts to build an export, by outcome: `ready`, `retry` (built again later), `failed`.',
      labelNames: ['format', 'outcome'],
      registers,
    }),
    exportSeconds: new Histogram({
      name: 'tearsheet_export_attempt_duration_seconds',
      help: 'Duration of an attempt to build an export.',
      labelNames: ['format'],
      buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
      registers,
    }),
  };
}

function removalInstruments(registry: Registry) {
  return {
    removed: new Counter({
      name: 'tearsheet_removed_total',
      help: 'Objects that the maintenance removed because they were too old, by kind. file: files of removed objects.',
      labelNames: ['kind'],
      registers: [registry],
    }),
  };
}

type KnownInstruments = ReturnType<typeof requestInstruments> &
  ReturnType<typeof captureInstruments> &
  ReturnType<typeof deliveryInstruments> &
  ReturnType<typeof exportInstruments> &
  ReturnType<typeof removalInstruments>;

/** Creates the known series with the value 0. Otherwise a series starts at 1, and Prometheus misses the first increase. */
function createKnownSeries(made: KnownInstruments): void {
  for (const limit of ['key_rate', 'address_rate', 'link_rate', 'pictures_per_day', 'exports'])
    made.limitedRequests.inc({ limit }, 0);
  for (const outcome of ['wrong', 'blocked']) made.rejectedKeys.inc({ outcome }, 0);
  for (const method of SIGN_IN_METHODS)
    for (const outcome of SIGN_IN_OUTCOMES) made.signIns.inc({ method, outcome }, 0);
  for (const status of SCREENSHOT_STATUSES) if (status !== 'pending') made.captures.inc({ status }, 0);
  for (const milestone of MILESTONES) for (const priority of PRIORITIES) made.milestones.zero({ milestone, priority });
  for (const channel of CHANNELS) {
    for (const outcome of ['delivered', 'retry', 'gone', 'refused']) made.attempts.inc({ channel, outcome }, 0);
    for (const outcome of ['delivered', 'retries_exhausted', 'gone', 'refused'])
      made.deliveries.inc({ channel, outcome }, 0);
  }
  for (const kind of REMOVED) made.removed.inc({ kind }, 0);
  for (const format of EXPORT_FORMATS) {
    for (const outcome of ['ready', 'retry', 'failed']) made.exports.inc({ format, outcome }, 0);
  }
}

function queueGauges(registry: Registry): ScrapeGauges<readonly QueueState[]> {
  const registers = [registry];
  const labelNames = ['queue'] as const;
  const depth = new Gauge({
    name: 'tearsheet_queue_depth',
    help: 'Entries of a work queue that are ready to run.',
    labelNames,
    registers,
  });
  const age = new Gauge({
    name: 'tearsheet_queue_oldest_seconds',
    help: 'Waiting time of the oldest entry that is ready to run.',
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: 'tearsheet_queue_collect_failures_total',
    help: 'Scrapes that could not read the state of the work queues. The gauges are absent in such a scrape.',
    registers,
  });
  return createScrapeGauges({
    set: (queues) => {
      for (const { name: queue, depth: count, oldestAgeSeconds } of queues) {
        depth.set({ queue }, count);
        age.set({ queue }, oldestAgeSeconds);
      }
    },
    clear: () => {
      depth.reset();
      age.reset();
    },
    failures,
  });
}

async function describeAll(registry: Registry): Promise<MetricDescription[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map(({ name, type, help }) => {
    const metric = registry.getSingleMetric(name);
    const labels = metric !== undefined && 'labelNames' in metric ? metric.labelNames : [];
    return { name, kind: String(type), labels: Array.isArray(labels) ? labels.map(String) : [], help };
  });
}
