import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, type InputType, inflate, type ZlibOptions } from 'node:zlib';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import {
  isObject,
  type JsonObject,
  type KnownPart,
  kindOf,
  knownPart,
  type RequestWarning,
  unknownFields,
  unknownParameters,
} from '../../contract/faults.ts';
import { Failure, invalid } from '../../domain/failure.ts';
import { MAX_BODY_BYTES, MAX_BODY_SHAPES, MAX_BODY_VALUES } from '../../domain/limits.ts';
import { listQuery } from './listQuery.ts';

type Handling = 'strict' | 'lenient';

interface RequestShape {
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** Its JSON; undefined if it takes none. */
  readonly body?: { readonly isRequired: boolean; readonly maxBytes?: number | undefined; readonly fields: KnownPart };
}

/** No valid body is that deep. To parse millions of levels takes seconds and gigabytes. */
const MAX_LEVELS = 1_000;

/** Other requests get their turn before and after `JSON.parse`, because each step takes tens of milliseconds for the largest bodies. */
const otherRequests = () => setImmediate();

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT, COMMA, COLON] = [...'"\\[{]},:'].map((c) =>
  c.charCodeAt(0),
);

export interface JsonBody {
  readonly value: JsonObject;
  /** Hash of the JSON as the client sent it, decompressed. */
  readonly sha256: Buffer;
}

export const NO_BODY: JsonBody = { value: {}, sha256: Buffer.alloc(0) };

const DECODERS = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<InputType, ZlibOptions, Buffer>(inflate),
  br: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress),
};

const HINT = ': send several requests, and larger creatives as uploads (POST …/uploads)';

interface BodyLimits {
  /** Before and after decompression. */
  readonly maxBytes?: number | undefined;
  /** Counts the bytes before they are parsed. @throws Failure (429) */
  takeBytes(bytes: number): void;
}

/**
 * Reads a JSON object.
 * @throws Failure: 415 for another content type or encoding, 413 if the body is too large, 429 over a limit, 400 if it is malformed, 422 if it is not an
 *   object.
 */
async function readJson(
  request: Request,
  { maxBytes: max = MAX_BODY_BYTES, takeBytes }: BodyLimits,
): Promise<JsonBody> {
  requireJson(request);
  const decode = decoderOf(request);
  const bytes = await readBytes(request, max, HINT);
  const json = decode === undefined ? bytes : await inflated(decode(bytes, { maxOutputLength: max }), max);
  takeBytes(json.length);
  const value = await parseJson(json);
  return { value, sha256: createHash('sha256').update(json).digest() };
}

/** As {@link readJson}, but accepts an empty body as `{}`. */
function readOptionalJson(request: Request, limits: BodyLimits): Promise<JsonBody> {
  const empty = request.get('transfer-encoding') === undefined && Number(request.get('content-length') ?? 0) === 0;
  return empty ? Promise.resolve(NO_BODY) : readJson(request, limits);
}

/** @returns undefined without an encoding. @throws Failure (415) */
function decoderOf(request: Request) {
  const given = (request.get('content-encoding') ?? 'identity').toLowerCase();
  if (given === 'identity') return undefined;
  if (given === 'gzip' || given === 'deflate' || given === 'br') return DECODERS[given];
  const text = 'must be sent as it is, or with Content-Encoding gzip, deflate or br.';
  throw new Failure({ status: 415, code: 'unsupported_encoding', errors: { body: [text] } });
}

/** @throws Failure: 413 if there are more than `max` bytes, 400 if they cannot be decompressed. */
function inflated(bytes: Promise<Buffer>, max: number): Promise<Buffer> {
  return bytes.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(`must be at most ${max.toLocaleString('en')} bytes when it is decompressed${HINT}.`);
    throw malformed('could not be read to its end: its encoding differs from the headers.');
  });
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

/** @throws Failure: 400 for malformed JSON, 413 if it has too many values, 422 if it is not an object. */
export async function parseJson(body: Buffer): Promise<JsonObject> {
  if (body.length === 0) throw malformed('must be a JSON object, but is empty.');
  rejectCostly(body);
  await otherRequests();
  const value = parseText(decode(body));
  await otherRequests();
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

/** @throws Failure if parsing would hold the event loop: 400 if the body is too deep, 413 if it has too many values or kinds of objects. */
function rejectCostly(body: Buffer): void {
  // A shape is a sequence of field names. To parse a new one costs a hundred times as much as a known one.
  const shapes = new Map<string, number>();
  const open: number[] = [];
  let values = 0;
  let text = { start: 0, end: 0 };
  for (let i = 0; i < body.length; i += 1) {
    const byte = body[i];
    if (byte === QUOTE) {
      text = { start: i, end: endOfString(body, i + 1) };
      i = text.end;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      open.push(0);
      values += 1;
      if (open.length > MAX_LEVELS) throw malformed(`must not be nested more than ${figure(MAX_LEVELS)} levels deep.`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) open.pop();
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) {
      const shape = `${open.pop()} ${body.toString('latin1', text.start, text.end)}`;
      open.push(shapes.get(shape) ?? shapes.set(shape, shapes.size + 1).size);
    }
    if (values > MAX_BODY_VALUES) throw tooMany(MAX_BODY_VALUES, 'values');
    if (shapes.size > MAX_BODY_SHAPES) throw tooMany(MAX_BODY_SHAPES, 'sequences of field names');
  }
}

/** @returns the index of the closing quote. */
function endOfString(body: Buffer, start: number): number {
  let i = start;
  while (i < body.length && body[i] !== QUOTE) i += body[i] === BACKSLASH ? 2 : 1;
  return i;
}

const figure = (value: number) => value.toLocaleString('en');
const tooMany = (most: number, what: string) =>
  tooLarge(`must hold at most ${figure(most)} ${what}: send several requests.`);

function malformed(text: string): Failure {
  return new Failure({ status: 400, code: 'malformed', errors: { body: [text] } });
}

function tooLarge(text: string): Failure {
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

/** @param maxBytes of the JSON body. */
export function shapeOf({ requestParams, requestBody }: ZodOpenApiOperationObject, maxBytes?: number): RequestShape {
  const query = requestParams?.query;
  const json = requestBody?.content['application/json'];
  return {
    query: query instanceof z.ZodObject ? Object.keys(query.shape) : [],
    ...(json && { body: { isRequired: requestBody?.required === true, maxBytes, fields: knownPart(json.schema) } }),
  };
}

/**
 * @returns the body, and a function that finds what the service ignored.
 * @throws Failure: as {@link readJson}; 422 if something is unknown and the client wants strict handling.
 */
export async function checkRequest(
  request: Request,
  response: Response,
  { shape, takeBytes }: Pick<BodyLimits, 'takeBytes'> & { readonly shape: RequestShape },
): Promise<{ readonly body?: JsonBody; warnings(): readonly RequestWarning[] }> {
  const handling = wantedHandling(request);
  if (handling !== undefined) response.set('Preference-Applied', `handling=${handling}`);
  const ofQuery = unknownParameters(listQuery(request), shape.query);
  if (handling === 'strict') rejectUnknown(ofQuery);
  if (shape.body === undefined) return { warnings: () => ofQuery };
  const { isRequired, maxBytes, fields } = shape.body;
  const body = await (isRequired ? readJson : readOptionalJson)(request, { maxBytes, takeBytes });
  const ofBody = () => (fields === undefined ? [] : unknownFields(fields, body.value));
  if (handling === 'strict') rejectUnknown(ofBody());
  return { body, warnings: () => [...ofQuery, ...ofBody()] };
}

/** @param text a JSON object that has fields, or nothing. */
export function withWarnings(text: string, warnings: readonly RequestWarning[]): string {
  if (warnings.length === 0 || text === '') return text;
  return `${text.slice(0, -1)},"request_warnings":${JSON.stringify(warnings)}}`;
}

function rejectUnknown(warnings: readonly RequestWarning[]): void {
  if (warnings.length === 0) return;
  throw invalid(
    Object.fromEntries(
      warnings.map(({ path, message }) => [path, [message.replace(', so the service ignored it', '')]]),
    ),
  );
}

/** Reads `Prefer` (RFC 7240). The first of several values wins. */
function wantedHandling(request: Request): Handling | undefined {
  const preferences = (request.headersDistinct['prefer'] ?? []).flatMap((header) => header.split(','));
  for (const preference of preferences) {
    const found = /^\s*handling\s*=\s*"?(strict|lenient)"?\s*(?:;|$)/i.exec(preference)?.[1]?.toLowerCase();
    if (found === 'strict' || found === 'lenient') return found;
  }
  return undefined;
}
