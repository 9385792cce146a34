/** What somebody may use up in the long run, and at once: a token bucket for each, of those that were there lately. */
import { setBounded } from './lru.ts';
import { type Bucket, type RateLimit, refilled } from './tokenBucket.ts';

export interface RateLimiter {
  /** @returns false: so much is not left. */
  take(who: string, amount?: number): boolean;
}

/** The one that was quiet for longest is forgotten first, and has its all again. */
const MAX_KNOWN = 10_000;

export function createRateLimiter(limit: RateLimit, now: () => number = () => performance.now()): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(who, amount = 1) {
      const { tokens, at } = refilled(buckets.get(who), limit, now());
      const isEnough = tokens >= amount;
      setBounded(buckets, [who, { tokens: isEnough ? tokens - amount : tokens, at }], MAX_KNOWN);
      return isEnough;
    },
  };
}
