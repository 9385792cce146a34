/** Receives the bytes of a body as they arrive. Nothing joins them on the event loop. */
import type { Request } from 'express';
import type { Failure } from '../../../domain/failure.ts';
import { type Encoding, encodingOf } from './inflate.ts';
import { malformed, tooManyBytes } from './parseBody.ts';

export interface ReceivedBody {
  /** Each part has a buffer of its own, which can move to a thread. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  /** Length of all parts. */
  readonly bytes: number;
  /** Undefined if the bytes are the JSON itself. */
  readonly encoding: Encoding | undefined;
}

/**
 * @param max bytes, before and after decompression.
 * @throws Failure: 415 for another encoding, 413 if the body has more bytes, 400 if it does not arrive to its end.
 */
export async function receiveBody(request: Request, max: number): Promise<ReceivedBody> {
  const encoding = encodingOf(request);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    // The connection stays open after a rejection, so that the client receives the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > max) break;
      parts.push(transferable(chunk));
    }
  } catch {
    throw malformed('could not be read to its end: its length differs from the headers.');
  }
  if (bytes > max) throw tooManyBytes(max);
  return { parts, bytes, encoding };
}

/** @returns the bytes with a buffer of their own. */
export function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

/** @returns a failure for a client that has closed its connection. Only the log shows it. */
export function abandoned(): Failure {
  return malformed('was not read, because its client has closed the connection.');
}
