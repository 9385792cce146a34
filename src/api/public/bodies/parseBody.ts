/** Parses the bytes of a body. It needs nothing of the request, so that a thread can do it. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, kindOf } from '../../../contract/faults.ts';
import { Failure, invalid } from '../../../domain/failure.ts';
import { runInSlices } from '../../../lib/slices.ts';

/** No valid body is that deep. To parse millions of levels takes seconds and gigabytes. */
const MAX_LEVELS = 1_000;
/** The service looks at so many bytes at once, which takes about a millisecond. */
const SLICE_BYTES = 256 * 1024;

/** Limits of one body. */
export interface BodyLimits {
  /** Before and after decompression. */
  readonly bytes: number;
  readonly values: number;
}

function tooLarge(text: string): Failure {
  return new Failure({ status: 413, code: 'too_large', errors: { body: [text] } });
}

export function tooManyBytes(max: number): Failure {
  return tooLarge(`must be at most ${max.toLocaleString('en')} bytes: send several requests.`);
}

export function malformed(text: string): Failure {
  return new Failure({ status: 400, code: 'malformed', errors: { body: [text] } });
}

/** @throws Failure: 400 for malformed JSON, 413 if it has more values, 422 if it is not an object. */
export async function parseBody(body: Buffer, maxValues: number): Promise<JsonObject> {
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

/** Steps to the SHA-256 of a body. */
export function* hashSteps(body: Buffer): Generator<undefined, Buffer> {
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
