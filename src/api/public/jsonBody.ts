import type { Request } from 'express';
import type { JsonObject } from '../../contract/faults.ts';
import { Failure } from '../../domain/failure.ts';
import { runInSlices } from '../../lib/slices.ts';
import type { Bodies } from './bodies/bodies.ts';
import type { LargeBody } from './bodies/bodyThreads.ts';
import { inflateSmall } from './bodies/inflate.ts';
import { type BodyLimits, hashSteps, parseBody, tooManyBytes } from './bodies/parseBody.ts';
import { abandoned, receiveBody } from './bodies/receiveBody.ts';
import type { AuthorizedRequest } from './endpoint.ts';
import { addBodyWarnings, checkBody } from './requestCheck.ts';

export interface JsonBody {
  readonly value: JsonObject;
  /** Hash of the bytes as the client sent them. */
  readonly sha256: Buffer;
}

/** A body of empty objects takes a hundred times its size when it is parsed. */
const BYTES_PER_VALUE = 64;
const MIN_VALUE_LIMIT = 100_000;
/** Smaller bodies do not count as memory, and are read at once, because sending them to a thread costs more. */
const SMALL_BYTES = 64 * 1024;

/** A request whose body uses memory of its sender, the organization. */
export type BodyCall = Pick<AuthorizedRequest, 'request' | 'response' | 'organizationId'>;

export type BodyReader = (call: BodyCall) => Promise<JsonBody>;

/** How the two kinds of bodies are read. */
interface Readers<T> {
  readonly small: (json: Buffer, limits: BodyLimits) => Promise<T>;
  readonly large: (body: LargeBody, signal: AbortSignal) => Promise<T>;
}

/**
 * Reads a body of JSON: a small one on the event loop, and a large one in a thread. It counts as memory of the sender until it is read.
 * @param bytes at most those of {@link Bodies}.
 * @throws Failure: 415 for another content type or encoding, 413 if the body is too large, 429 if the memory of the
 *   sender stays full, 400 if the body cannot be read to its end or its client has gone, and those of `BodyThreads`.
 */
export async function readBody<T>(
  bodies: Bodies,
  { request, response, organizationId }: BodyCall,
  readers: Readers<T>,
  bytes = bodies.maxBytes,
): Promise<T> {
  requireJson(request);
  const limits = { bytes, values: Math.max(MIN_VALUE_LIMIT, Math.floor(bytes / BYTES_PER_VALUE)) };
  if (Number(request.get('content-length') ?? 0) > bytes) throw tooManyBytes(bytes);
  const expected = expectedBytes(request, bytes);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const release = expected <= SMALL_BYTES ? () => undefined : await bodies.memory.acquire(organizationId, expected);
  try {
    if (gone.signal.aborted) throw abandoned();
    const body = await receiveBody(request, bytes);
    const [joined, encoding] = [body.bytes <= SMALL_BYTES ? Buffer.concat(body.parts) : undefined, body.encoding];
    const json = joined && encoding ? await inflateSmall(joined, encoding, SMALL_BYTES) : joined;
    if (json !== undefined) return await readers.small(json, limits);
    const route = { method: request.method, pattern: String(request.route.path) };
    return await readers.large({ body, limits, route }, gone.signal);
  } finally {
    release();
  }
}

/**
 * @returns a function that reads JSON objects of at most `bytes`.
 * @throws Failure: as {@link readBody}, 400 for malformed JSON, 422 if the value is not an object, or has unknown fields
 *   and the client wants strict handling.
 */
export function jsonBodyReader(bodies: Bodies, bytes?: number): BodyReader {
  return (call) => {
    const { request } = call;
    const small = async (json: Buffer, limits: BodyLimits) => {
      const value = await parseBody(json, limits.values);
      await checkBody(request, value);
      return { value, sha256: await runInSlices(hashSteps(json)) };
    };
    const large = async (body: LargeBody, signal: AbortSignal) => {
      const { value, warnings, sha256 } = await bodies.threads.readJson(body, signal);
      addBodyWarnings(request, warnings);
      return { value, sha256 };
    };
    return readBody(bodies, call, { small, large }, bytes);
  };
}

/** @returns the length that the headers announce; the maximum if they announce none. */
function expectedBytes(request: Request, max: number): number {
  const length = Number(request.get('content-length') ?? max);
  return request.get('content-encoding') === undefined && length <= max ? length : max;
}

/** As {@link jsonBodyReader}, but accepts an empty body as `{}`. */
export function optionalJsonBodyReader(bodies: Bodies): BodyReader {
  const read = jsonBodyReader(bodies);
  return (call) => {
    const { request } = call;
    const empty = request.get('transfer-encoding') === undefined && Number(request.get('content-length') ?? 0) === 0;
    return empty ? Promise.resolve({ value: {}, sha256: Buffer.alloc(0) }) : read(call);
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
