/** What is kept of a pod: where it stands, and in whose words. */
import type { V1ContainerStatus, V1Pod, V1PodCondition } from '@kubernetes/client-node';
import { CONTAINER, LABEL } from '../client/names.ts';
import type { Wire } from '../client/wire.ts';

/** A reason of Kubernetes, and what it says about it. */
export interface Said {
  readonly reason: string;
  readonly message: string;
}

export interface PodState {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly createdAt: string;
  readonly jobUid: string;
  readonly ownerName: string;
  readonly node: string | undefined;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly deleting: boolean;
  /** Between being asked to end and being killed. */
  readonly graceSeconds: number;
  readonly unschedulable: Said | undefined;
  /** Why its container does not run yet. */
  readonly waiting: Said | undefined;
  /** How its container ended, where that was no success. */
  readonly failure: (Said & { readonly exitCode: number }) | undefined;
  /** Why the pod as a whole ended: an eviction, its deadline. */
  readonly verdict: Said | undefined;
  /** Why somebody else ended it: its node was lost or drained, another pod was more important. */
  readonly disruption: Said | undefined;
  /** Its node does not answer: the cluster says that it is not ready, and its container that it is. */
  readonly isCutOff: boolean;
}

export function readPod(object: unknown): PodState {
  const { metadata = {}, spec, status } = object as Wire<V1Pod>;
  const conditions = status?.conditions ?? [];
  const container = status?.containerStatuses?.find(({ name }) => name === CONTAINER);
  const disrupted = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    version: metadata.resourceVersion ?? '',
    createdAt: metadata.creationTimestamp ?? '',
    jobUid: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '',
    ownerName: metadata.labels?.[LABEL.screenshotJob] ?? '',
    node: spec?.nodeName,
    phase: phaseOf(status?.phase),
    deleting: metadata.deletionTimestamp !== undefined,
    graceSeconds: metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30,
    unschedulable: scheduled?.status === 'False' ? said(scheduled, 'Unschedulable') : undefined,
    waiting: container?.state?.waiting === undefined ? undefined : said(container.state.waiting, 'Waiting'),
    failure: failureOf(container),
    verdict: status?.reason === undefined ? undefined : said(status, ''),
    disruption: disrupted === undefined ? undefined : said(disrupted, 'DisruptionTarget'),
    isCutOff: isFalse(conditions, 'Ready') && isTrue(conditions, 'ContainersReady'),
  };
}

function phaseOf(phase: string | undefined): PodState['phase'] {
  return phase === 'Running' || phase === 'Succeeded' || phase === 'Failed' || phase === 'Unknown' ? phase : 'Pending';
}

function said({ reason, message }: { reason?: string; message?: string }, fallback: string): Said {
  return { reason: reason ?? fallback, message: (message ?? '').slice(0, 1_024) };
}

function failureOf(container: Wire<V1ContainerStatus> | undefined): PodState['failure'] {
  const ended = container?.state?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  return { ...said(ended, 'Error'), exitCode: ended.exitCode };
}

const isTrue = (conditions: readonly Wire<V1PodCondition>[], type: string) =>
  conditions.some((found) => found.type === type && found.status === 'True');
const isFalse = (conditions: readonly Wire<V1PodCondition>[], type: string) =>
  conditions.some((found) => found.type === type && found.status === 'False');
