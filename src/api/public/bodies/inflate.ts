/** Decompresses bodies. */
import { promisify } from 'node:util';
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  type InputType,
  inflate,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib';
import type { Request } from 'express';
import { Failure } from '../../../domain/failure.ts';
import { malformed } from './parseBody.ts';

const DECODERS = {
  gzip: { atOnce: gunzipSync, later: promisify<InputType, ZlibOptions, Buffer>(gunzip) },
  deflate: { atOnce: inflateSync, later: promisify<InputType, ZlibOptions, Buffer>(inflate) },
  br: { atOnce: brotliDecompressSync, later: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress) },
};

export type Encoding = keyof typeof DECODERS;

/** @returns undefined without an encoding. @throws Failure (415) */
export function encodingOf(request: Request): Encoding | undefined {
  const given = (request.get('content-encoding') ?? 'identity').toLowerCase();
  if (given === 'identity') return undefined;
  if (given === 'gzip' || given === 'deflate' || given === 'br') return given;
  const text = 'must be sent as it is, or with Content-Encoding gzip, deflate or br.';
  throw new Failure({ status: 415, code: 'unsupported_encoding', errors: { body: [text] } });
}

/** For a thread: nothing else runs until it is done. @returns undefined if there are more than `max` bytes. @throws Failure (400) */
export function inflateAtOnce(bytes: Uint8Array, encoding: Encoding, max: number): Buffer | undefined {
  try {
    return DECODERS[encoding].atOnce(bytes, { maxOutputLength: max });
  } catch (error) {
    return overflow(error);
  }
}

/** @returns undefined if there are more than `max` bytes. @throws Failure (400) */
export function inflateSmall(bytes: Uint8Array, encoding: Encoding, max: number): Promise<Buffer | undefined> {
  return DECODERS[encoding].later(bytes, { maxOutputLength: max }).catch(overflow);
}

function overflow(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return undefined;
  throw malformed('could not be read to its end: its encoding differs from the headers.');
}
