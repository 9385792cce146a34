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
import type { FailedCreative } from './creative.ts';

/** A creative that cannot be rendered. `message` is for the user. */
export class CreativeError extends Error {
  override readonly name = 'CreativeFailure';
  readonly status: AdFailure;

  constructor(status: AdFailure, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.status = status;
  }
}

/** @returns the failure that `error` stands for, or undefined when it is not the creative's fault. */
export function asFailedCreative(error: unknown): FailedCreative | undefined {
  if (error instanceof CreativeError) return { status: error.status, reason: error.message };
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

/** @throws CreativeFailure for a status that is not a success. */
export function requireSuccess(status: number, url: string): void {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410)
    throw new CreativeError('not_found', `${url} answered ${status}: there is nothing there.`);
  throw new CreativeError('generic_error', `${url} answered with HTTP status ${status} instead of the creative.`);
}
