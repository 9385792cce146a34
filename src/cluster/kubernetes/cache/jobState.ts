/** What is kept of a Job. */
import type { V1Job } from '@kubernetes/client-node';
import { LABEL, QUEUE_LABEL } from '../client/names.ts';
import type { Wire } from '../client/wire.ts';

export interface JobState {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly createdAt: string;
  /** Of the ScreenshotJob. */
  readonly ownerName: string;
  readonly ownerUid: string;
  readonly indexes: number;
  readonly parallelism: number;
  readonly suspended: boolean;
  /** Of Kueue, which suspends it and lets it go. */
  readonly queue: string | undefined;
  readonly deleting: boolean;
  readonly finished: boolean;
  /** It has failed, and waits for its pods to end. */
  readonly isFailing: boolean;
  /** As Kubernetes writes them: `0-3,7`. */
  readonly succeededIndexes: string;
  readonly failedIndexes: string;
}

export function readJob(object: unknown): JobState {
  const { metadata = {}, spec, status } = object as Wire<V1Job>;
  const has = (type: string) => status?.conditions?.some((found) => found.type === type && found.status === 'True');
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    version: metadata.resourceVersion ?? '',
    createdAt: metadata.creationTimestamp ?? '',
    ownerName: metadata.labels?.[LABEL.screenshotJob] ?? '',
    ownerUid: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '',
    indexes: spec?.completions ?? 0,
    parallelism: spec?.parallelism ?? 0,
    suspended: spec?.suspend === true,
    queue: metadata.labels?.[QUEUE_LABEL],
    deleting: metadata.deletionTimestamp !== undefined,
    finished: has('Complete') === true || has('Failed') === true,
    isFailing: has('FailureTarget') === true,
    succeededIndexes: status?.completedIndexes ?? '',
    failedIndexes: status?.failedIndexes ?? '',
  };
}

/** `0-3,7` as numbers, of those that the Job has: one status that is nonsense is not to end the audit of all, nor this process. */
export function parseIndexes(text: string, indexes: number): number[] {
  if (text === '') return [];
  return text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    const length = Math.min(last, indexes - 1) - first + 1;
    return Array.from({ length: Math.max(0, length) }, (_, offset) => first + offset);
  });
}
