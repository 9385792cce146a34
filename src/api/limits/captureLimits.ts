/**
 * Limits the bytes of pictures that this process receives and sends at the same time: for one picture, for one address, and in all. An
 * upload counts the bytes that have arrived, not the announced length, so a slow sender does not block others.
 */
import type { Request, RequestHandler, Response } from 'express';
import { KeyedSum } from '../../lib/keyedSum.ts';
import { createRateLimiter, type RateLimit } from '../../lib/rateLimiter.ts';
import { getCaller } from '../auth/captureAuth.ts';
import { callerAddress } from '../server/caller.ts';
import { OverloadedError, TooLargeError } from '../server/errors.ts';

interface CallLimitOptions {
  /** Calls of one pod at the same time. A capture has about ten, including those that wait for creatives. */
  readonly calls: number;
  /** Bytes of the bodies of these calls. */
  readonly bytes: number;
  /** Bytes of all bodies over time, because other callers wait while the API parses a body. */
  readonly byteRate: RateLimit;
}

export interface StreamLimitOptions {
  /** Bytes for one address at the same time, and for one picture. */
  readonly maxBytesPerAddress: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export interface StreamLimits {
  /** @returns the result of `use`. The bytes count until `use` has finished. @throws TooLargeError, OverloadedError */
  receive<T>(req: Request, use: (bytes: Buffer) => Promise<T>): Promise<T>;
  /** Counts the bytes until the response is closed. @throws OverloadedError */
  send(req: Request, res: Response, bytes: number): void;
}

export function createStreamLimits(options: StreamLimitOptions): StreamLimits {
  const { maxBytesPerAddress, timeoutMs } = options;
  const [countUpload, countDownload] = [byteCounter(options), byteCounter(options)];
  return {
    async receive(req, use) {
      const sender = callerAddress(req);
      const chunks: Buffer[] = [];
      let size = 0;
      const timer = setTimeout(() => req.destroy(new Error('The upload took too long.')), timeoutMs);
      try {
        requireSize(Number(req.get('content-length') ?? 0), maxBytesPerAddress);
        // The connection stays open after a rejection, so that the client receives the answer.
        for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
          requireSize(size + chunk.length, maxBytesPerAddress);
          size += chunk.length;
          countUpload(sender, chunk.length);
          chunks.push(chunk);
        }
        clearTimeout(timer);
        return await use(Buffer.concat(chunks, size));
      } finally {
        clearTimeout(timer);
        countUpload(sender, -size);
      }
    },
    send(req, res, bytes) {
      const receiver = callerAddress(req);
      const timer = setTimeout(() => res.destroy(), timeoutMs);
      res.once('close', () => {
        clearTimeout(timer);
        countDownload(receiver, -bytes);
      });
      countDownload(receiver, bytes);
    },
  };
}

/** @returns a function that adds bytes, or subtracts negative ones. It throws OverloadedError over a limit, and counts the bytes anyway. */
function byteCounter({ maxBytesPerAddress, maxBytes }: Omit<StreamLimitOptions, 'timeoutMs'>) {
  const perAddress = new KeyedSum();
  let total = 0;
  return (address: string, bytes: number): void => {
    total += bytes;
    const ofAddress = perAddress.add(address, bytes);
    if (bytes > 0 && (total > maxBytes || ofAddress > maxBytesPerAddress))
      throw new OverloadedError('Too many bytes of pictures are being transferred.');
  };
}

function requireSize(bytes: number, max: number): void {
  if (bytes > max) throw new TooLargeError(`A picture must have at most ${max} bytes.`);
}

/**
 * Limits the calls of one pod. Its browser runs untrusted pages, and all pods share one API and its database connections.
 * Runs after authentication and before the body is read. It does not limit captures without a pod, which run on this machine.
 */
export function limitCalls(limits: CallLimitOptions): RequestHandler {
  const byteRates = createRateLimiter(limits.byteRate);
  const [calls, sent] = [new KeyedSum(), new KeyedSum()];
  return (req, res, next) => {
    const { pod } = getCaller(res);
    if (pod === undefined) {
      next();
      return;
    }
    // A chunked body may turn out to have any length.
    const isChunked = req.get('transfer-encoding') !== undefined;
    const bytes = isChunked ? limits.bytes : Number(req.get('content-length') ?? 0);
    const running = calls.of(pod.uid);
    const isTooMuch = running >= limits.calls || (running > 0 && sent.of(pod.uid) + bytes > limits.bytes);
    if (isTooMuch) throw new OverloadedError('The pod has too many calls running.');
    if (!byteRates.take(pod.uid, Math.min(bytes, limits.bytes)).allowed)
      throw new OverloadedError('The pod sends too many bytes.');
    const count = (sign: 1 | -1) => {
      calls.add(pod.uid, sign);
      sent.add(pod.uid, sign * bytes);
    };
    count(1);
    res.once('close', () => count(-1));
    next();
  };
}
