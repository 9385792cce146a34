/** Metrics of the controller: leadership, reconciliations, audit, calls to the Kubernetes API. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createScrapeGauges, type ScrapeGauges } from './processMetrics.ts';

/** The state of the controller at one scrape. */
export interface ControllerState {
  /** Number of names in the reconcile queue, by state. */
  readonly workQueue: Readonly<Record<string, number>>;
  /** Number of ScreenshotJobs in the cluster, by the reason in their status. */
  readonly resources: Readonly<Record<string, number>>;
  /** Accepted sets and ads that wait for admission: how many, and for how long the oldest has waited. */
  readonly waiting: Readonly<Record<string, { readonly count: number; readonly oldest_seconds: number }>>;
  /** Age of the informer cache; undefined if there is no watch. */
  readonly cacheAgeSeconds: number | undefined;
}

export interface AuditResult {
  readonly stopped: boolean;
}

export interface ClusterRequest {
  readonly verb: string;
  readonly resource: string;
  /** HTTP status; 0 if there was no answer. */
  readonly code: number;
  readonly seconds: number;
}

export interface ControllerMetrics {
  setLeader(isLeader: boolean): void;
  reconciled(outcome: string, seconds: number): void;
  audited(result: AuditResult): void;
  requested(request: ClusterRequest): void;
  /** Sets the function that reads the controller's state at each scrape. It has two seconds. */
  collect(state: () => Promise<ControllerState>): void;
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** @returns the functions that record metrics, and one that updates the gauges before a scrape. */
export function createControllerMetrics(registry: Registry): {
  metrics: ControllerMetrics;
  refresh: () => Promise<void>;
} {
  const made = { ...reconcileInstruments(registry), ...auditInstruments(registry), ...clusterInstruments(registry) };
  // Only a controller sets these gauges; other processes must not report 0.
  for (const gauge of [made.leader, made.auditStopped, made.audited]) gauge.remove();
  const gauges = stateGauges(registry);
  const metrics: ControllerMetrics = {
    setLeader: (isLeader) => made.leader.set(isLeader ? 1 : 0),
    reconciled: (outcome, seconds) => {
      made.reconciles.inc({ outcome });
      made.reconcileSeconds.observe(seconds);
    },
    audited: ({ stopped }) => {
      made.auditStopped.set(stopped ? 1 : 0);
      made.audited.setToCurrentTime();
    },
    requested: ({ verb, resource, code, seconds }) => {
      made.requests.inc({ verb, resource, code: String(code) });
      made.requestSeconds.observe({ verb, resource }, seconds);
    },
    collect: gauges.setSource,
  };
  return { metrics, refresh: gauges.refresh };
}

function reconcileInstruments(registry: Registry) {
  const registers = [registry];
  return {
    leader: new Gauge({
      name: 'tearsheet_leader',
      help: '1 if this controller is the leader, else 0.',
      registers,
    }),
    reconciles: new Counter({
      name: 'tearsheet_reconciles_total',
      help: 'Reconciliations, by result: `done`, `conflict` (the ScreenshotJob had changed; retried), `failed`.',
      labelNames: ['outcome'],
      registers,
    }),
    reconcileSeconds: new Histogram({
      name: 'tearsheet_reconcile_duration_seconds',
      help: 'Duration of a reconciliation.',
      buckets: SECONDS,
      registers,
    }),
  };
}

function auditInstruments(registry: Registry) {
  const registers = [registry];
  return {
    auditStopped: new Gauge({
      name: 'tearsheet_audit_stopped',
      help: '1 if the last audit deleted nothing because it found too many objects to delete; the log lists them.',
      registers,
    }),
    audited: new Gauge({
      name: 'tearsheet_audit_timestamp_seconds',
      help: 'Time of the last successful audit, in seconds since 1970.',
      registers,
    }),
  };
}

function clusterInstruments(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'tearsheet_cluster_requests_total',
      help: 'Requests to the Kubernetes API, by status code; code 0 means no answer.',
      labelNames: ['verb', 'resource', 'code'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'tearsheet_cluster_request_duration_seconds',
      help: 'Time until the Kubernetes API answered.',
      labelNames: ['verb', 'resource'],
      buckets: SECONDS,
      registers,
    }),
  };
}

/** Gauges that only the leader reports. */
function stateGauges(registry: Registry): ScrapeGauges<ControllerState> {
  const registers = [registry];
  const counts = countGauges(registry);
  const age = new Gauge({
    name: 'tearsheet_cluster_cache_age_seconds',
    help: 'Age of the informer cache: time since it was last known to be current.',
    registers,
  });
  // A gauge without labels reports 0 from the start unless it is removed.
  age.remove();
  const failures = new Counter({
    name: 'tearsheet_controller_collect_failures_total',
    help: 'Scrapes that could not read the state of the controller. The gauges are absent in such a scrape.',
    registers,
  });
  return createScrapeGauges({
    set: (state) => {
      counts.set(state);
      if (state.cacheAgeSeconds !== undefined) age.set(state.cacheAgeSeconds);
    },
    clear: () => {
      counts.clear();
      age.remove();
    },
    failures,
  });
}

function countGauges(registry: Registry) {
  const registers = [registry];
  const workQueue = new Gauge({
    name: 'tearsheet_work_queue_depth',
    help: 'ScreenshotJobs in the reconcile queue: `ready`, `processing`, `delayed` (due later), `failing`.',
    labelNames: ['state'],
    registers,
  });
  const resources = new Gauge({
    name: 'tearsheet_screenshotjobs',
    help: 'ScreenshotJobs in the cluster, by the reason in their status.',
    labelNames: ['reason'],
    registers,
  });
  const waiting = new Gauge({
    name: 'tearsheet_waiting',
    help: 'Accepted sets, placements and ads that wait for admission.',
    labelNames: ['kind'],
    registers,
  });
  const oldest = new Gauge({
    name: 'tearsheet_waiting_oldest_seconds',
    help: 'For how long the oldest accepted set, placement or ad has waited for admission; 0 if none waits.',
    labelNames: ['kind'],
    registers,
  });
  return {
    set(state: ControllerState) {
      for (const [name, count] of Object.entries(state.workQueue)) workQueue.set({ state: name }, count);
      for (const [reason, count] of Object.entries(state.resources)) resources.set({ reason }, count);
      for (const [kind, { count, oldest_seconds }] of Object.entries(state.waiting)) {
        waiting.set({ kind }, count);
        oldest.set({ kind }, oldest_seconds);
      }
    },
    clear() {
      for (const each of [workQueue, resources, waiting, oldest]) each.reset();
    },
  };
}
