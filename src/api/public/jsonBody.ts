import express, { type Request, type RequestHandler, type Response } from 'express';
import type { JsonObject } from '../../contract/faults.ts';
import { Failure } from '../../domain/failure.ts';
import { runInSlices } from '../../lib/slices.ts';
import { BodyMemory } from '../limits/bodyMemory.ts';
import { hashSteps, malformed, parseBody, tooLarge } from './bodies/parseBody.ts';
import { checkBody } from './requestCheck.ts';

export interface JsonBody {
  readonly value: JsonObject;
  /** Hash of the bytes as the client sent them. */
  readonly sha256: Buffer;
}

/** A body of empty objects takes a hundred times its size when it is parsed, and parsing blocks all other requests. */
const BYTES_PER_VALUE = 64;
const MIN_VALUE_LIMIT = 100_000;
/** One sender may send this many bodies of the maximum size at the same time, or more bodies that are smaller. */
const MAX_LARGEST_AT_ONCE = 2;
/** Smaller bodies do not count. */
const SMALL_BYTES = 64 * 1024;

/** `sender` is the organization whose share of the memory the body uses. */
export type BodyReader = (request: Request, response: Response, sender: string) => Promise<JsonBody>;

/** Reads the bytes of a body, and passes them to `use` together with the number of values that they may hold. */
export type BytesReader = <T>(
  call: { readonly request: Request; readonly response: Response; readonly sender: string },
  use: (body: Buffer, maxValues: number) => Promise<T>,
) => Promise<T>;

/**
 * @returns a function that reads bodies of at most `bytes`. They count as memory of the sender until `use` has ended.
 * @throws Failure: 415 for another content type or encoding, 413 if the body is too large, 429 if the memory of the
 *   sender stays full, 400 if the body cannot be read to its end.
 */
export function bytesReader(bytes: number): BytesReader {
  const raw = express.raw({ type: () => true, limit: bytes });
  const memory = new BodyMemory(bytes * MAX_LARGEST_AT_ONCE);
  const maxValues = Math.max(MIN_VALUE_LIMIT, Math.floor(bytes / BYTES_PER_VALUE));
  return async ({ request, response, sender }, use) => {
    requireJson(request);
    if (Number(request.get('content-length') ?? 0) > bytes) throw tooLargeBody(bytes);
    const expected = expectedBytes(request, bytes);
    const release = expected <= SMALL_BYTES ? () => undefined : await memory.acquire(sender, expected);
    try {
      const body = await readAll(raw, { request, response, bytes }).catch((error: unknown) => {
        throw bodyFailure(error, bytes);
      });
      return await use(body, maxValues);
    } finally {
      release();
    }
  };
}

/**
 * @returns a function that reads JSON objects of at most `bytes`.
 * @throws Failure: 415 for another content type, 413 if the body is too large, 429 if the memory of the sender stays
 *   full, 400 for malformed JSON, 422 if the value is not an object, or has unknown fields and the client wants strict
 *   handling.
 */
export function jsonBodyReader(bytes: number): BodyReader {
  const read = bytesReader(bytes);
  return (request, response, sender) =>
    read({ request, response, sender }, async (body, maxValues) => {
      const value = await parseBody(body, maxValues);
      await checkBody(request, value);
      return { value, sha256: await runInSlices(hashSteps(body)) };
    });
}

/** @returns the length that the headers announce; the maximum if they announce none. */
function expectedBytes(request: Request, max: number): number {
  const length = Number(request.get('content-length') ?? max);
  return request.get('content-encoding') === undefined && length <= max ? length : max;
}

/** As {@link jsonBodyReader}, but accepts an empty body as `{}`. */
export function optionalJsonBodyReader(bytes: number): BodyReader {
  const read = jsonBodyReader(bytes);
  return (request, response, sender) => {
    const empty = request.get('transfer-encoding') === undefined && Number(request.get('content-length') ?? 0) === 0;
    return empty ? Promise.resolve({ value: {}, sha256: Buffer.alloc(0) }) : read(request, response, sender);
  };
}

function requireJson(request: Request): void {
  const [type = '', ...parameters] = (request.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(parameter)?.[1]).find(Boolean);
  const json = /^application\/([\w.-]+\+)?json$/.test(type.trim());
  if (json && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return;
  throw new Failure({
    status: 415,
    code: 'unsupported_media_type',
    errors: { body: ['must be JSON in UTF-8: send the header Content-Type: application/json.'] },
  });
}

function readAll(
  raw: RequestHandler,
  { request, response, bytes }: { request: Request; response: Response; bytes: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = 0;
    // Express reads a body that is too large to its end before it says so, which a client can put off for minutes.
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > bytes) reject(tooLargeBody(bytes));
    });
    raw(request, response, (error?: unknown) => {
      if (error !== undefined) reject(error);
      else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    });
  });
}

function tooLargeBody(limit: number): Failure {
  return tooLarge(`must be at most ${limit.toLocaleString('en')} bytes: send several requests.`);
}

function bodyFailure(error: unknown, limit: number): Failure {
  if (error instanceof Failure) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return tooLargeBody(limit);
  if (type === 'encoding.unsupported') {
    const text = 'must be sent as it is, or with Content-Encoding gzip, deflate or br.';
    return new Failure({ status: 415, code: 'unsupported_encoding', errors: { body: [text] } });
  }
  return malformed('could not be read to its end: its length or its encoding differs from the headers.');
}
