import { STATUS_CODES } from 'node:http';
import { errorMessage } from '../lib/errorMessage.ts';

/** The guard did not allow a connection. Users see the message. */
export class EgressRefusedError extends Error {}

/** DNS has no address for the name. */
export class HostNotFoundError extends Error {}

/** Status and headers of a response that failed before its end. */
export interface ResponseHead {
  status: number;
  headers: Headers;
}

/** A network failure, with the head of the response if it had arrived. */
abstract class NetworkError extends Error {
  readonly head: ResponseHead | undefined;

  constructor(message: string, options: ErrorOptions & { head?: ResponseHead | undefined } = {}) {
    super(message, options);
    this.head = options.head;
  }
}

/** The name lookup, the connection, the response or its body exceeded a deadline. */
export class NetworkTimeoutError extends NetworkError {}

/** The connection was refused or reset, or the server does not speak HTTP. */
export class ConnectionFailedError extends NetworkError {}

/** The certificate or the TLS handshake is invalid. */
export class TlsError extends NetworkError {}

/** The response is larger than the caller allows. `partial` holds the allowed bytes. */
export class ResponseTooLargeError extends NetworkError {
  readonly partial: Buffer;

  constructor(message: string, options: { head?: ResponseHead; partial?: Buffer; cause?: unknown } = {}) {
    super(message, options);
    this.partial = options.partial ?? Buffer.alloc(0);
  }
}

/** There were more redirects than the caller allows. */
export class TooManyRedirectsError extends Error {}

/** Reasons by the error codes of Node and OpenSSL. */
const TLS_REASONS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS on this port',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by a known authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is not signed by a known authority, or it does not send the whole chain',
};

/** @returns why TLS failed. The messages of OpenSSL are not used, because they name its source files. */
export function describeTlsError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = 'code' in error && typeof error.code === 'string' ? TLS_REASONS[error.code] : undefined;
  if (known !== undefined) return known;
  if ('reason' in error && typeof error.reason === 'string' && error.reason !== '') return error.reason;
  return error.message.split('\n')[0]?.trim() ?? '';
}

/** The proxy of a location does not work. The connection to the site was not tried, or it is unknown whether it was. */
export class LocationUnavailableError extends Error {}

/** `location` means that the proxy of a location does not work, `busy` that the proxy has reached its limit of tunnels, `malformed` that a request breaks rules of HTTP. */
export type FailureKind = 'location' | 'refused' | 'malformed' | 'not-found' | 'timeout' | 'unreachable' | 'busy';

/** A connection that failed or that the proxy refused. */
export interface EgressFailure {
  host: string;
  port: number;
  kind: FailureKind;
  reason: string;
}

/** The header with the kind of failure. Only responses of the proxy itself have it. */
export const FAILURE_HEADER = 'x-tearsheet-egress';

export class TooManyTunnelsError extends Error {}

interface KindOfFailure {
  /** The status of the proxy's answer. */
  readonly status: number;
  /** The error that is of this kind. No error makes a malformed request. */
  readonly error?: new (
    message: string,
  ) => Error;
}

const KINDS: Readonly<Record<FailureKind, KindOfFailure>> = {
  refused: { status: 403, error: EgressRefusedError },
  malformed: { status: 400 },
  'not-found': { status: 502, error: HostNotFoundError },
  unreachable: { status: 502, error: ConnectionFailedError },
  busy: { status: 503, error: TooManyTunnelsError },
  timeout: { status: 504, error: NetworkTimeoutError },
  location: { status: 503, error: LocationUnavailableError },
};
const FAILURE_KINDS = Object.keys(KINDS) as FailureKind[];

export function toEgressFailure(error: unknown, target: { host: string; port: number }): EgressFailure {
  const isOf = (kind: FailureKind) => KINDS[kind].error !== undefined && error instanceof KINDS[kind].error;
  return { ...target, kind: FAILURE_KINDS.find(isOf) ?? 'unreachable', reason: errorMessage(error) };
}

/** The opposite of {@link toEgressFailure}, for an answer of another proxy of ours. */
export function toError(kind: string, reason: string): Error {
  const known = FAILURE_KINDS.find((one) => one === kind) ?? 'unreachable';
  return new (KINDS[known].error ?? ConnectionFailedError)(reason);
}

/** Makes the HTTP response for a failure: status, headers and body for `writeHead`, and `raw` for a plain socket. */
export function failureResponse({ kind, reason }: EgressFailure) {
  const { status } = KINDS[kind];
  const body = `${reason}\n`;
  const headers = {
    [FAILURE_HEADER]: kind,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return { status, headers, body, raw: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}` };
}

/** Keeps the latest failures, oldest first. Repeated failures of the same host and port are kept once. */
export class FailureLog {
  readonly #entries = new Map<string, EgressFailure>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get all(): readonly EgressFailure[] {
    return [...this.#entries.values()];
  }

  /** @returns whether the failure is new. */
  add(failure: EgressFailure): boolean {
    const key = `${failure.kind} ${failure.host}:${failure.port}`;
    if (this.#entries.has(key)) return false;
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value ?? '');
    this.#entries.set(key, failure);
    return true;
  }
}
