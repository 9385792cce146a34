/** Caches results of TokenReview requests by the hash of the token, because one capture calls many times a second. */
import { setBounded } from '../../lib/lru.ts';

export type TokenReviewResult = { readonly name: string; readonly uid: string } | { readonly refusal: string };

/** A deleted pod stays accepted for this time at most. */
const VALID_MS = 60_000;
/** A token that was rejected by mistake stays rejected for this time at most. */
const REJECTED_MS = 5_000;
const MAX_ENTRIES = 5_000;

export interface TokenCache {
  get(key: string): TokenReviewResult | undefined;
  /** @param expiresAtMs when the token expires; the cache keeps its result no longer. */
  set(key: string, result: TokenReviewResult, expiresAtMs?: number): void;
}

interface CachedResult {
  readonly result: TokenReviewResult;
  readonly until: number;
}

/** @param maxEntries for valid and for rejected tokens each, so that invented tokens do not evict valid ones. */
export function createTokenCache(now: () => number, maxEntries = MAX_ENTRIES): TokenCache {
  const valid = new Map<string, CachedResult>();
  const rejected = new Map<string, CachedResult>();
  return {
    get(key) {
      const found = valid.get(key) ?? rejected.get(key);
      if (found === undefined || found.until > now()) return found?.result;
      valid.delete(key);
      rejected.delete(key);
      return undefined;
    },
    set(key, result, expiresAtMs = Number.POSITIVE_INFINITY) {
      const isRejected = 'refusal' in result;
      const ms = isRejected ? REJECTED_MS : VALID_MS;
      const [entries, others] = isRejected ? [rejected, valid] : [valid, rejected];
      others.delete(key);
      setBounded(entries, [key, { result, until: Math.min(now() + ms, expiresAtMs) }], maxEntries);
    },
  };
}
