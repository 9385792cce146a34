/** Compresses what `tearsheet dev` serves as text. On a cluster, the proxy before the service does that. */
import { gzipSync } from 'node:zlib';
import type { RequestHandler, Response } from 'express';

/** A smaller answer fits into a packet. */
const LEAST_BYTES = 1_400;
const TEXT = /^(text\/(?!event-stream)|application\/json|image\/svg)/;

/** Compresses answers that are sent as a whole, and leaves streams as they are. */
export const compressTexts: RequestHandler = (request, response, next) => {
  response.vary('Accept-Encoding');
  if (request.acceptsEncodings('gzip') !== false) {
    const end = response.end.bind(response);
    response.end = (...given: unknown[]) => {
      const packed = packedOf(response, given[0]);
      if (packed === undefined) return Reflect.apply(end, response, given);
      response.set({ 'Content-Encoding': 'gzip', 'Content-Length': String(packed.length) });
      return end(packed);
    };
  }
  next();
};

/** @returns undefined if the content stays as it is. */
function packedOf(response: Response, content: unknown): Buffer | undefined {
  const isWhole = !response.headersSent && (typeof content === 'string' || Buffer.isBuffer(content));
  if (!isWhole || response.hasHeader('Content-Encoding') || !TEXT.test(String(response.get('Content-Type'))))
    return undefined;
  const bytes = Buffer.from(content);
  return bytes.length < LEAST_BYTES ? undefined : gzipSync(bytes);
}
