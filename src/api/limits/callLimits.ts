/** What one pod may ask for at a time. Its browser runs what strangers wrote, and all pods share one API and its connections to Postgres. */
import type { RequestHandler } from 'express';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import { OverloadedError } from '../auth/captureAuth.ts';
import { callerOf } from '../internal/pathParameters.ts';

export interface CallLimitOptions {
  /** Of one pod, at the same time. A capture has about ten, with what it waits for. */
  readonly calls: number;
  /** Of the bodies of these calls. */
  readonly bytes: number;
  /** Of the bodies of all its calls, one after the other: what is read of them keeps everybody else waiting. */
  readonly bytesInTime: RateLimit;
}

/** After the caller is known, before the body is read. Captures of this machine, which name no pod, are not bounded. */
export function limitCalls(most: CallLimitOptions): RequestHandler {
  const bodies = createRateLimiter(most.bytesInTime);
  const underWay = new Map<string, { calls: number; bytes: number }>();
  return (req, res, next) => {
    const { pod } = callerOf(res);
    if (pod === undefined) {
      next();
      return;
    }
    // One that does not tell its length may be as long as any.
    const isChunked = req.get('transfer-encoding') !== undefined;
    const bytes = isChunked ? most.bytes : Number(req.get('content-length') ?? 0);
    const held = underWay.get(pod.uid) ?? { calls: 0, bytes: 0 };
    const isTooMuch = held.calls >= most.calls || (held.calls > 0 && held.bytes + bytes > most.bytes);
    if (isTooMuch) throw new OverloadedError('The pod has too many calls under way.');
    if (!bodies.take(pod.uid, Math.min(bytes, most.bytes))) throw new OverloadedError('The pod has sent too much.');
    underWay.set(pod.uid, held);
    held.calls += 1;
    held.bytes += bytes;
    res.once('close', () => {
      held.calls -= 1;
      held.bytes -= bytes;
      if (held.calls === 0) underWay.delete(pod.uid);
    });
    next();
  };
}
