/**
 * Requests that read all pictures of a set wait for their turn, because each takes memory and a database connection
 * for a long time. So one share link or one organization cannot use up both.
 */
import type { Response } from 'express';
import { hasMoreScreenshots } from '../../core/sets/readSet.ts';
import type { Queryable } from '../../db/database.ts';
import { tooMany } from '../../domain/failure.ts';
import { KeyedConcurrencyLimit, type TurnOptions } from '../../lib/concurrencyLimit.ts';
import { type LimitKind, noteLimit } from '../server/accessLog.ts';

interface RequestTurns extends Omit<TurnOptions, 'waitMs'> {
  readonly kind: LimitKind;
  readonly text: string;
}

const MAX_WAIT_MS = 30_000;
const RETRY_SECONDS = 5;

/** A smaller set is read at once. */
const SCREENSHOTS_AT_ONCE = 500;

type Turns = <T>(key: string, response: Response, work: () => Promise<T>) => Promise<T>;

/** Runs the work in the turn of a share link, which the key names. @throws Failure (429) */
export const inTurnOfLink = createTurns({
  ...{ inAll: 8, ofEach: 4, waiting: 16, kind: 'link_rate' },
  text: 'Too many people opened this link at the same time.',
});

const inTurnOfOrganization = createTurns({
  ...{ inAll: 4, ofEach: 2, waiting: 20, kind: 'large_sets' },
  text: 'Too many requests read large screenshot sets at the same time.',
});

/**
 * Runs work that reads a whole set, in the turn of the organization if the set is large.
 * @param id of the set, or of one of its screenshots. @throws Failure (429)
 */
export async function inTurnOfSet<T>(
  db: Queryable,
  {
    id,
    organizationId,
    response,
  }: { readonly id: string; readonly organizationId: string; readonly response: Response },
  work: () => Promise<T>,
): Promise<T> {
  const isLarge = await hasMoreScreenshots(db, id, SCREENSHOTS_AT_ONCE);
  return isLarge ? inTurnOfOrganization(organizationId, response, work) : work();
}

function createTurns({ kind, text, ...limits }: RequestTurns): Turns {
  const turns = new KeyedConcurrencyLimit({ ...limits, waitMs: MAX_WAIT_MS });
  const reject = (response: Response) => {
    noteLimit(response, kind);
    return tooMany('rate_limit', `${text} Try again in ${RETRY_SECONDS} s.`, RETRY_SECONDS);
  };
  return (key, response, work) => turns.run(key, work, () => reject(response));
}
