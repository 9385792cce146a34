/** Caches results of TokenReview requests by the hash of the token, because one capture calls many times a second. */
import { z } from 'zod';
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

interface TokenClaims {
  readonly audiences: readonly string[];
  readonly subject: string;
  readonly expiresAtMs: number;
}

const Payload = z.object({
  aud: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  sub: z.string(),
  exp: z.number(),
});

const MAX_CHARACTERS = 8_192;

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

/** Does not check the signature: claims only show which tokens need no TokenReview. @returns undefined without these claims. */
export function readTokenClaims(token: string): TokenClaims | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || token.length > MAX_CHARACTERS) return undefined;
  try {
    const { aud, sub, exp } = Payload.parse(JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')));
    return { audiences: aud, subject: sub, expiresAtMs: exp * 1_000 };
  } catch {
    return undefined;
  }
}

/**
 * Limits how many TokenReview requests run at once. Inventing a token costs an attacker nothing, so invented tokens must neither
 * overload the API server nor delay the tokens of other callers by more than a retry.
 */
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
