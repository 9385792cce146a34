/**
 * Diagnoses a Job from a snapshot of the Job, its pods, Events and nodes.
 *
 * A condition counts only after it has lasted for some time. The time is measured on our own clock from when the condition was first
 * seen, because the cluster's clock may be different. The caller keeps the first-seen times of one diagnosis for the next.
 */
import type { CaptureJob, Problem } from '../../port.ts';
import { parseIndexes } from '../cache/jobState.ts';
import {
  creating,
  endProblem,
  findProblem,
  hasEnded,
  isCapturing,
  isCreating,
  type JobSnapshot,
  type LastingCondition,
  MISSING_PODS,
  missingPods,
} from './problems.ts';

/** The kind of object that an Event is about. */
export type WarningKind = 'Job' | 'Pod';

/** Milliseconds on our clock, by the name of the condition. */
export type FirstSeenTimes = ReadonlyMap<string, number>;

export interface Diagnosis {
  readonly captureJob: CaptureJob;
  readonly firstSeen: FirstSeenTimes;
  /** Events that could tell more. */
  readonly eventsNeeded: readonly WarningKind[];
  /** Milliseconds until another condition may count; undefined: only a change of an object can change the diagnosis. */
  readonly recheckMs: number | undefined;
}

/** A pod is stuck if it has not ended this long after its grace period. */
const STUCK_AFTER_MS = 60_000;
/** No watch reports Events, so they are read again at this interval. */
const EVENTS_RECHECK_MS = 5_000;

/** @param now milliseconds on the same clock as `previous`. */
export function diagnose(snapshot: JobSnapshot, previous: FirstSeenTimes, now: number): Diagnosis {
  const firstSeen = new Map<string, number>();
  const waits: number[] = [];
  // Call it only while the condition holds: a condition that is not asked for starts again at zero.
  const hasLasted: HasLasted = ({ condition, ms }) => {
    const since = previous.get(condition) ?? now;
    firstSeen.set(condition, since);
    const left = since + ms - now;
    if (left > 0) waits.push(left);
    return left <= 0;
  };

  const possible = findProblem(snapshot);
  const problem = possible !== undefined && hasLasted(possible) ? possible.problem : undefined;
  const eventsNeeded = findEventsNeeded(snapshot, hasLasted);
  if (eventsNeeded.length > 0) waits.push(EVENTS_RECHECK_MS);
  const stuck = isStuck(snapshot, hasLasted);
  return {
    captureJob: captureJobOf(snapshot, { stuck, problem }),
    firstSeen,
    eventsNeeded,
    recheckMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

type HasLasted = (condition: LastingCondition) => boolean;

function findEventsNeeded(snapshot: JobSnapshot, hasLasted: HasLasted): WarningKind[] {
  if (isCapturing(snapshot)) return [];
  const needed: WarningKind[] = [];
  if (missingPods(snapshot) > 0 && hasLasted(MISSING_PODS)) needed.push('Job');
  const slowPods = snapshot.pods.filter((pod) => isCreating(pod) && hasLasted(creating(pod)));
  if (slowPods.length > 0) needed.push('Pod');
  return needed;
}

/** A stuck Job does not end by itself: one of its pods does not end, or the Job stays at `FailureTarget`. */
function isStuck({ job, pods }: JobSnapshot, hasLasted: HasLasted): boolean {
  // Every pod is asked, because asking starts its time.
  const stuckPods = pods.filter(
    (pod) =>
      pod.deleting &&
      !hasEnded(pod) &&
      hasLasted({ condition: `deleting ${pod.uid}`, ms: pod.graceSeconds * 1000 + STUCK_AFTER_MS }),
  );
  const isFailing = job.isFailing && !job.finished && hasLasted({ condition: 'failing', ms: STUCK_AFTER_MS });
  return isFailing || stuckPods.length > 0;
}

function captureJobOf(
  { job, pods }: JobSnapshot,
  { stuck, problem }: { readonly stuck: boolean; readonly problem: Problem | undefined },
): CaptureJob {
  const lastFailure = endProblem(pods)?.problem;
  return {
    name: job.name,
    uid: job.uid,
    ownerUid: job.ownerUid,
    createdAt: new Date(job.createdAt),
    ...(job.queue === undefined && { parallelism: job.parallelism }),
    active: pods.filter((pod) => !hasEnded(pod)).length,
    succeededIndexes: parseIndexes(job.succeededIndexes, job.indexes),
    failedIndexes: parseIndexes(job.failedIndexes, job.indexes),
    finished: job.finished,
    deleting: job.deleting,
    suspended: job.suspended,
    stuck,
    ...(problem && { problem }),
    ...(lastFailure && { lastFailure }),
  };
}
