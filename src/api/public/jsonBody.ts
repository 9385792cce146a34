import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { isObject, type JsonObject, kindOf } from '../../contract/faults.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { runInSlices } from '../../lib/slices.ts';
import { BodyMemory } from '../limits/bodyMemory.ts';
import { checkBody } from './requestCheck.ts';

export interface JsonBody {
  readonly value: JsonObject;
  /** Hash of the bytes as the client sent them. */
  readonly sha256: Buffer;
}

/** No valid body is that deep. To parse millions of levels takes seconds and gigabytes. */
const MAX_LEVELS = 1_000;
/** A body of empty objects takes a hundred times its size when it is parsed, and parsing blocks all other requests. */
const BYTES_PER_VALUE = 64;
const MIN_VALUE_LIMIT = 100_000;
/** One sender may send this many bodies of the maximum size at the same time, or more bodies that are smaller. */
const MAX_LARGEST_AT_ONCE = 2;
/** The service looks at so many bytes at once, which takes about a millisecond. */
const SLICE_BYTES = 256 * 1024;
/** Smaller bodies do not count. */
const SMALL_BYTES = 64 * 1024;

/** `sender` is the organization whose share of the memory the body uses. */
export type BodyReader = (request: Request, response: Response, sender: string) => Promise<JsonBody>;

/**
 * @returns a function that reads JSON objects of at most `bytes`.
 * @throws Failure: 415 for another content type, 413 if the body is too large, 429 if the memory of the sender stays
 *   full, 400 for malformed JSON, 422 if the value is not an object, or has unknown fields and the client wants strict
 *   handling.
 */
export function jsonBodyReader(bytes: number): BodyReader {
  const raw = express.raw({ type: () => true, limit: bytes });
  const memory = new BodyMemory(bytes * MAX_LARGEST_AT_ONCE);
  const maxValues = Math.max(MIN_VALUE_LIMIT, Math.floor(bytes / BYTES_PER_VALUE));
  return async (request, response, sender) => {
    requireJson(request);
    const expected = expectedBytes(request, bytes);
    const release = expected <= SMALL_BYTES ? () => undefined : await memory.acquire(sender, expected);
    try {
      const body = await readAll(raw, request, response).catch((error: unknown) => {
        throw bodyFailure(error, bytes);
      });
      const value = await parse(body, maxValues);
      await checkBody(request, value);
      return { value, sha256: await runInSlices(hashSteps(body)) };
    } finally {
      release();
    }
  };
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

function readAll(raw: RequestHandler, request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    raw(request, response, (error?: unknown) => {
      if (error !== undefined) reject(error);
      else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    });
  });
}

function bodyFailure(error: unknown, limit: number): Failure {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') {
    return tooLarge(`must be at most ${limit.toLocaleString('en')} bytes: send several requests.`);
  }
  if (type === 'encoding.unsupported') {
    const text = 'must be sent as it is, or with Content-Encoding gzip, deflate or br.';
    return new Failure({ status: 415, code: 'unsupported_encoding', errors: { body: [text] } });
  }
  return malformed('could not be read to its end: its length or its encoding differs from the headers.');
}

function tooLarge(text: string): Failure {
  return new Failure({ status: 413, code: 'too_large', errors: { body: [text] } });
}

function malformed(text: string): Failure {
  return new Failure({ status: 400, code: 'malformed', errors: { body: [text] } });
}

async function parse(body: Buffer, maxValues: number): Promise<JsonObject> {
  if (body.length === 0) throw malformed('must be a JSON object, but is empty.');
  const fault = await runInSlices(shapeFaultSteps(body, maxValues));
  if (fault === 'deep') throw malformed(`must not be nested more than ${MAX_LEVELS.toLocaleString('en')} levels deep.`);
  if (fault === 'many')
    throw tooLarge(`must hold at most ${maxValues.toLocaleString('en')} values: send several requests.`);
  const value = parseText(decode(body));
  if (!isObject(value)) throw invalid({ body: [`must be a JSON object, but is ${kindOf(value)}.`] });
  return value;
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw malformed('must be JSON in UTF-8, but has bytes that are not UTF-8.');
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`must be valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it is not'}.`);
  }
}

function* hashSteps(body: Buffer): Generator<undefined, Buffer> {
  const hash = createHash('sha256');
  for (let start = 0; start < body.length; start += SLICE_BYTES) {
    hash.update(body.subarray(start, start + SLICE_BYTES));
    yield;
  }
  return hash.digest();
}

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT, COMMA] = [...'"\\[{]},'].map((c) =>
  c.charCodeAt(0),
);

/** @returns why the body would be dangerous to parse, or undefined. */
function* shapeFaultSteps(body: Buffer, maxValues: number): Generator<undefined, 'deep' | 'many' | undefined> {
  let depth = 0;
  let values = 0;
  let inString = false;
  let sliceEnd = SLICE_BYTES;
  for (let i = 0; i < body.length; i += 1) {
    if (i > sliceEnd) {
      sliceEnd += SLICE_BYTES;
      yield;
    }
    const byte = body[i];
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_LEVELS) return 'deep';
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (values > maxValues) return 'many';
  }
  return undefined;
}
