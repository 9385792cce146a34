/** The controller on Kubernetes. Every replica sends deliveries; only the leader does everything else. */

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ClusterSummary } from '../../cluster/kubernetes/jobs/summary.ts';
import { connectKubernetes, type KubernetesCluster } from '../../cluster/kubernetes/kubernetesCluster.ts';
import { RefusedError } from '../../cluster/port.ts';
import { type Config, ConfigError } from '../../config.ts';
import { CaptureProfile } from '../../contract/captureProfile.ts';
import type { Controller } from '../../controller/controller.ts';
import type { Database } from '../../db/database.ts';
import { cachedCheck } from '../../lib/cachedCheck.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { createLogger } from '../../observe/logger.ts';
import { type ControllerService, startLeader, startQueueWork } from './controllerOptions.ts';
import { captureNamespace } from './podAuthority.ts';
import type { ServiceContext } from './serviceContext.ts';

export interface KubernetesControllerService extends ControllerService {
  /** Stops all writes after leadership was lost. */
  halt(): void;
}

/** @param onLost called after leadership was lost. The process must exit. */
export async function startKubernetesController(
  context: ServiceContext,
  onLost: (reason: string) => void,
): Promise<KubernetesControllerService> {
  const { config, metrics, queue, log } = context;
  const cluster = await connectCluster(context);
  const fixedParallelism = readProfile(config).queueName !== undefined;
  const deliveries = await startQueueWork(context, { allow: config.EGRESS_ALLOW });
  metrics.controller.setLeader(false);
  let controller: Promise<Controller> | undefined;
  let halted = false;
  const elector = cluster.startElector({
    // The host name of a pod is its name. Controllers on one machine differ in the process id.
    identity: `${hostname()}_${process.pid}`,
    leaseName: config.LEASE_NAME,
    leaseOwner: config.LEASE_NAME,
    onElected: () => {
      log.info({}, 'became the leader');
      controller = startLeader(context, {
        cluster,
        settings: {
          maxPods: config.MAX_PODS,
          parallelism: config.CAPTURE_PARALLELISM,
          fixedParallelism,
          isLocal: false,
        },
        isHalted: () => halted,
        onSuperseded: () => onLost('another controller became the leader'),
        staleness: () => cluster.staleness(),
      });
      controller.catch((error: unknown) => {
        log.error({ err: error }, 'the controller failed to start as the leader');
        onLost('the controller failed to start as the leader');
      });
    },
    onLost,
  });
  return {
    checks: { captures: cachedCheck(() => checkCaptures(cluster)) },
    halt: () => {
      halted = true;
      metrics.controller.setLeader(false);
    },
    async stop(graceMs) {
      // A controller that failed to start has nothing to stop.
      await (await controller?.catch(() => undefined))?.stop();
      // The Lease is released after the last write, so that the next leader does not wait for it to expire.
      await elector.stop();
      await cluster.close();
      await Promise.all([deliveries.stop(graceMs), queue.stop({ timeoutMs: graceMs })]);
    },
  };
}

/** A full quota is no fault, because captures wait for it. @throws RefusedError */
async function checkCaptures(cluster: KubernetesCluster): Promise<void> {
  try {
    await cluster.dryRunCaptures({ pods: false });
  } catch (error) {
    // A slow or unreachable API server is no evidence about captures.
    if (error instanceof RefusedError && error.reason !== 'QuotaExceeded') throw error;
  }
}

interface ClusterMeans extends Pick<ServiceContext, 'config' | 'log'>, Partial<Pick<ServiceContext, 'metrics'>> {
  readonly installation: Pick<ServiceContext['installation'], 'id'>;
}

/** @throws ConfigError */
export function connectCluster({ config, installation, log, metrics }: ClusterMeans): Promise<KubernetesCluster> {
  return connectKubernetes({
    namespace: captureNamespace(config),
    installation: installation.id,
    profile: readProfile(config),
    readsNodes: config.READ_NODES,
    log: log.child({ part: 'cluster' }),
    ...(metrics && { requested: metrics.controller.requested }),
  });
}

/** For `tearsheet diagnose`. */
export async function summarizeCluster(config: Config, db: Database): Promise<ClusterSummary> {
  const installation = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  const cluster = await connectCluster({
    config,
    installation,
    log: createLogger({ name: 'diagnose', level: 'fatal' }),
  });
  return cluster.summarize(config.LEASE_NAME);
}

function readProfile({ CAPTURE_PROFILE: file = '' }: Config): CaptureProfile {
  let profile: unknown;
  try {
    profile = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`CAPTURE_PROFILE: ${file} cannot be read: ${errorMessage(error)}`);
  }
  const parsed = CaptureProfile.safeParse(profile);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ConfigError(`CAPTURE_PROFILE: ${file} is invalid:\n  ${faults.join('\n  ')}`);
}
