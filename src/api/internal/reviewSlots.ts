/**
 * Who may have the API server asked about a token at this moment. Tokens cost nothing to make up: whoever sends such ones, from one address or from many,
 * costs others nothing but a repetition, and the API server no more than this.
 */

/** At once: of all, of one address, and of all addresses together from which a bad token came lately. */
const MOST = { all: 32, ofOne: 4, ofSuspects: 8 };
const SUSPECT_MS = 60_000;
const MOST_SUSPECTS = 5_000;

export interface ReviewSlots {
  /** @returns what gives the slot back; undefined: there is none now. */
  take(source: string): (() => void) | undefined;
  /** A token from there was no good. */
  refused(source: string): void;
}

export function createReviewSlots(now: () => number): ReviewSlots {
  const taken = new Map<string, number>();
  /** Until when, the latest last. */
  const suspects = new Map<string, number>();
  let [all, ofSuspects] = [0, 0];

  const isSuspect = (source: string) => (suspects.get(source) ?? 0) > now();
  return {
    take(source) {
      const ofOne = taken.get(source) ?? 0;
      const suspect = isSuspect(source);
      if (all >= MOST.all || ofOne >= MOST.ofOne || (suspect && ofSuspects >= MOST.ofSuspects)) return undefined;
      taken.set(source, ofOne + 1);
      all += 1;
      if (suspect) ofSuspects += 1;
      return () => {
        const left = (taken.get(source) ?? 1) - 1;
        if (left === 0) taken.delete(source);
        else taken.set(source, left);
        all -= 1;
        if (suspect) ofSuspects -= 1;
      };
    },
    refused(source) {
      suspects.delete(source);
      suspects.set(source, now() + SUSPECT_MS);
      const [oldest] = suspects.keys();
      if (suspects.size > MOST_SUSPECTS && oldest !== undefined) suspects.delete(oldest);
    },
  };
}
