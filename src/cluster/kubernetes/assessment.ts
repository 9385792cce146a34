/**
 * A Job as the controller sees it. Some things count only once they have lasted: how long is measured by our own clock from when they were
 * first seen, for the cluster's clock is another one. What is remembered comes in with one look and goes out with the next.
 */
import type { CaptureJob } from '../port.ts';
import { parseIndexes } from './jobState.ts';
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
  const { job, pods } = sight;
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
  // Every one is asked, so that each one's time runs.
  const hung = pods
    .filter((pod) => pod.deleting && !isOver(pod))
    .map(({ uid, graceSeconds }) => lasts({ what: `deleting ${uid}`, ms: graceSeconds * 1000 + STUCK_AFTER_MS }));
  const lastFailure = endProblem(pods)?.problem;
  const isFailing = job.isFailing && !job.finished && lasts({ what: 'failing', ms: STUCK_AFTER_MS });
  return {
    view: {
      name: job.name,
      uid: job.uid,
      ownerUid: job.ownerUid,
      createdAt: new Date(job.createdAt),
      active: pods.filter((pod) => !isOver(pod)).length,
      succeededIndexes: parseIndexes(job.succeededIndexes, job.indexes),
      failedIndexes: parseIndexes(job.failedIndexes, job.indexes),
      finished: job.finished,
      deleting: job.deleting,
      suspended: job.suspended,
      stuck: isFailing || hung.includes(true),
      ...(isShown ? { problem: suspicion.problem } : {}),
      ...(lastFailure === undefined ? {} : { lastFailure }),
    },
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
