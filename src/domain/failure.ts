import type { ErrorCode } from './errorCodes.ts';
import { EVENT_DAYS } from './retention.ts';

/** Messages by the path of the field, as clients of the API receive them. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

interface FailureOptions {
  /** HTTP status. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly errors: FieldErrors;
  /** Response headers of this failure. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that the client caused and receives. Any other error is a fault of the service. */
export class Failure extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly errors: FieldErrors;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, errors, headers = {} }: FailureOptions) {
    super(`${code}: ${Object.entries(errors).map(([path, texts]) => `${path} ${texts.join(' ')}`)}`);
    this.name = 'Failure';
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

/** @returns the messages as sentences for people: a message that is not a sentence follows the name of its field. */
export function failureMessage({ errors }: Pick<Failure, 'errors'>): string {
  const sentences = Object.entries(errors).flatMap(([path, texts]) =>
    texts.map((text) => (/^\p{Lu}/u.test(text) ? text : `The ${path} ${text}`)),
  );
  return sentences.join(' ');
}

/** For what people open without a key, so the text does not name the organization. */
export function disabledOrganization(): Failure {
  const errors = { organization: ['The organization that owns this file is disabled.'] };
  return new Failure({ status: 403, code: 'organization_disabled', errors });
}

/** For an unknown id, path or organization. @param parameter the part of the path that names it. */
export function notFound(parameter: string, message: string): Failure {
  return new Failure({ status: 404, code: 'not_found', errors: { [parameter]: [message] } });
}

/** For an id in the path that no object of the organization has. */
export function unknownId(): Failure {
  return notFound('id', 'This organization has no object with this id.');
}

/** For events and deliveries, which are removed when they are old. No row remembers their ids. */
export function unknownOrRemoved(what: 'event' | 'delivery'): Failure {
  return notFound(
    'id',
    `This organization has no ${what} with this id. If it had one, it was removed because it was older than ${EVENT_DAYS} days, or with its set or ad.`,
  );
}

/** For an object of an organization that was removed. */
export const removedObject = () =>
  gone('id', 'This object was deleted, or it was older than the organization keeps sets.');

/** For what was removed. @param parameter the part of the path that names it. */
export function gone(parameter: string, message: string): Failure {
  return new Failure({ status: 410, code: 'gone', errors: { [parameter]: [message] } });
}

export function invalid(errors: FieldErrors): Failure {
  return new Failure({ status: 422, code: 'invalid', errors });
}

/** For too many requests. @param seconds until the client should try again. */
export function tooMany(
  parameter: string,
  message: string,
  seconds: number,
  code: 'rate_limited' | 'quota_exceeded' = 'rate_limited',
): Failure {
  const headers = { 'Retry-After': String(seconds) };
  return new Failure({ status: 429, code, errors: { [parameter]: [message] }, headers });
}

/** For a request that the current status forbids. */
export function conflict(parameter: string, message: string): Failure {
  return new Failure({ status: 409, code: 'conflict', errors: { [parameter]: [message] } });
}
