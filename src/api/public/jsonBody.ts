import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { isObject, type JsonObject, kindOf } from '../../contract/faults.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { BodyMemory } from '../limits/bodyMemory.ts';

export interface JsonBody {
  readonly value: JsonObject;
  /** Of the bytes as they came. */
  readonly sha256: Buffer;
}

/** Deeper than anything that is read; parsing millions of levels takes seconds and gigabytes. */
const MAX_LEVELS = 1_000;
/** A body of nothing but empty objects becomes a hundred times as large when it is parsed, and stops everything meanwhile. */
const BYTES_A_VALUE = 32;
const LEAST_VALUES = 100_000;
/** How many of the largest bodies one sender may have under way at the same time, or as many smaller ones as fit in. */
const LARGEST_AT_ONCE = 2;
/** Not worth counting. */
const SMALL_BYTES = 64 * 1024;

/** `sender`: whose memory it is that the body takes. */
export type BodyReader = (request: Request, response: Response, sender: string) => Promise<JsonBody>;

/**
 * Reads JSON objects of at most `bytes`.
 * @throws Failure: 415 for another content type, 413 when it is too large, 429 where the same sender has had
 *   too much under way for long, 400 for malformed JSON, 422 where it is no object.
 */
export function jsonBodyReader(bytes: number): BodyReader {
  const raw = express.raw({ type: () => true, limit: bytes });
  const room = new BodyMemory(bytes * LARGEST_AT_ONCE);
  const mostValues = Math.max(LEAST_VALUES, Math.floor(bytes / BYTES_A_VALUE));
  return async (request, response, sender) => {
    requireJson(request);
    const expected = expectedBytes(request, bytes);
    const leave = expected <= SMALL_BYTES ? () => undefined : await room.enter(sender, expected);
    try {
      const body = await readAll(raw, request, response).catch((error: unknown) => {
        throw bodyFailure(error, bytes);
      });
      return { value: parse(body, mostValues), sha256: createHash('sha256').update(body).digest() };
    } finally {
      leave();
    }
  };
}

/** What the headers promise; the most where they do not. */
function expectedBytes(request: Request, most: number): number {
  const length = Number(request.get('content-length') ?? most);
  return request.get('content-encoding') === undefined && length <= most ? length : most;
}

/** Like the other, but nothing at all counts as `{}`. */
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
  return malformed('could not be read to its end: its length or its encoding is not what the headers say.');
}

function tooLarge(text: string): Failure {
  return new Failure({ status: 413, code: 'too_large', errors: { body: [text] } });
}

function malformed(text: string): Failure {
  return new Failure({ status: 400, code: 'malformed', errors: { body: [text] } });
}

function parse(body: Buffer, mostValues: number): JsonObject {
  if (body.length === 0) throw malformed('must be a JSON object, but is empty.');
  const fault = shapeFault(body, mostValues);
  if (fault === 'deep') throw malformed(`must not be nested more than ${MAX_LEVELS.toLocaleString('en')} levels deep.`);
  if (fault === 'many')
    throw tooLarge(`must hold at most ${mostValues.toLocaleString('en')} values: send several requests.`);
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

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT, COMMA] = [...'"\\[{]},'].map((c) =>
  c.charCodeAt(0),
);

/** What would make it dangerous to parse. */
function shapeFault(body: Buffer, mostValues: number): 'deep' | 'many' | undefined {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let i = 0; i < body.length; i += 1) {
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
    if (values > mostValues) return 'many';
  }
  return undefined;
}
