/** HTTP to the internal API and to the addresses of pictures: every call with a deadline, repeated where that may help. */

import type { z } from 'zod';
import { NO_SUCH_CALL } from '../../contract/captureProtocol.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { refused, superseded } from './ending.ts';
import type { JobToken } from './jobToken.ts';
import { type RetryOptions, retry, TransientError } from './retry.ts';

export interface TransportTiming extends RetryOptions {
  /** Of one try. */
  readonly callMs: number;
}

const DEFAULT_TIMING: TransportTiming = { callMs: 15_000, retryForMs: 30_000, firstDelayMs: 250 };

export interface TransportOptions {
  /** `<internal url>/internal/<version>/jobs/<job>` */
  readonly base: string;
  readonly token: JobToken;
  readonly timing?: Partial<TransportTiming>;
}

export interface Upload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly png: Buffer;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** On top of the deadline of a call: how long the answer may be held back on purpose. */
  readonly heldMs?: number;
}

export interface Answered<T> {
  readonly body: T;
  /** The server's clock, where it told it. */
  readonly date: Date | undefined;
}

export class Transport {
  readonly #base: string;
  readonly #token: JobToken;
  readonly #timing: TransportTiming;

  constructor({ base, token, timing }: TransportOptions) {
    this.#base = base;
    this.#token = token;
    this.#timing = { ...DEFAULT_TIMING, ...timing };
  }

  /** @throws CaptureEnd when refused or superseded, UnreachableError, the reason of the signal. */
  post<T>(path: string, body: unknown, answer: z.ZodType<T>, options: CallOptions): Promise<Answered<T>> {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const { isExchanged } = this.#token;
    return this.#retry(options, async (signal) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${await this.#readToken()}` };
      const request = { ...init, headers, signal };
      const asked = { what: `The call ${path}`, isCall: true, isExchanged };
      const { bytes, date } = await exchange(this.#base + path, request, asked);
      return { body: answer.parse(JSON.parse(bytes.toString('utf8'))), date };
    });
  }

  /** Uploads a picture to an address that has its authority in it, and in its headers. @throws as {@link post}. */
  async put({ url, headers, png }: Upload, options: CallOptions): Promise<void> {
    const init = { method: 'PUT', headers, body: new Uint8Array(png) };
    await this.#retry(options, (signal) => exchange(url, { ...init, signal }, { what: 'The upload of a picture' }));
  }

  /** @throws as {@link post}; bytes with another sum count as a broken connection. */
  get(url: string, sha256: string, options: CallOptions): Promise<Buffer> {
    return this.#retry(options, async (signal) => {
      const { bytes } = await exchange(url, { signal }, { what: 'The download of a frame' });
      if (sha256Of(bytes) !== sha256) throw new TransientError('A frame arrived with another SHA-256 than announced.');
      return bytes;
    });
  }

  async #readToken(): Promise<string> {
    try {
      return await this.#token.read();
    } catch (error) {
      throw new TransientError(`The token of the capture could not be read: ${reasonOf(error)}.`, { cause: error });
    }
  }

  #retry<T>({ signal, heldMs = 0 }: CallOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ms = this.#timing.callMs + heldMs;
    return retry(() => call(AbortSignal.any([signal, AbortSignal.timeout(ms)])), { ...this.#timing, signal });
  }
}

interface Asked {
  readonly what: string;
  /** Of the protocol, not of a bucket. */
  readonly isCall?: boolean;
  readonly isExchanged?: boolean;
}

async function exchange(
  url: string,
  init: RequestInit,
  asked: Asked,
): Promise<{ bytes: Buffer; date: Date | undefined }> {
  let response: Response;
  let bytes: Buffer;
  try {
    response = await fetch(url, { ...init, redirect: 'error' });
    bytes = Buffer.from(await response.arrayBuffer());
  } catch (error) {
    throw new TransientError(`${asked.what} failed: ${reasonOf(error)}.`, { cause: error });
  }
  if (!response.ok) throw failureOf(response, bytes.toString('utf8'), asked);
  const date = new Date(response.headers.get('date') ?? '');
  return { bytes, date: Number.isNaN(date.getTime()) ? undefined : date };
}

function failureOf({ status, headers }: Response, said: string, { what, isCall, isExchanged }: Asked): Error {
  const text = `${what} was answered with ${status}: ${said.slice(0, 500)}`;
  if (status === 409 && isCall === true) return superseded(text);
  // During an upgrade the next call may meet a replica that knows the call, or that speaks this version.
  if (status === 404 && said.includes(NO_SUCH_CALL)) return new TransientError(text);
  // A bucket says 409 where two write at the same time.
  const mayPass = status >= 500 || [408, 409, 429].includes(status) || (status === 401 && isExchanged === true);
  return mayPass ? new TransientError(text, { retryAfterMs: retryAfterMs(headers) }) : refused(text);
}

/** Of an answer that names seconds. */
function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

/** Node's fetch keeps the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
