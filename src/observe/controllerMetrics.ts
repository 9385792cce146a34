/** What is measured of a controller: who leads, how reconciling goes, what the audit found, how well the cluster is seen. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Collected, collected } from './collected.ts';

/** Asked for at each scrape. */
export interface ControllerState {
  /** Keys of the work queue by what they wait for. */
  readonly workQueue: Readonly<Record<string, number>>;
  /** ScreenshotJobs in the cluster by the reason that stands in their status. */
  readonly resources: Readonly<Record<string, number>>;
  /** Sets and ads that were accepted and are not launched. */
  readonly waiting: Readonly<Record<string, number>>;
  /** Since the picture of the cluster was last known to be current; undefined: nothing is watched. */
  readonly cacheAgeSeconds: number | undefined;
}

export interface AuditResult {
  readonly findings: Readonly<Record<string, number>>;
  readonly stopped: boolean;
}

export interface ClusterRequest {
  readonly verb: string;
  readonly resource: string;
  /** HTTP status; 0: there was no answer. */
  readonly code: number;
  readonly seconds: number;
}

export interface ControllerMetrics {
  leads(isLeader: boolean): void;
  reconciled(outcome: string, seconds: number): void;
  readonly queue: { added(): void; retried(): void; waited(seconds: number): void };
  audited(result: AuditResult): void;
  requested(request: ClusterRequest): void;
  relisted(resource: string): void;
  collect(state: () => Promise<ControllerState>): void;
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** @returns the functions that measure, and what brings the gauges up to date before a scrape. */
export function createControllerMetrics(registry: Registry): {
  metrics: ControllerMetrics;
  refresh: () => Promise<void>;
} {
  const made = { ...reconcileInstruments(registry), ...auditInstruments(registry), ...clusterInstruments(registry) };
  // They speak of a controller, and this may be another process.
  for (const gauge of [made.leader, made.auditStopped, made.audited]) gauge.remove();
  const gauges = stateGauges(registry);
  const metrics: ControllerMetrics = {
    leads: (isLeader) => made.leader.set(isLeader ? 1 : 0),
    reconciled: (outcome, seconds) => {
      made.reconciles.inc({ outcome });
      made.reconcileSeconds.observe(seconds);
    },
    queue: {
      added: () => made.adds.inc(),
      retried: () => made.retries.inc(),
      waited: (seconds) => made.waits.observe(seconds),
    },
    audited: ({ findings, stopped }) => {
      for (const [kind, count] of Object.entries(findings)) made.findings.set({ kind }, count);
      made.auditStopped.set(stopped ? 1 : 0);
      made.audited.setToCurrentTime();
    },
    requested: ({ verb, resource, code, seconds }) => {
      made.requests.inc({ verb, resource, code: String(code) });
      made.requestSeconds.observe({ verb, resource }, seconds);
    },
    relisted: (resource) => made.relists.inc({ resource }),
    collect: gauges.use,
  };
  return { metrics, refresh: gauges.refresh };
}

function reconcileInstruments(registry: Registry) {
  const registers = [registry];
  return {
    leader: new Gauge({
      name: 'tearsheet_leader',
      help: '1 where this controller leads, 0 where it waits.',
      registers,
    }),
    reconciles: new Counter({
      name: 'tearsheet_reconciles_total',
      help: 'Looks at a ScreenshotJob: `done`, `conflict` (it had changed meanwhile; looked at again), `failed`.',
      labelNames: ['outcome'],
      registers,
    }),
    reconcileSeconds: new Histogram({
      name: 'tearsheet_reconcile_duration_seconds',
      help: 'Time that one look at a ScreenshotJob took.',
      buckets: SECONDS,
      registers,
    }),
    adds: new Counter({
      name: 'tearsheet_work_queue_adds_total',
      help: 'ScreenshotJobs that were put into the work queue.',
      registers,
    }),
    retries: new Counter({
      name: 'tearsheet_work_queue_retries_total',
      help: 'ScreenshotJobs that come back into the work queue because a look at them failed.',
      registers,
    }),
    waits: new Histogram({
      name: 'tearsheet_work_queue_wait_seconds',
      help: 'Time from being put into the work queue to being looked at.',
      buckets: SECONDS,
      registers,
    }),
  };
}

function auditInstruments(registry: Registry) {
  const registers = [registry];
  return {
    findings: new Gauge({
      name: 'tearsheet_audit_findings',
      help: 'What the last audit found out of place, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    auditStopped: new Gauge({
      name: 'tearsheet_audit_stopped',
      help: '1 where the last audit removed nothing because it would have been too much; look at the log.',
      registers,
    }),
    audited: new Gauge({
      name: 'tearsheet_audit_timestamp_seconds',
      help: 'When the last audit ended well, in seconds since 1970.',
      registers,
    }),
  };
}

function clusterInstruments(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'tearsheet_cluster_requests_total',
      help: 'Requests to the API server of the cluster, by what came of them; code 0: no answer.',
      labelNames: ['verb', 'resource', 'code'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'tearsheet_cluster_request_duration_seconds',
      help: 'Time until the API server of the cluster answered.',
      labelNames: ['verb', 'resource'],
      buckets: SECONDS,
      registers,
    }),
    relists: new Counter({
      name: 'tearsheet_cluster_relists_total',
      help: 'Times that all objects of a kind were listed anew.',
      labelNames: ['resource'],
      registers,
    }),
  };
}

/** Gauges of the leader. */
function stateGauges(registry: Registry): Collected<ControllerState> {
  const registers = [registry];
  const counts = countGauges(registry);
  const age = new Gauge({
    name: 'tearsheet_cluster_cache_age_seconds',
    help: 'How long ago what is known of the cluster was last certain to be current.',
    registers,
  });
  // Without labels it would be there, and 0, from the start.
  age.remove();
  const failures = new Counter({
    name: 'tearsheet_controller_collect_failures_total',
    help: 'Scrapes at which the state of the controller could not be read; its gauges are absent then.',
    registers,
  });
  return collected({
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
    help: 'ScreenshotJobs in the work queue: `ready`, `processing`, `delayed` (to be looked at later), `failing`.',
    labelNames: ['state'],
    registers,
  });
  const resources = new Gauge({
    name: 'tearsheet_screenshotjobs',
    help: 'ScreenshotJobs in the cluster, by what STATUS says.',
    labelNames: ['reason'],
    registers,
  });
  const waiting = new Gauge({
    name: 'tearsheet_waiting',
    help: 'Sets and ads that were accepted and wait to be launched.',
    labelNames: ['kind'],
    registers,
  });
  return {
    set(state: ControllerState) {
      for (const [name, count] of Object.entries(state.workQueue)) workQueue.set({ state: name }, count);
      for (const [reason, count] of Object.entries(state.resources)) resources.set({ reason }, count);
      for (const [kind, count] of Object.entries(state.waiting)) waiting.set({ kind }, count);
    },
    clear() {
      for (const each of [workQueue, resources, waiting]) each.reset();
    },
  };
}
