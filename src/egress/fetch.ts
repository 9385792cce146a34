import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { errorMessage } from '../lib/errorMessage.ts';
import { secondsText } from '../lib/secondsText.ts';
import { readDecoded } from './body.ts';
import {
  ConnectionFailedError,
  describeTlsError,
  EgressRefusedError,
  HostNotFoundError,
  NetworkTimeoutError,
  type ResponseHead,
  ResponseTooLargeError,
  TlsError,
  TooManyRedirectsError,
} from './errors.ts';
import type { Connector } from './guard.ts';
import type { GuardedFetch } from './ports.ts';

/** One request of a chain of redirects. */
interface Hop {
  url: URL;
  method: string;
  headers: Headers;
  body: Buffer | string | undefined;
}

export interface GuardedFetchOptions {
  guard: Connector;
  /** From the first name lookup to the last byte, including redirects. */
  timeoutMs?: number;
  /** The limit of the decoded body. A single call can override it. */
  maxBytes?: number;
  /** 0 returns a redirect as the response. */
  maxRedirects?: number;
  /** A certificate authority (PEM) to trust instead of the public ones. */
  ca?: string;
}

type FetchInit = NonNullable<Parameters<GuardedFetch>[1]>;
type FetchedResponse = Awaited<ReturnType<GuardedFetch>>;

const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Creates an HTTP client that makes every connection through the guard, including those of redirects.
 * It fails with EgressRefusedError, HostNotFoundError, NetworkTimeoutError, ConnectionFailedError, TlsError,
 * ResponseTooLargeError or TooManyRedirectsError. An HTTP status is never an error.
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

/** Creates a dispatcher for undici. The guard makes the connection, and TLS runs over it. */
function guardedDispatcher(
  guard: Connector,
  { timeoutMs, ca }: { timeoutMs: number; ca: string | undefined },
): Dispatcher {
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

function firstHop(url: string, init: FetchInit): Hop {
  if (!URL.canParse(url)) throw new EgressRefusedError(`"${url.slice(0, 255)}" is not a URL.`);
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

interface FetchCall {
  dispatcher: Dispatcher;
  signal: AbortSignal;
  timeoutMs: number;
  maxBytes: number;
}

async function exchange(hop: Hop, call: FetchCall): Promise<FetchedResponse> {
  const { url, method, headers, body } = hop;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefusedError(`The scheme ${url.protocol} is not allowed, only http: and https: are.`);
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
    const decoded = hasBody ? await readDecoded(response.body, { head, ...call }) : Buffer.alloc(0);
    return { ...head, url: url.href, body: decoded };
  } catch (error) {
    throw typedError(error, { url, head, call });
  }
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
  { url, head, call }: { url: URL; head: ResponseHead | undefined; call: FetchCall },
): unknown {
  if (OWN_ERRORS.some((own) => error instanceof own)) return error;
  const code = codeOf(error);
  const options = { cause: error, head };
  if (call.signal.aborted || code.includes('TIMEOUT') || code === 'ETIMEDOUT') {
    return new NetworkTimeoutError(
      `${url.host} did not answer completely within ${secondsText(call.timeoutMs)}.`,
      options,
    );
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return new ResponseTooLargeError(`The response headers of ${url.host} are larger than ${MAX_HEADER_BYTES} bytes.`, {
      cause: error,
    });
  }
  const reason = errorMessage(error);
  if (isTlsCode(code)) return new TlsError(`TLS with ${url.host} failed: ${describeTlsError(error)}.`, options);
  return new ConnectionFailedError(`The connection to ${url.host} failed: ${reason}.`, options);
}

/** The codes of OpenSSL's certificate checks have no common prefix. */
function isTlsCode(code: string): boolean {
  return /^ERR_(TLS|SSL)_|CERT|SELF_SIGNED|UNABLE_TO_|^EPROTO$|HOSTNAME_MISMATCH/.test(code);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** @returns the request that follows a redirect, or undefined if the response is the last one. */
function nextHop(hop: Hop, { status, headers }: ResponseHead): Hop | undefined {
  const location = headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  if (!URL.canParse(location, hop.url)) return undefined;
  const url = new URL(location, hop.url);
  url.username = '';
  url.password = '';
  const keepsBody = status === 307 || status === 308 || hop.method === 'GET' || hop.method === 'HEAD';
  return {
    url,
    method: keepsBody ? hop.method : 'GET',
    headers: headersFor(hop, { url, keepsBody }),
    body: keepsBody ? hop.body : undefined,
  };
}

/** Removes credentials at a redirect to another origin. */
function headersFor(hop: Hop, { url, keepsBody }: { url: URL; keepsBody: boolean }): Headers {
  const headers = new Headers(hop.headers);
  headers.delete('host');
  if (url.origin !== hop.url.origin) for (const name of ['authorization', 'cookie']) headers.delete(name);
  if (!keepsBody) for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
  return headers;
}
