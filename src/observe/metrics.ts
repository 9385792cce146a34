import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SCREENSHOT_STATUSES } from '../domain/states.ts';
import { type Collected, collected } from './collected.ts';
import { type ControllerMetrics, createControllerMetrics } from './controllerMetrics.ts';

export interface QueueState {
  readonly name: string;
  /** Work that could start now. */
  readonly depth: number;
  /** How long the oldest of it has waited; 0 when there is none. */
  readonly oldestAgeSeconds: number;
}

export interface ServedRequest {
  /** The pattern (`/api/v1/orgs/:slug/ads`), never the path: each value is a series for ever. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

export interface DeliveryTry {
  readonly channel: 'webhook' | 's3';
  /** `delivered`, `retry`, `gone`. */
  readonly outcome: string;
  readonly seconds: number;
}

/** Everything that is measured, as functions that other layers take as their hooks. None of them throws. */
export interface Metrics {
  request(served: ServedRequest): void;
  /** Pictures reached their final states. */
  captures(statuses: readonly string[]): void;
  /** What a capture program spent on one of its phases. */
  capturePhase(phase: string, seconds: number): void;
  deliveryTry(tried: DeliveryTry): void;
  /** A delivery ended: `delivered`, `retries_exhausted`, `gone`. */
  delivery(ended: { readonly channel: 'webhook' | 's3'; readonly outcome: string }): void;
  /** Asked at each scrape, for two seconds at most. */
  collectQueue(collect: () => Promise<readonly QueueState[]>): void;
  readonly controller: ControllerMetrics;
  /** All of it in the text format of Prometheus. */
  render(): Promise<string>;
  readonly contentType: string;
  /** Name, kind, labels and meaning of each: for the reference. */
  describe(): Promise<MetricDescription[]>;
}

export interface MetricDescription {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
  readonly help: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** @param processMetrics memory, CPU, event loop of this process; on by default. */
export function createMetrics({ processMetrics = true } = {}): Metrics {
  const registry = new Registry();
  const made = { ...requestInstruments(registry), ...captureInstruments(registry), ...deliveryInstruments(registry) };
  beginAtZero(made);
  const queue = queueGauges(registry);
  const controller = createControllerMetrics(registry);
  if (processMetrics) collectDefaultMetrics({ register: registry, prefix: 'tearsheet_' });
  return {
    request: ({ route, method, status, seconds }) => {
      // What a client makes up must not become a series.
      const labels = { route, method: METHODS.has(method) ? method : 'other', status: String(status) };
      made.requests.inc(labels);
      made.requestSeconds.observe({ route: labels.route, method: labels.method }, seconds);
    },
    captures: (statuses) => {
      for (const status of statuses) made.captures.inc({ status });
    },
    capturePhase: (phase, seconds) => made.captureSeconds.observe({ phase }, seconds),
    deliveryTry: ({ channel, outcome, seconds }) => {
      made.attempts.inc({ channel, outcome });
      made.attemptSeconds.observe({ channel }, seconds);
    },
    delivery: ({ channel, outcome }) => made.deliveries.inc({ channel, outcome }),
    collectQueue: queue.use,
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
      help: 'HTTP requests answered.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'tearsheet_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer.',
      labelNames: ['route', 'method'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
  };
}

function captureInstruments(registry: Registry) {
  const registers = [registry];
  return {
    captures: new Counter({
      name: 'tearsheet_captures_total',
      help: 'Pictures of launched sets that reached their final state, by that state.',
      labelNames: ['status'],
      registers,
    }),
    captureSeconds: new Histogram({
      name: 'tearsheet_capture_phase_seconds',
      help: 'Seconds a capture program spent on each of its phases.',
      labelNames: ['phase'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
      registers,
    }),
  };
}

function deliveryInstruments(registry: Registry) {
  const registers = [registry];
  return {
    deliveries: new Counter({
      name: 'tearsheet_deliveries_total',
      help: 'Deliveries that ended, by how.',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    attempts: new Counter({
      name: 'tearsheet_delivery_attempts_total',
      help: 'Tries of deliveries, by what came of them.',
      labelNames: ['channel', 'outcome'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'tearsheet_delivery_attempt_duration_seconds',
      help: 'Time a try of a delivery took.',
      labelNames: ['channel'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
      registers,
    }),
  };
}

/** What is known to come: to Prometheus a series that begins at 1 has not grown, and an alert on the first one would be missed. */
function beginAtZero(made: ReturnType<typeof captureInstruments> & ReturnType<typeof deliveryInstruments>): void {
  for (const status of SCREENSHOT_STATUSES) if (status !== 'pending') made.captures.inc({ status }, 0);
  for (const channel of ['webhook', 's3']) {
    for (const outcome of ['delivered', 'retry', 'gone']) made.attempts.inc({ channel, outcome }, 0);
    for (const outcome of ['delivered', 'retries_exhausted', 'gone']) made.deliveries.inc({ channel, outcome }, 0);
  }
}

function queueGauges(registry: Registry): Collected<readonly QueueState[]> {
  const registers = [registry];
  const labelNames = ['queue'] as const;
  const depth = new Gauge({
    name: 'tearsheet_queue_depth',
    help: 'Work that could start now and waits.',
    labelNames,
    registers,
  });
  const age = new Gauge({
    name: 'tearsheet_queue_oldest_seconds',
    help: 'How long the oldest work that could start has waited.',
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: 'tearsheet_queue_collect_failures_total',
    help: 'Scrapes at which the state of the queue could not be read; its gauges are absent then.',
    registers,
  });
  return collected({
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
