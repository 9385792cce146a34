import type { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { errorMessage } from '../lib/errorMessage.ts';
import { readDecoded } from './body.ts';
import {
  ConnectionFailedError,
  EgressRefusedError,
  HostNotFoundError,
  NetworkTimeoutError,
  type ResponseHead,
  ResponseTooLargeError,
  TlsError,
  TooManyRedirectsError,
} from './errors.ts';
import type { Guard } from './guard.ts';
import type { GuardedFetch } from './ports.ts';
import { type Hop, nextHop } from './redirects.ts';
import { tlsWords } from './tlsWords.ts';

export interface GuardedFetchOptions {
  guard: Guard;
  /** From the first look-up to the last byte, redirects included. */
  timeoutMs?: number;
  /** Of the decoded body; a caller may ask for less or more in a single call. */
  maxBytes?: number;
  /** 0: a redirect is the answer. */
  maxRedirects?: number;
  /** A certificate authority (PEM) to trust instead of the well-known ones. */
  ca?: string;
}

type Init = NonNullable<Parameters<GuardedFetch>[1]>;
type Answer = Awaited<ReturnType<GuardedFetch>>;

const MAX_HEADER_BYTES = 64 * 1024;

/**
 * An HTTP client whose every connection, those of redirects too, is judged and made by the guard.
 * It fails with EgressRefusedError, HostNotFoundError, NetworkTimeoutError, ConnectionFailedError, TlsError,
 * ResponseTooLargeError or TooManyRedirectsError; statuses are answers, never errors.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { guard, timeoutMs = 30_000, maxBytes = 32 * 1024 * 1024, maxRedirects = 5 } = options;
  const dispatcher = guardedDispatcher(guard, { timeoutMs, ca: options.ca });

  return async (url, init = {}) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([deadline, init.signal]) : deadline;
    const call = { dispatcher, signal, timeoutMs, maxBytes: init.maxBytes ?? maxBytes };
    let hop = firstHop(url, init);
    for (let hops = 0; ; hops++) {
      const answer = await exchange(hop, call);
      const next = maxRedirects > 0 ? nextHop(hop, answer) : undefined;
      if (next === undefined) return answer;
      if (hops >= maxRedirects) throw new TooManyRedirectsError(`${url} redirects more than ${maxRedirects} times.`);
      hop = next;
    }
  };
}

/** A dispatcher for undici that connects through the guard; TLS is then spoken over the judged connection. */
function guardedDispatcher(guard: Guard, { timeoutMs, ca }: { timeoutMs: number; ca: string | undefined }): Dispatcher {
  const secure = buildConnector({ timeout: timeoutMs, allowH2: false, ...(ca !== undefined && { ca }) });
  const connect: buildConnector.connector = (options, done) => {
    const isTls = options.protocol === 'https:';
    guard.connect(options.hostname, Number(options.port || (isTls ? 443 : 80))).then(
      (socket) => (isTls ? secure({ ...options, httpSocket: socket }, done) : done(null, socket)),
      (error: Error) => done(error, null),
    );
  };
  return new Agent({ connect, maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
}

function firstHop(url: string, init: Init): Hop {
  if (!URL.canParse(url)) throw new EgressRefusedError(`"${url.slice(0, 255)}" is not an address.`);
  const target = new URL(url);
  const headers = new Headers(init.headers);
  if (target.username !== '' && !headers.has('authorization')) {
    const credentials = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  }
  target.username = '';
  target.password = '';
  return { url: target, method: init.method ?? 'GET', headers, body: init.body };
}

interface Call {
  dispatcher: Dispatcher;
  signal: AbortSignal;
  timeoutMs: number;
  maxBytes: number;
}

async function exchange(hop: Hop, call: Call): Promise<Answer> {
  const { url, method, headers, body } = hop;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefusedError(`${url.protocol} addresses are not reached, only http: and https: ones.`);
  }
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'gzip, deflate, br');
  let head: ResponseHead | undefined;
  try {
    const response = await request(url, {
      dispatcher: call.dispatcher,
      signal: call.signal,
      method: method as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body }),
    });
    head = { status: response.statusCode, headers: toHeaders(response.headers) };
    const hasBody = method !== 'HEAD' && head.status !== 204 && head.status !== 304;
    if (!hasBody) await response.body.dump();
    return { ...head, url: url.href, body: hasBody ? await read(response.body, head, call) : Buffer.alloc(0) };
  } catch (error) {
    throw typedError(error, { url, head, call });
  }
}

function read(body: Readable, head: ResponseHead, { maxBytes, signal }: Call): Promise<Buffer> {
  return readDecoded(body, { head, maxBytes, signal });
}

function toHeaders(raw: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  return headers;
}

const OWN_ERRORS = [
  EgressRefusedError,
  HostNotFoundError,
  NetworkTimeoutError,
  ConnectionFailedError,
  TlsError,
  ResponseTooLargeError,
];

function typedError(
  error: unknown,
  { url, head, call }: { url: URL; head: ResponseHead | undefined; call: Call },
): unknown {
  if (OWN_ERRORS.some((own) => error instanceof own)) return error;
  const code = codeOf(error);
  const options = { cause: error, head };
  if (call.signal.aborted || code.includes('TIMEOUT') || code === 'ETIMEDOUT') {
    return new NetworkTimeoutError(`${url.host} did not answer completely within ${call.timeoutMs} ms.`, options);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new ResponseTooLargeError(`The headers that ${url.host} sent are larger than ${MAX_HEADER_BYTES} bytes.`, {
      cause: error,
    });
  }
  const reason = errorMessage(error);
  if (isTlsCode(code)) return new TlsError(`No TLS with ${url.host}: ${tlsWords(error)}.`, options);
  return new ConnectionFailedError(`The connection to ${url.host} failed: ${reason}.`, options);
}

/** The codes of OpenSSL's certificate checks have no prefix in common. */
function isTlsCode(code: string): boolean {
  return /^ERR_(TLS|SSL)_|CERT|SELF_SIGNED|UNABLE_TO_|^EPROTO$|HOSTNAME_MISMATCH/.test(code);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
