/** Limits the requests of each API key by their cost. All processes share the limit. */
import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { tooMany } from '../../domain/failure.ts';
import { createRateLimiter, type RateLimit, type RateLimitResult } from '../../lib/rateLimiter.ts';
import { noteLimit } from '../server/accessLog.ts';

interface TokenWish {
  readonly key: string;
  readonly limit: RateLimit;
  /** Tokens; at most a full bucket. */
  readonly cost: number;
}

/** A bucket may lack a small part of a token, because times have microseconds. */
const ROUNDING = 0.001;

export interface RequestLimits {
  /** Takes the cost from the bucket of the key and sets the headers `RateLimit…`. @throws Failure (429) */
  take(keyId: string, cost: number, response: Response): Promise<void>;
  /** Takes the bytes of a JSON body from those that the organization may send to this process. @throws Failure (429) */
  takeBytes(organizationId: string, bytes: number, response: Response): void;
}

/** While the process parses a large body, other requests wait, also if the body is invalid and costs few tokens. */
const BODY_BYTES: RateLimit = { perSecond: 1024 * 1024, burst: 32 * 1024 * 1024 };

export function createRequestLimits(db: Queryable, limit: RateLimit): RequestLimits {
  const { perSecond, burst } = limit;
  const bodies = createRateLimiter(BODY_BYTES);
  return {
    takeBytes(organizationId, bytes, response) {
      const { allowed, remaining } = bodies.take(organizationId, bytes);
      if (allowed) return;
      noteLimit(response, 'key_rate');
      const seconds = Math.max(1, Math.ceil((bytes - remaining) / BODY_BYTES.perSecond));
      throw tooMany('rate_limit', `The organization sends too much JSON. Try again in ${seconds} s.`, seconds);
    },
    async take(keyId, wanted, response) {
      const cost = Math.min(wanted, burst);
      const { allowed, remaining } = await takeTokens(db, { key: keyId, limit, cost });
      const untilEnough = Math.max(1, Math.ceil((cost - remaining) / perSecond));
      const untilFull = Math.max(1, Math.ceil((burst - remaining) / perSecond));
      response.set({
        'RateLimit-Policy': `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
        RateLimit: `"default";r=${Math.floor(remaining + ROUNDING)};t=${allowed ? untilFull : untilEnough}`,
      });
      if (allowed) return;
      noteLimit(response, 'key_rate');
      throw tooManyRequests(limit, { cost, seconds: untilEnough });
    },
  };
}

function tooManyRequests({ perSecond, burst }: RateLimit, { cost, seconds }: { cost: number; seconds: number }) {
  const text = `Too many requests with this key: they may cost ${perSecond} a second, ${burst} at once, and this one costs ${cost}. Try again in ${seconds} s.`;
  return tooMany('rate_limit', text, seconds);
}

/** Takes the tokens if the shared bucket has that many. The clock is that of the database, so that all processes agree. */
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

/** A bucket is stored as the time at which it is full again. One without a row is full. */
export async function removeFullBuckets(db: Queryable): Promise<void> {
  await sql`delete from rate_buckets where full_at < now()`.execute(db);
}

/** Invitations by e-mail to one address, and of one organization. */
const INVITATIONS_TO: RateLimit = { perSecond: 1 / 600, burst: 3 };
const INVITATIONS_OF: RateLimit = { perSecond: 1 / 60, burst: 100 };

/** Keeps an organization from flooding mailboxes. @throws Failure (429) */
export async function takeInvitation(
  db: Queryable,
  { organizationId, email }: { readonly organizationId: string; readonly email: string },
): Promise<void> {
  // The table of buckets holds no addresses.
  const to = createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
  const buckets = [
    { key: `invitations to ${to}`, limit: INVITATIONS_TO, cost: 1 },
    { key: `invitations of ${organizationId}`, limit: INVITATIONS_OF, cost: 1 },
  ];
  for (const bucket of buckets)
    if (!(await takeTokens(db, bucket)).allowed)
      throw tooMany('rate_limit', 'Too many invitations were sent. Try again in 10 minutes.', 600);
}
