/** The fields of a Job that the cache keeps. */
import type { V1Job } from '@kubernetes/client-node';
import { PROFILE_HASH, QUEUE_LABEL } from '../client/names.ts';
import type { Wire } from '../client/resourceClient.ts';
import { controllerUid, readIdentity, screenshotJobName } from './metadata.ts';
import type { CachedObject } from './objectCache.ts';

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

export function readJob({ metadata = {}, spec, status }: Wire<V1Job>): JobState {
  const has = (type: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  return {
    ...readIdentity(metadata),
    createdAt: metadata.creationTimestamp ?? '',
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
