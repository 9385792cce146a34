import type { Response } from 'express';
import { Failure } from '../../domain/failure.ts';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';

/**
 * Limits the requests of each API key in this process. A limit in PostgreSQL would cost a tenth of the throughput of create-ad, and all
 * requests of one key would wait for each other.
 * @returns a function that takes a token and sets the headers `RateLimit…`; it throws Failure (429) if no token is left.
 */
export function limitRequests(
  limit: RateLimit,
  now: () => number = () => performance.now(),
): (key: string, response: Response) => void {
  const { perSecond, burst } = limit;
  const limiter = createRateLimiter(limit, now);
  return (key, response) => {
    const { allowed, remaining } = limiter.take(key);
    const untilNext = Math.max(1, Math.ceil((1 - remaining) / perSecond));
    const untilFull = Math.max(1, Math.ceil((burst - remaining) / perSecond));
    response.set({
      'RateLimit-Policy': `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
      RateLimit: `"default";r=${Math.floor(remaining)};t=${allowed ? untilFull : untilNext}`,
    });
    if (!allowed) throw tooManyRequests(limit, untilNext);
  };
}

function tooManyRequests({ perSecond, burst }: RateLimit, seconds: number): Failure {
  const text = `Too many requests with this key: ${perSecond} a second are allowed, ${burst} at once. Try again in ${seconds} s.`;
  return new Failure({
    status: 429,
    code: 'rate_limited',
    errors: { rate_limit: [text] },
    headers: { 'Retry-After': String(seconds) },
  });
}
