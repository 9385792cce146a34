import type { Request } from 'express';
import { Failure } from '../../domain/failure.ts';

/** @returns the bytes of the body as they were sent. @throws Failure (413) if there are more than `max`. */
export async function readRawBody(request: Request, max: number): Promise<Buffer> {
  requireSize(Number(request.get('content-length') ?? 0), max);
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection stays open after a rejection, so that the client receives the answer.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      requireSize(size, max);
      chunks.push(chunk);
    }
  } finally {
    // Unread, the rest of the body would block the next request of this connection.
    request.resume();
  }
  return Buffer.concat(chunks, size);
}

function requireSize(bytes: number, max: number): void {
  if (bytes <= max) return;
  const text = `must be at most ${max.toLocaleString('en')} bytes.`;
  throw new Failure({ status: 413, code: 'too_large', errors: { body: [text] } });
}
