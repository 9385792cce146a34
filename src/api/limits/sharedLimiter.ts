/**
 * Token buckets in PostgreSQL, which all processes share. A process takes several tokens of a bucket at once and spends them by itself, so
 * most requests ask no database. If the database does not answer in time, each process limits by itself for a moment.
 */
import { withDeadline } from '../../lib/deadline.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { setBounded } from '../../lib/lru.ts';
import { createRateLimiter, type RateLimiter, type RateLimitResult } from '../../lib/rateLimiter.ts';
import { type Bucket, type RateLimit, refilled } from '../../lib/tokenBucket.ts';
import type { TokenGrant, TokenWish } from '../../store/rateBuckets/rateBuckets.ts';

/** Beyond this number the limiter forgets the key that was unused for longest. */
const MAX_KEYS = 10_000;
/** A process takes at most this part of a full bucket at once, and at most what comes back in a second. */
const LEASED_PART = 1 / 20;
/** Tokens that were not spent by then are lost, so that an idle process keeps none. */
const LEASE_MS = 10_000;
const DEADLINE_MS = 500;
/** After a failure, the process limits by itself for this time. */
const AWAY_MS = 1_000;
/** A request waits for at most so many answers of the database, if other requests spend the tokens first. */
const MAX_TRIES = 5;

export interface SharedLimiterOptions {
  readonly limit: RateLimit;
  readonly take: (wish: TokenWish) => Promise<TokenGrant>;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds that never run backwards. */
  readonly now?: () => number;
  /** The longest wait for the database; 500 ms unless given. */
  readonly deadlineMs?: number;
}

interface Lease {
  /** Tokens that this process may still spend. */
  tokens: number;
  takenAt: number;
  /** The rest of the bucket, as the database last said. */
  shared: Bucket;
  /** So many tokens were not there, and will not be until `at`. */
  missing: { readonly tokens: number; readonly at: number } | undefined;
  /** Tokens that waiting requests want. */
  wanted: number;
  loading: Promise<void> | undefined;
}

export class SharedLimiter {
  readonly limit: RateLimit;
  readonly #options: SharedLimiterOptions;
  readonly #now: () => number;
  readonly #deadlineMs: number;
  readonly #leases = new Map<string, Lease>();
  readonly #alone: RateLimiter;
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor(options: SharedLimiterOptions) {
    const { limit, now = () => performance.now(), deadlineMs = DEADLINE_MS } = options;
    this.limit = limit;
    this.#options = options;
    this.#now = now;
    this.#deadlineMs = deadlineMs;
    this.#alone = createRateLimiter(limit, now);
  }

  /** Takes tokens of this key, if its bucket has that many. @param cost a whole number; a full bucket is enough for any. */
  async take(key: string, cost = 1): Promise<RateLimitResult> {
    const amount = Math.min(cost, this.limit.burst);
    const lease = this.#leaseOf(key);
    for (let tries = 0; this.#now() >= this.#awayUntil && tries <= MAX_TRIES; tries++) {
      const result = this.#spend(lease, amount);
      if (result !== undefined) return result;
      lease.wanted += amount;
      try {
        lease.loading ??= this.#load(key, lease, amount);
        await lease.loading;
      } finally {
        lease.wanted -= amount;
      }
    }
    return this.#alone.take(key, amount);
  }

  /** @returns the milliseconds until the bucket may have a token again; 0 if it may have one now. Asks no database. */
  emptyForMs(key: string): number {
    const missing = this.#leases.get(key)?.missing;
    return missing?.tokens === 1 ? Math.max(0, missing.at - this.#now()) : 0;
  }

  #leaseOf(key: string): Lease {
    const now = this.#now();
    const lease = this.#leases.get(key) ?? {
      tokens: 0,
      takenAt: now,
      shared: { tokens: 0, at: now },
      missing: undefined,
      wanted: 0,
      loading: undefined,
    };
    setBounded(this.#leases, [key, lease], MAX_KEYS);
    if (now - lease.takenAt > LEASE_MS) lease.tokens = 0;
    return lease;
  }

  /** @returns undefined if only the database knows. */
  #spend(lease: Lease, amount: number): RateLimitResult | undefined {
    const allowed = lease.tokens >= amount;
    const isMissing = lease.missing !== undefined && amount >= lease.missing.tokens && this.#now() < lease.missing.at;
    if (!allowed && !isMissing) return undefined;
    if (allowed) lease.tokens -= amount;
    const { tokens } = refilled(lease.shared, this.limit, this.#now());
    return { allowed, remaining: Math.min(this.limit.burst, lease.tokens + tokens) };
  }

  /** Takes enough for the requests that wait, and some tokens for the next ones. Never fails. */
  async #load(key: string, lease: Lease, least: number): Promise<void> {
    const { perSecond, burst } = this.limit;
    const reserve = Math.floor(Math.min(burst * LEASED_PART, perSecond));
    const most = Math.min(burst, Math.max(lease.wanted, reserve, least));
    try {
      const wish = { key, limit: this.limit, least: Math.max(1, least - lease.tokens), most };
      const { granted, remaining } = await withDeadline(this.#deadlineMs, this.#options.take(wish));
      const now = this.#now();
      lease.tokens += granted;
      lease.takenAt = now;
      lease.shared = { tokens: remaining, at: now };
      const untilEnough = ((wish.least - remaining) / perSecond) * 1000;
      lease.missing = granted > 0 ? undefined : { tokens: least, at: now + Math.max(1, untilEnough) };
    } catch (error) {
      this.#awayUntil = this.#now() + AWAY_MS;
      const reason = errorMessage(error);
      this.#options.log.warn(
        { reason },
        'the shared limits of requests could not be read, so this process limits by itself for a second',
      );
    } finally {
      lease.loading = undefined;
    }
  }
}
