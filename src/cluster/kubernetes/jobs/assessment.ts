/**
 * A Job as the controller sees it. Some things count only once they have lasted: how long is measured by our own clock from when they were
 * first seen, for the cluster's clock is another one. What is remembered comes in with one look and goes out with the next.
 */
import type { CaptureJob } from '../../port.ts';
import { parseIndexes } from '../cache/jobState.ts';
import {
  creating,
  endProblem,
  isAtWork,
  isCreating,
  isOver,
  MISSING,
  missingPods,
  type Sight,
  suspicionOf,
} from './problems.ts';

export type EventsOf = 'Job' | 'Pod';

/** Since when, in milliseconds of our clock, something is as it is. */
export type Memory = ReadonlyMap<string, number>;

export interface Assessment {
  readonly view: CaptureJob;
  readonly memory: Memory;
  /** Whose Events would tell more. */
  readonly wantsEvents: readonly EventsOf[];
  /** In so many milliseconds something may count that does not yet. */
  readonly lookAgainMs: number | undefined;
}

/** Beyond a pod's own grace. */
const STUCK_AFTER_MS = 60_000;
/** Events come without a change of anything that is watched. */
const EVENTS_AGAIN_MS = 5_000;

export function assess(sight: Sight, memory: Memory, now: number): Assessment {
  const next = new Map<string, number>();
  const waits: number[] = [];
  /** Whether this has lasted so long; it is asked only while it holds. */
  const lasts: Lasts = ({ what, ms }) => {
    const since = memory.get(what) ?? now;
    next.set(what, since);
    const left = since + ms - now;
    if (left > 0) waits.push(left);
    return left <= 0;
  };

  const suspicion = suspicionOf(sight);
  const isShown = suspicion !== undefined && lasts(suspicion);
  const wantsEvents = inQuestion(sight, lasts);
  if (wantsEvents.length > 0) waits.push(EVENTS_AGAIN_MS);
  const stuck = isStuck(sight, lasts);
  return {
    view: viewOf(sight, { stuck, problem: isShown ? suspicion.problem : undefined }),
    memory: next,
    wantsEvents,
    lookAgainMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

type Lasts = (condition: { readonly what: string; readonly ms: number }) => boolean;

function inQuestion(sight: Sight, lasts: Lasts): EventsOf[] {
  if (isAtWork(sight)) return [];
  const isMissing = missingPods(sight) > 0 && lasts(MISSING);
  const slow = sight.pods.filter((pod) => isCreating(pod) && lasts(creating(pod)));
  return [...(isMissing ? (['Job'] as const) : []), ...(slow.length > 0 ? (['Pod'] as const) : [])];
}

/** It will not end by itself: a pod of it does not, or its own end does not come. */
function isStuck({ job, pods }: Sight, lasts: Lasts): boolean {
  // Every one is asked, so that each one's time runs.
  const hung = pods
    .filter((pod) => pod.deleting && !isOver(pod))
    .map(({ uid, graceSeconds }) => lasts({ what: `deleting ${uid}`, ms: graceSeconds * 1000 + STUCK_AFTER_MS }));
  const isFailing = job.isFailing && !job.finished && lasts({ what: 'failing', ms: STUCK_AFTER_MS });
  return isFailing || hung.includes(true);
}

function viewOf(
  { job, pods }: Sight,
  { stuck, problem }: { stuck: boolean; problem: CaptureJob['problem'] },
): CaptureJob {
  const { name, uid, ownerUid, finished, deleting, suspended } = job;
  const lastFailure = endProblem(pods)?.problem;
  return {
    ...{ name, uid, ownerUid, finished, deleting, suspended, stuck },
    createdAt: new Date(job.createdAt),
    active: pods.filter((pod) => !isOver(pod)).length,
    succeededIndexes: parseIndexes(job.succeededIndexes, job.indexes),
    failedIndexes: parseIndexes(job.failedIndexes, job.indexes),
    ...(problem === undefined ? {} : { problem }),
    ...(lastFailure === undefined ? {} : { lastFailure }),
  };
}
