/** The controller on Kubernetes: deliveries in every replica, everything else in the one that leads. */

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { connectKubernetes, type KubernetesCluster } from '../../cluster/kubernetes/kubernetesCluster.ts';
import { type Config, ConfigError } from '../../config.ts';
import { CaptureProfile } from '../../contract/captureProfile.ts';
import { type Controller, startController } from '../../controller/controller.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { namespaceOf } from './namespace.ts';
import type { ServiceContext } from './serviceContext.ts';
import { commonSettings, controllerParts, deliver, measure, type WorkService } from './work.ts';

export interface ClusterWork extends WorkService {
  /** It leads no more: it writes nothing from now on. */
  halt(): void;
}

/** @param onLost called once, when it led and does not any more: the process is to end. */
export async function startClusterService(
  base: ServiceContext,
  onLost: (reason: string) => void,
): Promise<ClusterWork> {
  const { config, metrics, queue, log } = base;
  const cluster = await connectCluster(base);
  await deliver(base, config.EGRESS_ALLOW);
  metrics.controller.setLeader(false);
  let controller: Promise<Controller> | undefined;
  let halted = false;
  const elector = cluster.startElector({
    identity: config.POD_NAME ?? hostname(),
    leaseName: config.LEASE_NAME,
    onElected: () => {
      log.info({}, 'this controller leads');
      controller = lead(base, cluster, { isHalted: () => halted, onSuperseded: () => onLost('another leader began') });
      controller.catch((error: unknown) => {
        log.error({ err: error }, 'the controller could not begin');
        onLost('the controller could not begin');
      });
    },
    onLost,
  });
  return {
    halt: () => {
      halted = true;
      metrics.controller.setLeader(false);
    },
    async stop(graceMs) {
      // One that could not begin has nothing to stop.
      await (await controller?.catch(() => undefined))?.stop();
      // Given back when nothing is written any more, so that the next leader need not wait.
      await elector.stop();
      await cluster.close();
      await queue.stop({ timeoutMs: graceMs });
    },
  };
}

async function lead(
  base: ServiceContext,
  cluster: KubernetesCluster,
  term: { isHalted: () => boolean; onSuperseded: () => void },
): Promise<Controller> {
  const { config, internalUrl, publicUrl } = base;
  const controller = await startController({
    ...controllerParts(base),
    ...term,
    cluster,
    settings: {
      ...commonSettings(config),
      maxPods: config.MAX_PODS,
      parallelism: config.CAPTURE_PARALLELISM,
      internalUrl,
      publicUrl,
      isLocal: false,
    },
  });
  measure(base, { controller, cluster, staleness: () => cluster.staleness() });
  return controller;
}

/** @throws ConfigError */
export function connectCluster({ config, installation, log, metrics }: ServiceContext): Promise<KubernetesCluster> {
  const { requested, relisted } = metrics.controller;
  return connectKubernetes({
    namespace: namespaceOf(config),
    installation: installation.id,
    profile: readProfile(config),
    readsNodes: config.READ_NODES,
    log: log.child({ part: 'cluster' }),
    observe: { requested, relisted },
  });
}

function readProfile({ CAPTURE_PROFILE: file }: Config): CaptureProfile {
  if (file === undefined)
    throw new ConfigError('CAPTURE_PROFILE is not set: the file that says what capture pods are.');
  let profile: unknown;
  try {
    profile = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`CAPTURE_PROFILE: ${file} cannot be read: ${errorMessage(error)}`);
  }
  const parsed = CaptureProfile.safeParse(profile);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ConfigError(`CAPTURE_PROFILE: ${file} is not usable:\n  ${faults.join('\n  ')}`);
}
