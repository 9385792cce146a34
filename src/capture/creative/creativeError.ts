import type { AdFailure } from '../../domain/states.ts';
import {
  ConnectionFailedError,
  EgressRefusedError,
  HostNotFoundError,
  NetworkTimeoutError,
  ResponseTooLargeError,
  TlsError,
  TooManyRedirectsError,
} from '../../egress/errors.ts';
import { NotACreativeError } from '../../lib/detectContent.ts';
import type { FailedCreative } from './creative.ts';

/** The creative cannot be rendered. The client reads `message`. */
export class CreativeError extends Error {
  override readonly name = 'CreativeError';
  readonly status: AdFailure;

  constructor(status: AdFailure, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.status = status;
  }
}

/** @returns the failed creative, or undefined if the error is not the creative's fault. */
export function asFailedCreative(error: unknown): FailedCreative | undefined {
  if (error instanceof CreativeError) return { status: error.status, reason: error.message };
  if (error instanceof NotACreativeError) return { status: 'generic_error', reason: error.message };
  if (error instanceof HostNotFoundError) return { status: 'not_found', reason: error.message };
  if (error instanceof NetworkTimeoutError) return { status: 'net_read_timeout', reason: error.message };
  const network = [
    EgressRefusedError,
    ConnectionFailedError,
    TlsError,
    ResponseTooLargeError,
    TooManyRedirectsError,
  ].some((type) => error instanceof type);
  if (network && error instanceof Error) return { status: 'generic_error', reason: error.message };
  return undefined;
}

/** @throws CreativeError if the HTTP status is not 2xx. */
export function requireSuccess(status: number, url: string): void {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410)
    throw new CreativeError(
      'not_found',
      `${url} answered with HTTP status ${status}: the creative does not exist there.`,
    );
  throw new CreativeError('generic_error', `${url} answered with HTTP status ${status} instead of the creative.`);
}
