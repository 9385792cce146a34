/**
 * Who may have the API server asked about a token at this moment. Tokens cost nothing to make up: whoever sends such ones, from one address or from many,
 * costs others nothing but a repetition, and the API server no more than this.
 */

import { KeyedSum } from '../../lib/keyedSum.ts';
import { setBounded } from '../../lib/lru.ts';

/** At once: of all, of one address, and of all addresses together from which a bad token came lately. */
const MOST = { all: 32, ofOne: 4, ofSuspects: 8 };
const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 5_000;

export interface TokenReviewLimiter {
  /** @returns what gives the slot back; undefined: there is none now. */
  take(source: string): (() => void) | undefined;
  /** A token from there was no good. */
  refused(source: string): void;
}

export function createTokenReviewLimiter(now: () => number): TokenReviewLimiter {
  const taken = new KeyedSum();
  /** Until when, the latest last. */
  const suspects = new Map<string, number>();
  let [all, ofSuspects] = [0, 0];

  const isSuspect = (source: string) => (suspects.get(source) ?? 0) > now();
  return {
    take(source) {
      const suspect = isSuspect(source);
      if (all >= MOST.all || taken.of(source) >= MOST.ofOne || (suspect && ofSuspects >= MOST.ofSuspects))
        return undefined;
      taken.add(source, 1);
      all += 1;
      if (suspect) ofSuspects += 1;
      return () => {
        taken.add(source, -1);
        all -= 1;
        if (suspect) ofSuspects -= 1;
      };
    },
    refused(source) {
      setBounded(suspects, [source, now() + SUSPECT_MS], MAX_SUSPECTS);
    },
  };
}
