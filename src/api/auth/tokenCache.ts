/** What was found out about tokens, kept for a moment by their hash: one capture calls many times a second. */
import { setBounded } from '../../lib/lru.ts';

export type TokenReviewResult = { readonly name: string; readonly uid: string } | { readonly refusal: string };

/** A pod that was deleted is known for so long; a token that was refused in error is refused for so long. */
const GOOD_MS = 60_000;
const REFUSED_MS = 5_000;
const MOST = 5_000;

export interface TokenCache {
  get(key: string): TokenReviewResult | undefined;
  /** @param expiresAtMs of the token: it is not good for longer. */
  keep(key: string, verdict: TokenReviewResult, expiresAtMs?: number): void;
}

interface CachedResult {
  readonly verdict: TokenReviewResult;
  readonly until: number;
}

/** @param most of each kind, beyond which the oldest is forgotten: whoever makes up tokens pushes no good one out. */
export function createTokenCache(now: () => number, most = MOST): TokenCache {
  const good = new Map<string, CachedResult>();
  const refused = new Map<string, CachedResult>();
  return {
    get(key) {
      const found = good.get(key) ?? refused.get(key);
      if (found === undefined || found.until > now()) return found?.verdict;
      good.delete(key);
      refused.delete(key);
      return undefined;
    },
    keep(key, verdict, expiresAtMs = Number.POSITIVE_INFINITY) {
      const isRefusal = 'refusal' in verdict;
      const ms = isRefusal ? REFUSED_MS : GOOD_MS;
      const [kept, other] = isRefusal ? [refused, good] : [good, refused];
      other.delete(key);
      setBounded(kept, [key, { verdict, until: Math.min(now() + ms, expiresAtMs) }], most);
    },
  };
}
