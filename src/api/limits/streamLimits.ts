/**
 * Pictures that pass through this process, within bounds: of one picture, of one sender or receiver, and of all that are under way at the same time. Of an upload
 * counts what has come, not what was announced: who announces much and sends nothing keeps no room from others, and not for long.
 */
import type { Request, Response } from 'express';
import { addressOf } from '../internal/pathParameters.ts';
import { type BytesInFlightOptions, createBytesInFlight } from './bytesInFlight.ts';

export interface StreamLimitOptions extends BytesInFlightOptions {
  readonly withinMs: number;
}

/** Answered with 413. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  readonly status = 413;
}

export interface StreamLimits {
  /** @returns what `use` made of the bytes, which count as long as it needs them. @throws TooLargeError, OverloadedError */
  receive<T>(req: Request, use: (bytes: Buffer) => Promise<T>): Promise<T>;
  /** Counts so many bytes until the answer has gone. @throws OverloadedError */
  send(req: Request, res: Response, bytes: number): void;
}

/** `each` is also the most that one picture may have. */
export function createStreamLimits({ withinMs, ...bounds }: StreamLimitOptions): StreamLimits {
  const [uploads, downloads] = [createBytesInFlight(bounds), createBytesInFlight(bounds)];
  return {
    async receive(req, use) {
      const sender = addressOf(req);
      const chunks: Buffer[] = [];
      let size = 0;
      const late = setTimeout(() => req.destroy(new Error('An upload took too long.')), withinMs);
      try {
        refuseOver(bounds.each, Number(req.get('content-length') ?? 0));
        // Left open when it is refused, so that the refusal arrives.
        for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
          refuseOver(bounds.each, size + chunk.length);
          size += chunk.length;
          uploads.add(sender, chunk.length);
          chunks.push(chunk);
        }
        clearTimeout(late);
        return await use(Buffer.concat(chunks, size));
      } finally {
        clearTimeout(late);
        uploads.add(sender, -size);
      }
    },
    send(req, res, bytes) {
      const receiver = addressOf(req);
      const late = setTimeout(() => res.destroy(), withinMs);
      res.once('close', () => {
        clearTimeout(late);
        downloads.add(receiver, -bytes);
      });
      downloads.add(receiver, bytes);
    },
  };
}

function refuseOver(most: number, bytes: number): void {
  if (bytes > most) throw new TooLargeError(`A picture has ${most} bytes at most.`);
}
