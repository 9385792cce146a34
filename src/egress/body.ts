import { type Duplex, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ConnectionFailedError, type ResponseHead, ResponseTooLargeError } from './errors.ts';

export interface ReadOptions {
  head: ResponseHead;
  /** The limit after decoding, so that it also stops decompression bombs. */
  maxBytes: number;
  signal: AbortSignal;
}

/** Reads and decodes a whole body. @throws ResponseTooLargeError, or ConnectionFailedError if decoding fails. */
export async function readDecoded(body: Readable, options: ReadOptions): Promise<Buffer> {
  const decoders = decodersFor(options.head.headers.get('content-encoding') ?? '', options.head);
  const chain = [body, ...decoders];
  const last = decoders.at(-1) ?? body;
  const close = () => {
    for (const stream of chain) stream.destroy();
  };
  connect(chain, last);
  options.signal.addEventListener('abort', close, { once: true });
  try {
    return await collect(last, options);
  } catch (error) {
    throw isZlibError(error)
      ? new ConnectionFailedError('The response could not be decoded.', { cause: error, head: options.head })
      : error;
  } finally {
    options.signal.removeEventListener('abort', close);
    close();
  }
}

async function collect(stream: Readable, { maxBytes, head }: ReadOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.byteLength;
    if (size > maxBytes) {
      const partial = Buffer.concat(chunks).subarray(0, maxBytes);
      throw new ResponseTooLargeError(`The response is larger than ${maxBytes} bytes.`, { head, partial });
    }
  }
  return Buffer.concat(chunks);
}

/** Pipes each stream into the next one. An error of any stream ends the last one, which is the one to read. */
function connect(chain: readonly Readable[], last: Readable): void {
  for (const [index, stream] of chain.entries()) {
    const next = chain[index + 1];
    if (next) stream.pipe(next as Duplex);
    stream.on('error', (error) => {
      if (stream !== last) last.destroy(error);
    });
  }
}

const MAX_ENCODINGS = 3;

function decodersFor(encoding: string, head: ResponseHead): Duplex[] {
  const names = encoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
    .reverse();
  if (names.length > MAX_ENCODINGS) throw unsupportedEncoding(encoding, head);
  return names.map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'deflate') return createInflate();
    if (name === 'br') return createBrotliDecompress();
    throw unsupportedEncoding(encoding, head);
  });
}

function unsupportedEncoding(encoding: string, head: ResponseHead): ConnectionFailedError {
  return new ConnectionFailedError(`The content encoding ${encoding.slice(0, 100)} is not supported.`, { head });
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR__?BROTLI|ERR_BROTLI)/.test(String(error.code));
}

/** Passes bytes through and fails if there are more than allowed. */
export function limitBytes(maxBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.byteLength;
      if (seen > maxBytes) done(new ResponseTooLargeError(`The response is larger than ${maxBytes} bytes.`));
      else done(null, chunk);
    },
  });
}
