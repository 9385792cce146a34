import { issueJobToken } from '../../api/internal/token.ts';
import { createLocalCluster } from '../../cluster/local.ts';
import { startController } from '../../controller/controller.ts';
import { startDeliveries } from '../../delivery/deliveries.ts';
import { createGuard } from '../../egress/guard.ts';
import type { Foundation } from './foundation.ts';

export interface WorkService {
  /** Ends the captures (they give back what they hold) and everything that reconciles and delivers. */
  stop(graceMs: number): Promise<void>;
}

export interface WorkOptions {
  readonly egressAllow: readonly string[];
  readonly parallelism: number;
  /** Program and arguments of a capture. */
  readonly captureCommand: readonly string[];
  /** Another leader has begun: the process should end. */
  readonly onSuperseded: () => void;
}

/** A child process costs more to start than to go on: an index takes more pages than in a cluster. */
const PAGES_PER_INDEX = 12;

/** What a capture may see of this process's environment: never an address of the database, never a key. */
const CAPTURE_ENVIRONMENT = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'CHROMIUM_PATH',
  'CHROMIUM_SANDBOX',
  'LOG_LEVEL',
  'NAVIGATION_TIMEOUT_MS',
  'SETTLE_CAP_MS',
  'CREATIVE_DEADLINE_MS',
  'CREATIVES_AT_ONCE',
];

/** Controller, captures as child processes of this one, and deliveries. */
export async function startWorkService(base: Foundation, options: WorkOptions): Promise<WorkService> {
  const { config, store, queue, notifications, log, metrics, installation, artifacts, publicUrl, internalUrl } = base;
  const { parallelism, egressAllow, captureCommand } = options;
  const guard = createGuard({ allow: [...egressAllow] });
  const cluster = createLocalCluster({
    captureCommand,
    maxPods: parallelism,
    log: log.child({ part: 'cluster' }),
    env: captureEnvironment(egressAllow),
  });
  await startDeliveries({
    store,
    queue,
    guard,
    artifacts,
    log: log.child({ part: 'delivery' }),
    observe: { tried: metrics.deliveryTry, ended: metrics.delivery },
  });
  const controller = await startController({
    store,
    queue,
    cluster,
    notifications,
    log: log.child({ part: 'controller' }),
    issueToken: (jobId, expiresAt) => issueJobToken(installation.secret, jobId, expiresAt),
    onSuperseded: options.onSuperseded,
    observe: { screenshots: metrics.captures },
    settings: {
      // Captures are children of this machine: what it cannot run yet waits in Postgres, where it is gathered.
      maxPods: Math.min(config.MAX_PODS, 2 * parallelism),
      maxPodsPerOrganization: config.MAX_PODS_PER_ORGANIZATION,
      parallelism,
      pagesPerIndex: PAGES_PER_INDEX,
      setDeadlineSeconds: config.SET_DEADLINE_SECONDS,
      retries: config.CAPTURE_RETRIES,
      podDeadlineSeconds: config.CAPTURE_POD_DEADLINE_SECONDS,
      schedulingDeadlineSeconds: config.SCHEDULING_DEADLINE_SECONDS,
      mostFinishedResources: config.MAX_FINISHED_RESOURCES,
      finishedTtlSeconds: config.FINISHED_TTL_SECONDS,
      internalUrl,
      publicUrl,
      isLocal: true,
    },
  });
  return {
    async stop(graceMs) {
      await controller.stop();
      await cluster.close();
      await queue.stop({ timeoutMs: graceMs });
    },
  };
}

function captureEnvironment(egressAllow: readonly string[]): Record<string, string> {
  const entries = CAPTURE_ENVIRONMENT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // As many captures run as there are processors: each gets one browser for creatives, not two.
  return {
    CREATIVES_AT_ONCE: '1',
    ...Object.fromEntries(entries),
    EGRESS_ALLOW: egressAllow.join(','),
    TEARSHEET_PARENT_STDIN: '1',
  };
}
