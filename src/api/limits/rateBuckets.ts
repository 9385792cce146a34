/** Token buckets that all processes share. A bucket is stored as the time at which it is full again. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { RateLimitResult } from '../../lib/rateLimiter.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';

export interface TokenWish {
  readonly key: string;
  readonly limit: RateLimit;
  /** Tokens; at most a full bucket. */
  readonly cost: number;
}

/** Takes the tokens if the bucket has that many. The clock is that of the database, so that all processes agree. */
export async function takeTokens(db: Queryable, { key, limit, cost }: TokenWish): Promise<RateLimitResult> {
  const { perSecond, burst } = limit;
  const timeOf = (tokens: number) => sql`make_interval(secs => ${tokens / perSecond}::float8)`;
  const { rows } = await sql<RateLimitResult>`
    with taken as (
      insert into rate_buckets as bucket (key, full_at) values (${key}, now() + ${timeOf(cost)})
      on conflict (key) do update set full_at = greatest(bucket.full_at, now()) + ${timeOf(cost)}
        where bucket.full_at <= now() + ${timeOf(burst - cost)}
      returning full_at
    )
    select allowed, ${burst}::float8 - ${perSecond}::float8 * greatest(0, extract(epoch from full_at - now())::float8)
      as remaining
    from (
      select true as allowed, full_at from taken
      union all
      select false, full_at from rate_buckets where key = ${key} and not exists (select from taken)
    ) bucket`.execute(db);
  // Other requests made the bucket and emptied it while this statement ran.
  return rows[0] ?? { allowed: false, remaining: 0 };
}

/** A bucket without a row is full. */
export async function removeFullBuckets(db: Queryable): Promise<void> {
  await sql`delete from rate_buckets where full_at < now()`.execute(db);
}
