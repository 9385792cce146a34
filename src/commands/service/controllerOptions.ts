/** The parts of a controller that are the same on one machine and on Kubernetes. */
import type { ClusterPort } from '../../cluster/port.ts';
import { FINISHED_TTL_SECONDS } from '../../contract/screenshotJob.ts';
import { type Controller, type ControllerSettings, startController } from '../../controller/controller.ts';
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

type OwnSettings = Pick<
  ControllerSettings,
  'maxPods' | 'parallelism' | 'fixedParallelism' | 'pagesPerIndex' | 'isLocal'
>;

export interface OwnOptions extends Pick<ControllerOptions, 'cluster' | 'issueToken' | 'isHalted' | 'onSuperseded'> {
  readonly settings: OwnSettings;
  /** Age of the informer cache in milliseconds; undefined if there is no watch. */
  readonly staleness?: () => number | undefined;
}

/** Starts the controller of the leader, and makes each scrape report its state. */
export async function startLeader(
  { config, store, queue, notifications, log, metrics, outages, publicUrl, internalUrl }: ServiceContext,
  { settings, staleness, ...own }: OwnOptions,
): Promise<Controller> {
  const controller = await startController({
    ...own,
    ...{ store, queue, notifications },
    storeFault: () => outages.artifacts.reason,
    log: log.child({ part: 'controller' }),
    observe: {
      screenshots: metrics.countScreenshots,
      milestones: metrics.timeMilestones,
      reconciled: metrics.controller.reconciled,
      audited: metrics.controller.audited,
    },
    settings: {
      ...settings,
      maxPodsPerOrganization: config.MAX_PODS_PER_ORGANIZATION,
      setDeadlineSeconds: config.SET_DEADLINE_SECONDS,
      schedulingDeadlineSeconds: config.SCHEDULING_DEADLINE_SECONDS,
      retries: config.CAPTURE_RETRIES,
      podDeadlineSeconds: config.CAPTURE_POD_DEADLINE_SECONDS,
      finishedTtlSeconds: FINISHED_TTL_SECONDS,
      maxFinishedResources: MAX_FINISHED_RESOURCES,
      ...{ publicUrl, internalUrl },
    },
  });
  metrics.controller.setLeader(true);
  metrics.controller.collect(async () => {
    const age = staleness?.();
    return {
      workQueue: { ...controller.workQueue() },
      resources: await countByReason(own.cluster),
      waiting: await countWaiting(store.db),
      cacheAgeSeconds: age === undefined ? undefined : age / 1000,
    };
  });
  return controller;
}

async function countByReason(cluster: ClusterPort): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of await cluster.listScreenshotJobs()) {
    const reason = status?.reason ?? 'Queued';
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}
