/**
 * Reads what is uploaded to this API into memory, within bounds: of one picture, of one sender, and of all that are on their way at the same time.
 * What counts is what has come, not what was announced: who announces much and sends nothing keeps no room from others, and not for long.
 */
import type { Request } from 'express';
import { OverloadedError } from './authority.ts';

export interface UploadBounds {
  /** Of one picture, and of all that come from one address at the same time. */
  readonly each: number;
  /** Of all. */
  readonly together: number;
  readonly withinMs: number;
}

/** Answered with 413. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
  readonly status = 413;
}

export interface UploadRoom {
  /** @returns what `use` made of the bytes, which count as long as it needs them. @throws TooLargeError, OverloadedError */
  receive<T>(req: Request, use: (bytes: Buffer) => Promise<T>): Promise<T>;
}

export function createUploadRoom(bounds: UploadBounds): UploadRoom {
  const { each, together, withinMs } = bounds;
  const ofSenders = new Map<string, number>();
  let held = 0;
  const count = (sender: string, bytes: number) => {
    held += bytes;
    const now = (ofSenders.get(sender) ?? 0) + bytes;
    if (now === 0) ofSenders.delete(sender);
    else ofSenders.set(sender, now);
    if (bytes > 0 && (held > together || now > each))
      throw new OverloadedError('Too much is being uploaded at this moment.');
  };
  return {
    async receive(req, use) {
      const sender = req.socket.remoteAddress ?? '';
      const chunks: Buffer[] = [];
      let size = 0;
      const late = setTimeout(() => req.destroy(new Error('An upload took too long.')), withinMs);
      try {
        refuseOver(each, Number(req.get('content-length') ?? 0));
        // Left open when it is refused, so that the refusal arrives.
        for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
          refuseOver(each, size + chunk.length);
          size += chunk.length;
          count(sender, chunk.length);
          chunks.push(chunk);
        }
        clearTimeout(late);
        return await use(Buffer.concat(chunks, size));
      } finally {
        clearTimeout(late);
        count(sender, -size);
      }
    },
  };
}

function refuseOver(most: number, bytes: number): void {
  if (bytes > most) throw new TooLargeError(`A picture has ${most} bytes at most.`);
}
