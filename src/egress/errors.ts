/** A connection that the guard did not allow. `message` is for the user. */
export class EgressRefusedError extends Error {
  override readonly name = 'EgressRefusedError';
}

/** The name has no address. */
export class HostNotFoundError extends Error {
  override readonly name = 'HostNotFoundError';
}

/** What of a response had already arrived when the rest of it failed. */
export interface ResponseHead {
  status: number;
  headers: Headers;
}

/** A failure of the network, with the response's head when that had already arrived. */
abstract class NetworkError extends Error {
  readonly head: ResponseHead | undefined;

  constructor(message: string, options: ErrorOptions & { head?: ResponseHead | undefined } = {}) {
    super(message, options);
    this.head = options.head;
  }
}

/** A deadline passed: of the name look-up, the connection, the answer or its body. */
export class NetworkTimeoutError extends NetworkError {
  override readonly name = 'NetworkTimeoutError';
}

/** The connection was refused, reset, or spoke something that is not HTTP. */
export class ConnectionFailedError extends NetworkError {
  override readonly name = 'ConnectionFailedError';
}

/** The certificate or the TLS handshake was not acceptable. */
export class TlsError extends NetworkError {
  override readonly name = 'TlsError';
}

/** The answer was larger than the caller allows. `partial` holds the bytes that were allowed. */
export class ResponseTooLargeError extends NetworkError {
  override readonly name = 'ResponseTooLargeError';
  readonly partial: Buffer;

  constructor(message: string, options: { head?: ResponseHead; partial?: Buffer; cause?: unknown } = {}) {
    super(message, options);
    this.partial = options.partial ?? Buffer.alloc(0);
  }
}

/** More redirects than the caller allows. */
export class TooManyRedirectsError extends Error {
  override readonly name = 'TooManyRedirectsError';
}
