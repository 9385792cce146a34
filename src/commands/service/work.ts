/** What `tearsheet dev` and `tearsheet controller` have in common, on one machine as on a cluster. */
import type { ClusterPort } from '../../cluster/port.ts';
import type { Config } from '../../config.ts';
import type { Controller, ControllerSettings } from '../../controller/controller.ts';
import type { ControllerOptions } from '../../controller/options.ts';
import { startDeliveries } from '../../delivery/deliveries.ts';
import { createGuard } from '../../egress/guard.ts';
import { countWaiting } from '../../store/jobs/auditQueries.ts';
import type { ServiceContext } from './serviceContext.ts';

export interface WorkService {
  /** Ends everything that reconciles and delivers; captures on this machine give back what they hold. */
  stop(graceMs: number): Promise<void>;
}

export function deliver(base: ServiceContext, egressAllow: readonly string[]): Promise<void> {
  const { store, queue, artifacts, log, metrics } = base;
  return startDeliveries({
    store,
    queue,
    artifacts,
    guard: createGuard({ allow: [...egressAllow] }),
    log: log.child({ part: 'delivery' }),
    observe: { tried: metrics.countDeliveryAttempt, ended: metrics.countDelivery },
  });
}

/** The settings that mean the same everywhere. */
export function commonSettings(config: Config) {
  return {
    maxPodsPerOrganization: config.MAX_PODS_PER_ORGANIZATION,
    setDeadlineSeconds: config.SET_DEADLINE_SECONDS,
    schedulingDeadlineSeconds: config.SCHEDULING_DEADLINE_SECONDS,
    retries: config.CAPTURE_RETRIES,
    podDeadlineSeconds: config.CAPTURE_POD_DEADLINE_SECONDS,
    finishedTtlSeconds: config.FINISHED_TTL_SECONDS,
    maxFinishedResources: config.MAX_FINISHED_RESOURCES,
  } satisfies Partial<ControllerSettings>;
}

/** What every controller stands on, and how it is measured. */
export function controllerParts(base: ServiceContext) {
  const { store, queue, notifications, log, metrics } = base;
  return {
    store,
    queue,
    notifications,
    log: log.child({ part: 'controller' }),
    observe: {
      screenshots: metrics.countScreenshots,
      reconciled: metrics.controller.reconciled,
      queue: metrics.controller.queue,
      audited: metrics.controller.audited,
    },
  } satisfies Partial<ControllerOptions>;
}

export interface Measured {
  readonly controller: Controller;
  readonly cluster: ClusterPort;
  /** Milliseconds since the cluster was last certain to be as it is seen. */
  readonly staleness?: () => number | undefined;
}

/** At each scrape of a leader's metrics. */
export function measure({ store, metrics }: ServiceContext, { controller, cluster, staleness }: Measured): void {
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
