/** HTTP calls to the internal API and to the URLs of pictures. Each call has a deadline; calls that may succeed later are retried. */

import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { NO_SUCH_CALL } from '../../contract/captureProtocol.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { backOffMs } from '../../lib/repeat.ts';
import { parseRetryAfter } from '../../lib/retryAfter.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { sleep } from '../../lib/sleep.ts';
import { rejectedError, supersededError } from './captureShutdown.ts';

export interface TokenSource {
  /** @returns the token for one call. */
  read(): Promise<string>;
  /** True if a rejected token may be replaced by a valid one soon. */
  readonly isRotated: boolean;
}

export interface TransportTiming extends RetryOptions {
  /** The deadline of one try. */
  readonly callMs: number;
}

const DEFAULT_TIMING: TransportTiming = { callMs: 15_000, retryForMs: 30_000, firstDelayMs: 250 };

export interface TransportOptions {
  /** `<internal url>/internal/<version>/jobs/<job>` */
  readonly base: string;
  readonly token: TokenSource;
  readonly timing?: Partial<TransportTiming>;
}

export interface UploadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

interface WantedFile {
  readonly sha256: string;
  /** For messages: "a frame". */
  readonly what: string;
}

/** The artifact store does not have the file. */
export class MissingFileError extends Error {}

interface TransportCallOptions {
  readonly signal: AbortSignal;
  /** How long the API may delay its answer on purpose (long polling); added to the deadline of one try. */
  readonly heldMs?: number;
}

export interface TransportResponse<T> {
  readonly body: T;
  /** The server's clock, from the Date header. */
  readonly date: Date | undefined;
}

export class Transport {
  readonly #base: string;
  readonly #token: TokenSource;
  readonly #timing: TransportTiming;

  constructor({ base, token, timing }: TransportOptions) {
    this.#base = base;
    this.#token = token;
    this.#timing = { ...DEFAULT_TIMING, ...timing };
  }

  /** @throws CaptureEndError if the API rejects the call, RetriesExhaustedError, the reason of the signal. */
  post<T>(
    path: string,
    body: unknown,
    answer: z.ZodType<T>,
    options: TransportCallOptions,
  ): Promise<TransportResponse<T>> {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const { isRotated } = this.#token;
    return this.#retry(options, async (signal) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${await this.#readToken()}` };
      const request = { ...init, headers, signal };
      const info = { name: `The call ${path}`, isCall: true, isRotated };
      const { bytes, date } = await exchange(this.#base + path, request, info);
      return { body: answer.parse(JSON.parse(bytes.toString('utf8'))), date };
    });
  }

  /** Uploads a picture to a signed URL, with the signed headers. @throws as {@link post}. */
  async put({ url, headers, bytes }: UploadTarget, options: TransportCallOptions): Promise<void> {
    const init = { method: 'PUT', headers, body: new Uint8Array(bytes) };
    await this.#retry(options, (signal) => exchange(url, { ...init, signal }, { name: 'The upload of a picture' }));
  }

  /** Bytes with another SHA-256 count as a broken connection. @throws as {@link post}, MissingFileError. */
  get(url: string, { sha256, what }: WantedFile, options: TransportCallOptions): Promise<Buffer> {
    return this.#retry(options, async (signal) => {
      const { bytes } = await exchange(url, { signal }, { name: `The download of ${what}`, isFile: true });
      if (sha256Of(bytes) !== sha256)
        throw new TransientError(`The SHA-256 of ${what} differs from the announced one after the download.`);
      return bytes;
    });
  }

  async #readToken(): Promise<string> {
    try {
      return await this.#token.read();
    } catch (error) {
      throw new TransientError(`The token of the capture could not be read: ${networkReason(error)}.`, {
        cause: error,
      });
    }
  }

  #retry<T>({ signal, heldMs = 0 }: TransportCallOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ms = this.#timing.callMs + heldMs;
    return retry(() => call(AbortSignal.any([signal, AbortSignal.timeout(ms)])), { ...this.#timing, signal });
  }
}

interface RequestInfo {
  /** The subject of error messages. */
  readonly name: string;
  /** True for a call of the capture protocol, false for a request to a bucket. */
  readonly isCall?: boolean;
  readonly isRotated?: boolean;
  /** True for the download of a file. */
  readonly isFile?: boolean;
}

async function exchange(
  url: string,
  init: RequestInit,
  info: RequestInfo,
): Promise<{ bytes: Buffer; date: Date | undefined }> {
  let response: Response;
  let bytes: Buffer;
  try {
    response = await fetch(url, { ...init, redirect: 'error' });
    bytes = Buffer.from(await response.arrayBuffer());
  } catch (error) {
    throw new TransientError(`${info.name} failed: ${networkReason(error)}.`, { cause: error });
  }
  if (!response.ok) throw errorOfResponse(response, bytes.toString('utf8'), info);
  const date = new Date(response.headers.get('date') ?? '');
  return { bytes, date: Number.isNaN(date.getTime()) ? undefined : date };
}

function errorOfResponse(
  { status, headers }: Response,
  body: string,
  { name, isCall, isRotated, isFile }: RequestInfo,
): Error {
  const text = `${name} was answered with ${status}: ${body.slice(0, 500)}`;
  if (status === 409 && isCall === true) return supersededError(text);
  // During an upgrade the next try may reach a replica that knows the call, or that speaks this version.
  if (status === 404 && body.includes(NO_SUCH_CALL)) return new TransientError(text);
  if (status === 404 && isFile === true) return new MissingFileError(text);
  // A bucket answers 409 if two clients write the same object at once.
  const mayPass = status >= 500 || [408, 409, 429].includes(status) || (status === 401 && isRotated === true);
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), new Date()) ?? 0;
  return mayPass ? new TransientError(text, { retryAfterMs }) : rejectedError(text);
}

/** Node's fetch puts the reason into the cause. */
function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return errorMessage(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

/** A failure that may be over soon: the call may be retried. */
export class TransientError extends Error {
  /** The Retry-After of the answer; 0 if it has none. */
  readonly retryAfterMs: number;

  constructor(message: string, { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** All retries failed. `message` describes how the last one failed. */
export class RetriesExhaustedError extends Error {}

interface RetryOptions {
  /** No retry starts later than this after the first try. */
  readonly retryForMs: number;
  readonly firstDelayMs: number;
}

const MAX_DELAY_MS = 5_000;

/**
 * Retries with exponential back-off and for a limited time.
 * @throws RetriesExhaustedError, any error of `call` that is not a TransientError, the reason of `signal`.
 */
export async function retry<T>(
  call: () => Promise<T>,
  { retryForMs, firstDelayMs, signal }: RetryOptions & { readonly signal: AbortSignal },
): Promise<T> {
  const end = performance.now() + retryForMs;
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TransientError)) throw error;
      const ownMs = backOffMs(tries, { firstMs: firstDelayMs, maxMs: MAX_DELAY_MS });
      const delayMs = Math.max(ownMs, Math.min(MAX_DELAY_MS, error.retryAfterMs));
      if (performance.now() + delayMs > end) {
        throw new RetriesExhaustedError(`${error.message} (${tries} tries)`, { cause: error });
      }
      await sleep(delayMs, signal).catch(() => signal.throwIfAborted());
    }
  }
}

/** The token of a capture: a fixed one, or one in a file that the kubelet replaces from time to time. */
export function fixedToken(token: string): TokenSource {
  return { read: async () => token, isRotated: false };
}

export function tokenFromFile(file: string): TokenSource {
  return { read: async () => (await readFile(file, 'utf8')).trim(), isRotated: true };
}
