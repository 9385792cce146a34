/** Token buckets that all processes share. A bucket is stored as the time at which it is full again. */
import { sql } from 'kysely';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import type { Queryable } from '../database/database.ts';

export interface TokenWish {
  readonly key: string;
  readonly limit: RateLimit;
  /** Whole numbers. The bucket gives none if it has fewer than `least`. */
  readonly least: number;
  readonly most: number;
}

export interface TokenGrant {
  readonly granted: number;
  /** Tokens that are left in the bucket; not always a whole number. */
  readonly remaining: number;
}

/** Times have microseconds, so a bucket may lack a small part of a token. */
const ROUNDING = 0.001;

/** Takes tokens of a bucket with one statement. The clock is that of the database, so that all processes agree. */
export async function takeTokens(db: Queryable, { key, limit, least, most }: TokenWish): Promise<TokenGrant> {
  const { perSecond, burst } = limit;
  const tokens = sql`${burst}::float8 - greatest(0, extract(epoch from bucket.full_at - now())::float8) * ${perSecond}::float8`;
  const seconds = sql`make_interval(secs => wish.granted / ${perSecond}::float8)`;
  const { rows } = await sql<TokenGrant>`
    insert into rate_buckets as bucket (key, full_at, granted)
    values (${key}, now() + make_interval(secs => ${most}::float8 / ${perSecond}::float8), ${most}::float8)
    on conflict (key) do update set (full_at, granted) = (
      select greatest(bucket.full_at, now()) + ${seconds}, wish.granted from (
        select case when whole >= ${least}::float8 then least(whole, ${most}::float8) else 0 end as granted
        from (select floor(${tokens} + ${ROUNDING}::float8) as whole) available
      ) wish
    )
    returning granted, greatest(0, ${tokens}) as remaining`.execute(db);
  return rows[0] ?? { granted: 0, remaining: 0 };
}

/** Removes the buckets that are full. @returns how many. */
export async function removeFullBuckets(db: Queryable): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from rate_buckets where full_at < now()`.execute(db);
  return Number(numAffectedRows);
}
