/** A token bucket for each key. The limiter remembers the keys that were used most recently. */
import { setBounded } from './lru.ts';

export interface RateLimit {
  /** Tokens that come back in a second. */
  readonly perSecond: number;
  /** Tokens in a full bucket. */
  readonly burst: number;
}

interface Bucket {
  readonly tokens: number;
  /** Milliseconds, monotonic. */
  readonly at: number;
}

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

/** @returns the bucket with the tokens that came back since it was last used; a full one if there was none. */
function refilled(bucket: Bucket | undefined, { perSecond, burst }: RateLimit, now: number): Bucket {
  if (bucket === undefined) return { tokens: burst, at: now };
  return { tokens: Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond), at: now };
}
