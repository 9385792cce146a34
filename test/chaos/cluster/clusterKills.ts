/** The kills of a run on the cluster. */
import { sleep } from '../../../src/lib/sleep.ts';
import { kill as killDaemon, up } from '../../e2e/support/ownCluster.ts';
import { kill } from '../../integration/dev/serviceFolders.ts';
import type { FaultContext, FaultKind } from '../faults/fault.ts';
import { endSession, killBackend, killPostmaster, killS3 } from '../faults/serverKills.ts';
import type { ProcessKind } from '../service/processes.ts';
import type { ClusterInstallation } from './clusterInstallation.ts';
import { type Component, podsOf, processesOf } from './podProcesses.ts';

type Context = FaultContext<ClusterInstallation>;
type Strike = FaultKind<ClusterInstallation>['strike'];

export const CLUSTER_KILLS: readonly FaultKind<ClusterInstallation>[] = [
  { name: 'API pod', kind: 'kill', weight: 6, strike: killPod('api') },
  { name: 'leader pod with its deliveries', kind: 'kill', weight: 6, strike: killLeader },
  { name: 'capture pod', kind: 'kill', weight: 8, strike: killPod('capture') },
  { name: 'capture program', kind: 'kill', weight: 6, strike: killInCapture('capture') },
  { name: 'browser', kind: 'kill', weight: 10, strike: killInCapture('browser') },
  { name: 'browser renderer', kind: 'kill', weight: 10, strike: killInCapture('renderer') },
  { name: 'PostgreSQL session ended', kind: 'kill', weight: 10, strike: endSession },
  { name: 'PostgreSQL backend', kind: 'kill', weight: 2, strike: killBackend },
  { name: 'PostgreSQL postmaster', kind: 'kill', weight: 2, strike: killPostmaster },
  { name: 'S3 server', kind: 'kill', weight: 6, strike: killS3 },
  { name: 'Kubernetes API server', kind: 'kill', weight: 2, strike: killNodePart('kube-apiserver') },
  { name: 'kubelet', kind: 'kill', weight: 2, strike: killNodePart('kubelet') },
];

/** The longest time without the API server or the kubelet, in seconds. */
const LONGEST_AWAY = 10;

function killPod(component: Component): Strike {
  return async (context) => {
    const pods = await podsOf(context.installation.release, component).catch(() => []);
    const running = pods.filter(({ status }) => status.phase === 'Running');
    return running.length === 0 ? undefined : endPod(context, context.random.pick(running).metadata.name, component);
  };
}

async function killLeader(context: Context): Promise<string | undefined> {
  const { release } = context.installation;
  const leases = await release.list<{ spec: { holderIdentity?: string } }>('leases').catch(() => []);
  const leader = leases[0]?.spec.holderIdentity ?? '';
  return leader === '' ? undefined : endPod(context, leader, 'controller');
}

/**
 * Kills all processes of the pod, then deletes it. A pod that stays would start its container again with growing pauses, so
 * most kills would meet nothing.
 */
async function endPod(
  { installation: { release } }: Context,
  name: string,
  component: Component,
): Promise<string | undefined> {
  const pod = (await podsOf(release, component).catch(() => [])).filter(({ metadata }) => metadata.name === name);
  const processes = processesOf(pod);
  for (const { pid } of processes) kill(pid);
  await release.tryKubectl(['delete', 'pod', name, '--grace-period=0', '--force', '--wait=false'], {
    timeoutMs: 20_000,
  });
  return processes.length === 0 ? undefined : `${name}, ${processes.length} processes`;
}

function killInCapture(wanted: ProcessKind): Strike {
  return async ({ installation: { release }, random }) => {
    const found = processesOf(await podsOf(release, 'capture').catch(() => [])).filter(({ kind }) => kind === wanted);
    if (found.length === 0) return undefined;
    const { pid, pod } = random.pick(found);
    kill(pid);
    return `${wanted} ${pid} of ${pod}`;
  };
}

let isNodePartAway = false;

/** One at a time, because one command brings both back. */
function killNodePart(part: 'kube-apiserver' | 'kubelet'): Strike {
  return async ({ random }) => {
    if (isNodePartAway) return undefined;
    isNodePartAway = true;
    const seconds = random.between(1, LONGEST_AWAY);
    try {
      await killDaemon(part);
      await sleep(seconds * 1_000);
    } finally {
      await up();
      isNodePartAway = false;
    }
    return `${part}, started again after ${seconds} s`;
  };
}
