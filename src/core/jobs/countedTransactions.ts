/** Counts screenshots that a transaction resolves. All such transactions run here, so each screenshot is counted once. */

import type { Queryable } from '../../db/database.ts';
import type { ScreenshotStatus } from '../../domain/states.ts';
import type { EventContext } from '../webhooks/events.ts';

/** Context of one transaction. */
export interface ResolveContext extends EventContext {
  /** Functions that resolve screenshots add their final statuses here. */
  readonly resolved: ScreenshotStatus[];
}

/** Runs `work` in a transaction. */
export type Transact = <T>(work: (transaction: Queryable) => Promise<T>) => Promise<T>;

export type CountedTransact = <T>(work: (transaction: Queryable, context: ResolveContext) => Promise<T>) => Promise<T>;

export interface CountedTransactOptions extends EventContext {
  readonly transact: Transact;
  /** Counts screenshots by final status. */
  readonly count: (statuses: readonly ScreenshotStatus[]) => void;
}

/** @returns a function that runs a transaction and counts its resolved screenshots after the commit. */
export function countedTransact({ transact, count, queue, publicUrl }: CountedTransactOptions): CountedTransact {
  return async (work) => {
    const resolved: ScreenshotStatus[] = [];
    const result = await transact((transaction) => {
      resolved.length = 0;
      return work(transaction, { queue, publicUrl, resolved });
    });
    if (resolved.length > 0) count(resolved);
    return result;
  };
}
