/**
 * Limits the bytes of pictures that this process receives and sends at the same time: for one picture, for one address, and in all. An
 * upload counts the bytes that have arrived, not the announced length, so a slow sender does not block others.
 */
import type { Request, Response } from 'express';
import { KeyedSum } from '../../lib/keyedSum.ts';
import { callerAddress } from '../server/callerAddress.ts';
import { OverloadedError, TooLargeError } from '../server/errors.ts';

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
