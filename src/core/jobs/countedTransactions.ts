/**
 * Counts screenshots that a transaction resolves, and times milestones of sets. All such transactions run here, so each is counted once, by
 * the process whose transaction caused it.
 */

import type { Queryable } from '../../db/database.ts';
import type { Milestone, ScreenshotStatus } from '../../domain/states.ts';
import type { EventContext } from '../events/recordEvent.ts';
import type { SetTime } from '../sets/setStatus.ts';

/** Context of one transaction. */
export interface ResolveContext extends EventContext {
  /** Functions that resolve screenshots add their final statuses here. */
  readonly resolved: ScreenshotStatus[];
  /** Functions that bring a set to a milestone add it here. */
  readonly reached: ReachedMilestone[];
}

export interface ReachedMilestone extends SetTime {
  readonly milestone: Milestone;
}

/** Runs `work` in a transaction. */
export type Transact = <T>(work: (transaction: Queryable) => Promise<T>) => Promise<T>;

export type CountedTransact = <T>(work: (transaction: Queryable, context: ResolveContext) => Promise<T>) => Promise<T>;

export interface CountedTransactOptions extends EventContext {
  readonly transact: Transact;
  /** Counts screenshots by final status. */
  readonly count: (statuses: readonly ScreenshotStatus[]) => void;
  readonly time: (milestones: readonly ReachedMilestone[]) => void;
}

/** @returns a function that runs a transaction, and counts and times its results after the commit. */
export function countedTransact({ transact, count, time, queue, publicUrl }: CountedTransactOptions): CountedTransact {
  return async (work) => {
    const resolved: ScreenshotStatus[] = [];
    const reached: ReachedMilestone[] = [];
    const result = await transact((transaction) => {
      resolved.length = 0;
      reached.length = 0;
      return work(transaction, { queue, publicUrl, resolved, reached });
    });
    if (resolved.length > 0) count(resolved);
    if (reached.length > 0) time(reached);
    return result;
  };
}
