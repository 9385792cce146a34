/** Limits the calls of one pod. Its browser runs untrusted pages, and all pods share one API and its database connections. */
import type { RequestHandler } from 'express';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import { getCaller } from '../auth/captureAuth.ts';
import { OverloadedError } from '../server/errors.ts';

export interface CallLimitOptions {
  /** Calls of one pod at the same time. A capture has about ten, including those that wait for creatives. */
  readonly calls: number;
  /** Bytes of the bodies of these calls. */
  readonly bytes: number;
  /** Bytes of all bodies over time, because other callers wait while the API parses a body. */
  readonly byteRate: RateLimit;
}

/** Runs after authentication and before the body is read. It does not limit captures without a pod, which run on this machine. */
export function limitCalls(limits: CallLimitOptions): RequestHandler {
  const byteRates = createRateLimiter(limits.byteRate);
  const running = new Map<string, { calls: number; bytes: number }>();
  return (req, res, next) => {
    const { pod } = getCaller(res);
    if (pod === undefined) {
      next();
      return;
    }
    // A chunked body may turn out to have any length.
    const isChunked = req.get('transfer-encoding') !== undefined;
    const bytes = isChunked ? limits.bytes : Number(req.get('content-length') ?? 0);
    const ofPod = running.get(pod.uid) ?? { calls: 0, bytes: 0 };
    const isTooMuch = ofPod.calls >= limits.calls || (ofPod.calls > 0 && ofPod.bytes + bytes > limits.bytes);
    if (isTooMuch) throw new OverloadedError('The pod has too many calls running.');
    if (!byteRates.take(pod.uid, Math.min(bytes, limits.bytes)).allowed)
      throw new OverloadedError('The pod sends too many bytes.');
    running.set(pod.uid, ofPod);
    ofPod.calls += 1;
    ofPod.bytes += bytes;
    res.once('close', () => {
      ofPod.calls -= 1;
      ofPod.bytes -= bytes;
      if (ofPod.calls === 0) running.delete(pod.uid);
    });
    next();
  };
}
