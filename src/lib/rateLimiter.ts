/** A token bucket for each key. The limiter remembers the keys that were used most recently. */
import { setBounded } from './lru.ts';
import { type Bucket, type RateLimit, refilled } from './tokenBucket.ts';

export interface RateLimiter {
  /** Takes `amount` tokens (1 unless given) of this key, if it has that many. */
  take(key: string, amount?: number): RateLimitResult;
  /** @returns the tokens of this key, of which it takes none. */
  remaining(key: string): number;
}

export interface RateLimitResult {
  readonly allowed: boolean;
  /** Tokens that are left after the call; not always a whole number. */
  readonly remaining: number;
}

/** Beyond this number the limiter forgets the key that was unused for longest. That key starts again with a full bucket. */
const MAX_KEYS = 10_000;

/** @param now milliseconds that never run backwards. */
export function createRateLimiter(limit: RateLimit, now: () => number = () => performance.now()): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(key, amount = 1) {
      const { tokens, at } = refilled(buckets.get(key), limit, now());
      const allowed = tokens >= amount;
      const remaining = allowed ? tokens - amount : tokens;
      setBounded(buckets, [key, { tokens: remaining, at }], MAX_KEYS);
      return { allowed, remaining };
    },
    remaining: (key) => refilled(buckets.get(key), limit, now()).tokens,
  };
}
