/** Maps errors to HTTP status and code, for the public API and the internal API. Each API formats the result itself. */
import { ZodError } from 'zod';
import { StoreUnavailableError } from '../../artifacts/storeCheck.ts';
import { SupersededError } from '../../core/jobs/attempts.ts';
import { ResultFaultError } from '../../core/jobs/creativeResults.ts';
import { isDatabaseAway } from '../../db/databaseAway.ts';
import { type ErrorCode, Failure, type FieldErrors, failureMessage } from '../../domain/failure.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

/** The token is not valid. */
export class UnauthorizedError extends Error {}

/** The token or the signed URL is valid, but not for this request. */
export class ForbiddenError extends Error {}

export class NotFoundError extends Error {}

/** The call names a version of the capture protocol that this release does not support. */
export class UnsupportedVersionError extends Error {}

export class TooLargeError extends Error {}

export class UnsupportedTypeError extends Error {}

/** The service cannot decide at the moment, for example because the API server does not answer. */
export class UnavailableError extends Error {}

/** A limit of this process is reached. The caller may repeat the request after `retryAfterSeconds`. */
export class OverloadedError extends UnavailableError {
  readonly retryAfterSeconds = 1;
}

/** Codes that only the capture protocol has. */
type ProtocolCode = 'superseded' | 'unsupported_version';

export interface HttpError {
  readonly status: number;
  readonly code: ErrorCode | ProtocolCode;
  readonly message: string;
  /** The same by the path of the field; the key is `service` if no field is at fault. */
  readonly errors: FieldErrors;
  readonly headers: Readonly<Record<string, string>>;
}

/** The first class that matches decides. */
const BY_CLASS = [
  [SupersededError, 409, 'superseded'],
  [UnauthorizedError, 401, 'unauthorized'],
  [ForbiddenError, 403, 'forbidden'],
  [NotFoundError, 404, 'not_found'],
  [UnsupportedVersionError, 404, 'unsupported_version'],
  [TooLargeError, 413, 'too_large'],
  [UnsupportedTypeError, 415, 'unsupported_media_type'],
  [ZodError, 422, 'invalid'],
  [ResultFaultError, 422, 'invalid'],
  [UnavailableError, 503, 'unavailable'],
] as const;

/** The code of an unexpected error. Its message does not reveal the cause, which only the log contains. */
export const INTERNAL_ERROR = 'internal';

export function httpErrorOf(error: unknown): HttpError {
  if (error instanceof Failure) return { ...pickFailure(error), message: failureMessage(error) };
  const message = errorMessage(error);
  for (const [type, status, code] of BY_CLASS) {
    if (error instanceof type) return httpError({ status, code, message, headers: retryHeaders(error) });
  }
  if (error instanceof URIError) {
    const text = 'must be valid percent-encoding of UTF-8.';
    return { status: 400, code: 'malformed', message, errors: { path: [text] }, headers: {} };
  }
  if (isStorageFull(error)) {
    const text = 'The service has no space left to store this at the moment: try again later.';
    return httpError({ status: 503, code: 'unavailable', message: text, headers: { 'Retry-After': '60' } });
  }
  if (error instanceof StoreUnavailableError) {
    const text =
      'The service cannot use its artifact store at the moment, which keeps the files of pictures and uploads: try again in a few seconds.';
    return httpError({ status: 503, code: 'unavailable', message: text, headers: { 'Retry-After': '5' } });
  }
  if (isDatabaseAway(error)) {
    const text = 'The service cannot reach its database at the moment: try again in a few seconds.';
    return httpError({ status: 503, code: 'unavailable', message: text, headers: { 'Retry-After': '2' } });
  }
  const status = parserStatus(error);
  if (status !== undefined) return httpError({ status, code: PARSER_CODES[status] ?? 'malformed', message });
  return httpError({ status: 500, code: INTERNAL_ERROR, message: 'The service could not answer; try again.' });
}

/** PostgreSQL, a folder or a bucket is full; they name it in different ways, and their callers wrap it. */
const FULL = /^(ENOSPC|EDQUOT|53100|\w*StorageFull|QuotaExceeded\w*)$/;
/** At most this many causes are examined, because a chain of them could be a circle. */
const MOST_CAUSES = 5;

function isStorageFull(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > MOST_CAUSES) return false;
  const code = 'code' in error ? String(error.code) : error.name;
  return FULL.test(code) || FULL.test(error.name) || isStorageFull(error.cause, depth + 1);
}

function pickFailure({ status, code, errors, headers }: Failure): Omit<HttpError, 'message'> {
  return { status, code, errors, headers };
}

function httpError({
  status,
  code,
  message,
  headers = {},
}: Omit<HttpError, 'errors' | 'headers'> & Partial<Pick<HttpError, 'headers'>>): HttpError {
  return { status, code, message, errors: { service: [message] }, headers };
}

function retryHeaders(error: unknown): Readonly<Record<string, string>> {
  return error instanceof OverloadedError ? { 'Retry-After': String(error.retryAfterSeconds) } : {};
}

const PARSER_CODES: Readonly<Record<number, ErrorCode>> = {
  408: 'request_timeout',
  413: 'too_large',
  415: 'unsupported_media_type',
};

/** The status that express and its body parsers give to errors of the client. */
function parserStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  const { status } = error;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
