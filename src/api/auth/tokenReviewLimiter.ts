/**
 * Limits how many TokenReview requests run at once. Inventing a token costs an attacker nothing, so invented tokens must neither
 * overload the API server nor delay the tokens of other callers by more than a retry.
 */

import { KeyedSum } from '../../lib/keyedSum.ts';
import { setBounded } from '../../lib/lru.ts';

/** Requests at once: in all, from one address, and from all addresses together that recently sent an invalid token. */
const MAX_CONCURRENT = { total: 32, perAddress: 4, fromSuspects: 8 };
const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 5_000;

export interface TokenReviewLimiter {
  /** @returns a function that releases the place; undefined if the limit is reached. */
  acquire(source: string): (() => void) | undefined;
  /** Reports that this address sent an invalid token. */
  reportRejected(source: string): void;
}

export function createTokenReviewLimiter(now: () => number): TokenReviewLimiter {
  const perAddress = new KeyedSum();
  /** Each suspect address with the time at which the suspicion ends. */
  const suspects = new Map<string, number>();
  let [total, fromSuspects] = [0, 0];

  const isSuspect = (source: string) => (suspects.get(source) ?? 0) > now();
  return {
    acquire(source) {
      const suspect = isSuspect(source);
      if (total >= MAX_CONCURRENT.total || perAddress.of(source) >= MAX_CONCURRENT.perAddress) return undefined;
      if (suspect && fromSuspects >= MAX_CONCURRENT.fromSuspects) return undefined;
      perAddress.add(source, 1);
      total += 1;
      if (suspect) fromSuspects += 1;
      return () => {
        perAddress.add(source, -1);
        total -= 1;
        if (suspect) fromSuspects -= 1;
      };
    },
    reportRejected(source) {
      setBounded(suspects, [source, now() + SUSPECT_MS], MAX_SUSPECTS);
    },
  };
}
