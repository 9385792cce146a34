/** Metrics of the controller: leadership, reconciliations, audit, calls to the Kubernetes API. */
import { createScrapeGauges, type Instruments } from './instruments.ts';

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

export interface ClusterRequest {
  readonly verb: string;
  readonly resource: string;
  /** HTTP status; 0 if there was no answer. */
  readonly code: number;
  readonly seconds: number;
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** @returns the functions that record metrics, and one that updates the gauges before a scrape. */
export function controllerMetrics(instruments: Instruments) {
  const { gauge, counter, histogram } = instruments;
  const leader = gauge('leader', '1 if this controller is the leader, else 0.');
  const reconciles = counter(
    'reconciles_total',
    'Reconciliations, by result: `done`, `conflict` (the ScreenshotJob had changed; retried), `failed`.',
    { outcome: [] },
  );
  const reconcileSeconds = histogram('reconcile_duration_seconds', 'Duration of a reconciliation.', SECONDS);
  const auditStopped = gauge(
    'audit_stopped',
    '1 if the last audit deleted nothing because it found too many objects to delete; the log lists them.',
  );
  const auditedAt = gauge('audit_timestamp_seconds', 'Time of the last successful audit, in seconds since 1970.');
  const requests = counter(
    'cluster_requests_total',
    'Requests to the Kubernetes API, by status code; code 0 means no answer.',
    { verb: [], resource: [], code: [] },
  );
  const requestSeconds = histogram(
    'cluster_request_duration_seconds',
    'Time until the Kubernetes API answered.',
    SECONDS,
    { verb: [], resource: [] },
  );
  const state = stateGauges(instruments);
  const metrics = {
    setLeader: (isLeader: boolean) => leader.set(isLeader ? 1 : 0),
    reconciled: (outcome: string, seconds: number) => {
      reconciles.inc({ outcome });
      reconcileSeconds.observe(seconds);
    },
    audited: ({ stopped }: { readonly stopped: boolean }) => {
      auditStopped.set(stopped ? 1 : 0);
      auditedAt.setToCurrentTime();
    },
    requested: ({ verb, resource, code, seconds }: ClusterRequest) => {
      requests.inc({ verb, resource, code: String(code) });
      requestSeconds.observe({ verb, resource }, seconds);
    },
    collect: state.setSource,
  };
  return { metrics, refresh: state.refresh };
}

/** Gauges that only the leader reports. */
function stateGauges({ gauge, counter }: Instruments) {
  const workQueue = gauge(
    'work_queue_depth',
    'ScreenshotJobs in the reconcile queue: `ready`, `processing`, `delayed` (due later), `failing`.',
    'state',
  );
  const resources = gauge('screenshotjobs', 'ScreenshotJobs in the cluster, by the reason in their status.', 'reason');
  const waiting = gauge('waiting', 'Accepted sets, placements and ads that wait for admission.', 'kind');
  const oldest = gauge(
    'waiting_oldest_seconds',
    'For how long the oldest accepted set, placement or ad has waited for admission; 0 if none waits.',
    'kind',
  );
  const cacheAge = gauge(
    'cluster_cache_age_seconds',
    'Age of the informer cache: time since it was last known to be current.',
  );
  return createScrapeGauges<ControllerState>({
    gauges: [workQueue, resources, waiting, oldest, cacheAge],
    set: (now) => {
      for (const [state, count] of Object.entries(now.workQueue)) workQueue.set({ state }, count);
      for (const [reason, count] of Object.entries(now.resources)) resources.set({ reason }, count);
      for (const [kind, { count, oldest_seconds }] of Object.entries(now.waiting)) {
        waiting.set({ kind }, count);
        oldest.set({ kind }, oldest_seconds);
      }
      if (now.cacheAgeSeconds !== undefined) cacheAge.set(now.cacheAgeSeconds);
    },
    failures: counter(
      'controller_collect_failures_total',
      'Scrapes that could not read the state of the controller. The gauges are absent in such a scrape.',
    ),
  });
}
