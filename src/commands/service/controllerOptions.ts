/** The parts of a controller that are the same on one machine and on Kubernetes. */
import type { ClusterPort } from '../../cluster/port.ts';
import type { Config } from '../../config.ts';
import { FINISHED_TTL_SECONDS } from '../../contract/screenshotJob.ts';
import type { Controller, ControllerSettings } from '../../controller/controller.ts';
import type { ControllerOptions } from '../../controller/options.ts';
import { ConnectorRoles } from '../../core/buckets/connectorRoles.ts';
import { countWaiting } from '../../core/jobs/backlog.ts';
import { startSchedules } from '../../core/schedules/runs.ts';
import { DEFAULT_LIMITS } from '../../domain/limits.ts';
import { createGuard, type GuardOptions } from '../../egress/guard.ts';
import { startExports } from '../../exports/startExports.ts';
import { defaultQuotas, type ServiceContext } from './serviceContext.ts';
import { type Deliveries, startDeliveries } from './startDeliveries.ts';

export interface ControllerService {
  /** More checks of /readyz, by name. */
  readonly checks?: Readonly<Record<string, () => Promise<void>>>;
  /** Stops reconciliation and deliveries. Captures on this machine release their claims. */
  stop(graceMs: number): Promise<void>;
}

/** The addresses that captures and deliveries may reach although they are not public. */
export type EgressOptions = Pick<GuardOptions, 'allow' | 'allowWith'>;

/** Settled ScreenshotJobs in the cluster. The audit deletes the oldest ones above this number early. */
const MAX_FINISHED_RESOURCES = 1_000;

/** Starts the work that every controller does, leader or not: deliveries, exports and schedules. The last two stop with the queue. */
export async function startQueueWork(context: ServiceContext, egress: EgressOptions): Promise<Deliveries> {
  const { config, store, queue, artifacts, log, metrics, notifications, installation } = context;
  await startExports({ store, queue, artifacts, log: log.child({ part: 'export' }) });
  await startSchedules({
    ...{ db: store.db, queue, quotas: defaultQuotas(config) },
    limits: { ...DEFAULT_LIMITS, locations: config.LOCATIONS.map(({ id }) => id) },
    log: log.child({ part: 'schedule' }),
    countRun: metrics.countScheduleRun,
  });
  const guard = createGuard(egress);
  const principal = config.AWS_PRINCIPAL_ARN;
  return startDeliveries({
    subscribe: notifications.subscribe,
    store,
    queue,
    artifacts,
    guard,
    notices: { mailer: context.mailer, publicUrl: context.publicUrl, secret: installation.secret },
    roles: principal === undefined ? undefined : new ConnectorRoles({ guard, principal }),
    log: log.child({ part: 'delivery' }),
    observe: { attempted: metrics.countDeliveryAttempt, ended: metrics.countDelivery },
  });
}

/** @returns the settings that mean the same on one machine and on Kubernetes. */
export function sharedSettings(config: Config) {
  return {
    maxPodsPerOrganization: config.MAX_PODS_PER_ORGANIZATION,
    setDeadlineSeconds: config.SET_DEADLINE_SECONDS,
    schedulingDeadlineSeconds: config.SCHEDULING_DEADLINE_SECONDS,
    retries: config.CAPTURE_RETRIES,
    podDeadlineSeconds: config.CAPTURE_POD_DEADLINE_SECONDS,
    finishedTtlSeconds: FINISHED_TTL_SECONDS,
    maxFinishedResources: MAX_FINISHED_RESOURCES,
  } satisfies Partial<ControllerSettings>;
}

/** @returns the store, queue, log and metrics of every controller. */
export function sharedControllerOptions(context: ServiceContext) {
  const { store, queue, notifications, log, metrics, outages } = context;
  return {
    storeFault: () => outages.artifacts.reason,
    store,
    queue,
    notifications,
    log: log.child({ part: 'controller' }),
    observe: {
      screenshots: metrics.countScreenshots,
      milestones: metrics.timeMilestones,
      reconciled: metrics.controller.reconciled,
      audited: metrics.controller.audited,
    },
  } satisfies Partial<ControllerOptions>;
}

export interface MeasuredController {
  readonly controller: Controller;
  readonly cluster: ClusterPort;
  /** Age of the informer cache in milliseconds; undefined if there is no watch. */
  readonly staleness?: () => number | undefined;
}

/** Makes each scrape report the state of this controller, as the leader. */
export function collectControllerMetrics(
  { store, metrics }: ServiceContext,
  { controller, cluster, staleness }: MeasuredController,
): void {
  metrics.controller.setLeader(true);
  metrics.controller.collect(async () => {
    const age = staleness?.();
    return {
      workQueue: { ...controller.workQueue() },
      resources: await countByReason(cluster),
      waiting: await countWaiting(store.db),
      cacheAgeSeconds: age === undefined ? undefined : age / 1000,
    };
  });
}

async function countByReason(cluster: ClusterPort): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of await cluster.listScreenshotJobs()) {
    const reason = status?.reason ?? 'Queued';
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}
