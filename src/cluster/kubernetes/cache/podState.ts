/** The fields of a pod that the cache keeps. */
import type { V1ContainerStatus, V1Pod, V1PodCondition } from '@kubernetes/client-node';
import { CONTAINER } from '../client/names.ts';
import type { Wire } from '../client/resourceClient.ts';
import { controllerUid, readIdentity, screenshotJobName } from './metadata.ts';
import type { CachedObject } from './objectCache.ts';

/** A reason that Kubernetes gives, with its message. */
export interface KubernetesReason {
  readonly reason: string;
  readonly message: string;
}

export interface PodState extends CachedObject {
  readonly createdAt: string;
  readonly jobUid: string;
  /** Name of the ScreenshotJob. */
  readonly ownerName: string;
  readonly node: string | undefined;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly deleting: boolean;
  /** Seconds between SIGTERM and SIGKILL. */
  readonly graceSeconds: number;
  readonly unschedulable: KubernetesReason | undefined;
  /** Why the container does not run yet. */
  readonly waiting: KubernetesReason | undefined;
  /** How the container ended, unless it succeeded. */
  readonly failure: (KubernetesReason & { readonly exitCode: number }) | undefined;
  /** Why Kubernetes ended the whole pod, for example `Evicted` or `DeadlineExceeded`. */
  readonly endReason: KubernetesReason | undefined;
  /** Why the pod was disrupted: its node was lost or drained, or another pod preempted it. */
  readonly disruption: KubernetesReason | undefined;
  /** The kubelet stopped reporting: the pod is not ready, but its containers are. */
  readonly nodeUnresponsive: boolean;
}

export function readPod({ metadata = {}, spec, status }: Wire<V1Pod>): PodState {
  const conditions = status?.conditions ?? [];
  const container = status?.containerStatuses?.find(({ name }) => name === CONTAINER);
  const waiting = container?.state?.waiting;
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  const disrupted = findCondition(conditions, 'DisruptionTarget', 'True');
  return {
    ...readIdentity(metadata),
    createdAt: metadata.creationTimestamp ?? '',
    jobUid: controllerUid(metadata),
    ownerName: screenshotJobName(metadata),
    node: spec?.nodeName,
    phase: phaseOf(status?.phase),
    deleting: metadata.deletionTimestamp !== undefined,
    graceSeconds: metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30,
    unschedulable: scheduled?.status === 'False' ? readReason(scheduled, 'Unschedulable') : undefined,
    waiting: waiting && readReason(waiting, 'Waiting'),
    failure: failureOf(container),
    endReason: status?.reason === undefined ? undefined : readReason(status, ''),
    disruption: disrupted && readReason(disrupted, 'DisruptionTarget'),
    nodeUnresponsive:
      findCondition(conditions, 'Ready', 'False') !== undefined &&
      findCondition(conditions, 'ContainersReady', 'True') !== undefined,
  };
}

function phaseOf(phase: string | undefined): PodState['phase'] {
  return phase === 'Running' || phase === 'Succeeded' || phase === 'Failed' || phase === 'Unknown' ? phase : 'Pending';
}

function readReason({ reason, message }: Partial<KubernetesReason>, fallback: string): KubernetesReason {
  return { reason: reason ?? fallback, message: (message ?? '').slice(0, 1_024) };
}

function failureOf(container: Wire<V1ContainerStatus> | undefined): PodState['failure'] {
  const ended = container?.state?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  return { ...readReason(ended, 'Error'), exitCode: ended.exitCode };
}

type PodCondition = Wire<V1PodCondition>;

function findCondition(conditions: readonly PodCondition[], type: string, status: string): PodCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === status);
}
