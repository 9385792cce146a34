import type { Request } from 'express';
import { Failure } from '../../domain/failure.ts';

export function malformed(text: string): Failure {
  return new Failure({ status: 400, code: 'malformed', errors: { body: [text] } });
}

export function tooLarge(text: string): Failure {
  return new Failure({ status: 413, code: 'too_large', errors: { body: [text] } });
}

/**
 * @returns the bytes of the body as they were sent.
 * @throws Failure: 413 as soon as the headers or the bytes show more than `max` bytes, 400 if the body does not arrive to its end.
 */
export async function readBytes(request: Request, max: number, hint = ''): Promise<Buffer> {
  const overflow = () => tooLarge(`must be at most ${max.toLocaleString('en')} bytes${hint}.`);
  if (Number(request.get('content-length') ?? 0) > max) throw overflow();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The connection stays open after a rejection, so that the client receives the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max) break;
      chunks.push(chunk);
    }
  } catch {
    throw malformed('could not be read to its end: its length differs from the headers.');
  }
  if (size > max) throw overflow();
  return Buffer.concat(chunks, size);
}
