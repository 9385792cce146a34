import type { Response } from 'express';
import { Failure } from '../../domain/failure.ts';
import { type Bucket, type RateLimit, refilled } from '../../lib/tokenBucket.ts';

/** More keys than this in a moment, and those that have rested are forgotten. */
const MAX_BUCKETS = 10_000;

/** A token bucket for each key, in this process: one in Postgres was measured to cost a tenth of what create-ad does, and all of a key wait for it. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Takes a token and tells the client in headers what is left. @throws Failure (429) where there is none. */
  take(key: string, response: Response): void {
    const { perSecond, burst } = this.#limit;
    const now = this.#now();
    const before = refilled(this.#buckets.get(key), this.#limit, now);
    const refused = before.tokens < 1;
    const tokens = refused ? before.tokens : before.tokens - 1;
    if (!this.#buckets.has(key) && this.#buckets.size >= MAX_BUCKETS) this.#forgetFull(now);
    this.#buckets.set(key, { tokens, at: now });
    const wait = Math.max(1, Math.ceil((1 - tokens) / perSecond));
    const full = Math.max(1, Math.ceil((burst - tokens) / perSecond));
    response.set({
      'RateLimit-Policy': `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
      RateLimit: `"default";r=${Math.floor(tokens)};t=${refused ? wait : full}`,
    });
    if (refused) throw tooMany(this.#limit, wait);
  }

  #forgetFull(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (refilled(bucket, this.#limit, now).tokens >= this.#limit.burst) this.#buckets.delete(key);
    }
  }
}

function tooMany({ perSecond, burst }: RateLimit, wait: number): Failure {
  const text = `Too many requests with this key: ${perSecond} a second are allowed, ${burst} at once. Try again in ${wait} s.`;
  return new Failure({
    status: 429,
    code: 'rate_limited',
    errors: { rate_limit: [text] },
    headers: { 'Retry-After': String(wait) },
  });
}
