import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, type InputType, inflate, type ZlibOptions } from 'node:zlib';
import type { Request } from 'express';
import type { JsonObject } from '../../contract/faults.ts';
import { Failure } from '../../domain/failure.ts';
import { MAX_BODY_BYTES } from '../../domain/limits.ts';
import { parseJson } from './parseJson.ts';
import { malformed, readBytes, tooLarge } from './readBytes.ts';
import { checkBody } from './requestCheck.ts';

interface JsonBody {
  readonly value: JsonObject;
  /** Hash of the JSON as the client sent it, decompressed. */
  readonly sha256: Buffer;
}

const DECODERS = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<InputType, ZlibOptions, Buffer>(inflate),
  br: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress),
};

const HINT = ': send several requests, and larger creatives as uploads (POST …/uploads)';

/**
 * Reads a JSON object.
 * @param max bytes, before and after decompression.
 * @throws Failure: 415 for another content type or encoding, 413 if the body is too large, 400 if it is malformed, 422 if it is not an
 *   object, or has unknown fields and the client wants strict handling.
 */
export async function readJson(request: Request, max = MAX_BODY_BYTES): Promise<JsonBody> {
  requireJson(request);
  const decode = decoderOf(request);
  const bytes = await readBytes(request, max, HINT);
  const json = decode === undefined ? bytes : await inflated(decode(bytes, { maxOutputLength: max }), max);
  const value = await parseJson(json);
  checkBody(request, value);
  return { value, sha256: createHash('sha256').update(json).digest() };
}

/** As {@link readJson}, but accepts an empty body as `{}`. */
export function readOptionalJson(request: Request): Promise<JsonBody> {
  const empty = request.get('transfer-encoding') === undefined && Number(request.get('content-length') ?? 0) === 0;
  return empty ? Promise.resolve({ value: {}, sha256: Buffer.alloc(0) }) : readJson(request);
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
