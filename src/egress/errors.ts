/** The guard did not allow a connection. Users see the message. */
export class EgressRefusedError extends Error {
  override readonly name = 'EgressRefusedError';
}

/** DNS has no address for the name. */
export class HostNotFoundError extends Error {
  override readonly name = 'HostNotFoundError';
}

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
export class NetworkTimeoutError extends NetworkError {
  override readonly name = 'NetworkTimeoutError';
}

/** The connection was refused or reset, or the server does not speak HTTP. */
export class ConnectionFailedError extends NetworkError {
  override readonly name = 'ConnectionFailedError';
}

/** The certificate or the TLS handshake is invalid. */
export class TlsError extends NetworkError {
  override readonly name = 'TlsError';
}

/** The response is larger than the caller allows. `partial` holds the allowed bytes. */
export class ResponseTooLargeError extends NetworkError {
  override readonly name = 'ResponseTooLargeError';
  readonly partial: Buffer;

  constructor(message: string, options: { head?: ResponseHead; partial?: Buffer; cause?: unknown } = {}) {
    super(message, options);
    this.partial = options.partial ?? Buffer.alloc(0);
  }
}

/** There were more redirects than the caller allows. */
export class TooManyRedirectsError extends Error {
  override readonly name = 'TooManyRedirectsError';
}

/** Reasons by the error codes of Node and OpenSSL. */
const TLS_REASONS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS on this port',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself alone',
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
