/** The fields of Jobs, pods and ScreenshotJobs that the cache keeps. */
import type { V1ContainerStatus, V1Job, V1ObjectMeta, V1Pod, V1PodCondition } from '@kubernetes/client-node';
import { type ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../../contract/screenshotJob.ts';
import type { ScreenshotJobObject } from '../client/kinds.ts';
import { CONTAINER, FINALIZER, LABEL, PROFILE_HASH, QUEUE_LABEL, REMOVED_BY } from '../client/names.ts';
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

export interface JobState extends CachedObject {
  readonly createdAt: string;
  /** Name and uid of the ScreenshotJob. */
  readonly ownerName: string;
  readonly ownerUid: string;
  readonly indexes: number;
  readonly parallelism: number;
  readonly suspended: boolean;
  /** The Kueue queue that admits the Job. */
  readonly queue: string | undefined;
  /** Hash of the capture profile with which it was created. */
  readonly profile: string | undefined;
  readonly deleting: boolean;
  readonly finished: boolean;
  /** The Job has failed and waits for its pods to end. */
  readonly isFailing: boolean;
  /** As Kubernetes writes them: `0-3,7`. */
  readonly succeededIndexes: string;
  readonly failedIndexes: string;
}

export function readJob({ metadata = {}, spec, status }: V1Job): JobState {
  const has = (type: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  return {
    ...readIdentity(metadata),
    createdAt: timeText(metadata.creationTimestamp),
    ownerName: screenshotJobName(metadata),
    ownerUid: controllerUid(metadata),
    indexes: spec?.completions ?? 0,
    parallelism: spec?.parallelism ?? 0,
    suspended: spec?.suspend === true,
    queue: metadata.labels?.[QUEUE_LABEL],
    profile: metadata.annotations?.[PROFILE_HASH],
    deleting: metadata.deletionTimestamp !== undefined,
    finished: has('Complete') || has('Failed'),
    isFailing: has('FailureTarget'),
    succeededIndexes: status?.completedIndexes ?? '',
    failedIndexes: status?.failedIndexes ?? '',
  };
}

/**
 * Reads `0-3,7` as numbers. Indexes that the Job does not have are left out, so that a wrong status of one Job cannot exhaust the
 * memory of this process.
 */
export function parseIndexes(text: string, indexes: number): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    const length = Math.min(last, indexes - 1) - first + 1;
    return Array.from({ length: Math.max(0, length) }, (_, offset) => first + offset);
  });
}

/** The metadata that every cached object has. */
export function readIdentity({
  name = '',
  uid = '',
  resourceVersion = '',
}: Pick<V1ObjectMeta, 'name' | 'uid' | 'resourceVersion'>): CachedObject {
  return { name, uid, version: resourceVersion };
}

/** @returns ISO 8601; empty if there is no time. In a list the library makes a Date of it, in a watch it stays a string. */
export function timeText(time: Date | string | undefined): string {
  return time ? new Date(time).toISOString() : '';
}

/** @returns the uid of the object that controls this one; empty if no object does. */
function controllerUid({ ownerReferences = [] }: V1ObjectMeta): string {
  return ownerReferences.find(({ controller }) => controller === true)?.uid ?? '';
}

/** @returns the name of the ScreenshotJob that a Job or a pod belongs to; empty if the label is missing. */
function screenshotJobName({ labels = {} }: V1ObjectMeta): string {
  return labels[LABEL.screenshotJob] ?? '';
}

/** The fields of a pod that the cache keeps. */
export function readPod({ metadata = {}, spec, status }: V1Pod): PodState {
  const conditions = status?.conditions ?? [];
  const container = status?.containerStatuses?.find(({ name }) => name === CONTAINER);
  const waiting = container?.state?.waiting;
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  const disrupted = findCondition(conditions, 'DisruptionTarget', 'True');
  return {
    ...readIdentity(metadata),
    createdAt: timeText(metadata.creationTimestamp),
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

function failureOf(container: V1ContainerStatus | undefined): PodState['failure'] {
  const ended = container?.state?.terminated;
  if (ended === undefined || ended.exitCode === 0) return undefined;
  return { ...readReason(ended, 'Error'), exitCode: ended.exitCode };
}

function findCondition(
  conditions: readonly V1PodCondition[],
  type: string,
  status: string,
): V1PodCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === status);
}

export interface ScreenshotJobState extends CachedObject {
  readonly generation: number;
  readonly deleting: boolean;
  /** It has our finalizer. */
  readonly held: boolean;
  readonly removedByUs: boolean;
  readonly createdAt: string;
  readonly spec: unknown;
  readonly status: unknown;
}

/** The fields of a ScreenshotJob that the cache keeps. */
export function readScreenshotJob({ metadata, spec, status }: ScreenshotJobObject): ScreenshotJobState {
  if (metadata === undefined) throw new TypeError('The object has no metadata.');
  return {
    ...readIdentity(metadata),
    generation: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== undefined,
    held: metadata.finalizers?.includes(FINALIZER) === true,
    removedByUs: metadata.annotations?.[REMOVED_BY] !== undefined,
    createdAt: timeText(metadata.creationTimestamp),
    spec,
    status,
  };
}

/** The ScreenshotJob that the controller gets. Spec and status are parsed only when they are read, because most callers need only the name. */
export function asScreenshotJob(state: ScreenshotJobState, { removedByUs = state.removedByUs } = {}): ScreenshotJob {
  return {
    ...state,
    removedByUs,
    createdAt: new Date(state.createdAt),
    /** @throws ZodError if a version of Tearsheet that this one does not know wrote it. */
    get spec() {
      return ScreenshotJobSpec.parse(state.spec);
    },
    /** Undefined until a controller has written a status. The default of the CRD has no `observedGeneration`. */
    get status() {
      const { data } = ScreenshotJobStatus.safeParse(state.status);
      return data?.observedGeneration === undefined ? undefined : data;
    },
  };
}
