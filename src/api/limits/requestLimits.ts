/** Limits the requests of each API key by their cost. All processes share the limit. */
import type { Response } from 'express';
import type { Queryable } from '../../db/database.ts';
import { tooMany } from '../../domain/failure.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import { noteLimit } from '../server/accessLog.ts';
import { takeTokens } from './rateBuckets.ts';

/** A bucket may lack a small part of a token, because times have microseconds. */
const ROUNDING = 0.001;

export interface RequestLimits {
  /** Takes the cost from the bucket of the key and sets the headers `RateLimit…`. @throws Failure (429) */
  take(keyId: string, cost: number, response: Response): Promise<void>;
}

export function createRequestLimits(db: Queryable, limit: RateLimit): RequestLimits {
  const { perSecond, burst } = limit;
  return {
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
