import { EVENT_DAYS } from './retention.ts';

/** Every code of a 4xx or 5xx answer of the public API, with its meaning. docs/api.md has the same table, and a test compares both. */
export const ERROR_CODES = {
  malformed: 'The request cannot be read: its HTTP, its path or its JSON has a syntax error.',
  unauthorized: 'The key is missing, malformed, unknown, revoked or expired.',
  forbidden: 'The request is not allowed, for example because a form comes from another site.',
  missing_scope: 'The key lacks the scope that `errors.authorization` names.',
  organization_disabled: 'The organization is disabled.',
  not_found: 'There is no such object, or no such organization for this key.',
  unknown_path: 'There is nothing at this path.',
  method_not_allowed: 'The path does not support this method. `Allow` names those that it supports.',
  request_timeout: 'The request did not arrive completely in time.',
  conflict: 'The current state of the object forbids the request.',
  decision_changed: 'Another reviewer has decided since: the decision is not the expected one.',
  idempotency_key_in_use: 'The first request with this `Idempotency-Key` is still running. Try again in a moment.',
  gone: 'The object was deleted, or it was older than the organization keeps sets.',
  too_large: 'The body, or a part of it, is too large.',
  unsupported_media_type: 'The service does not read bodies of this content type.',
  unsupported_encoding: 'The service does not read bodies of this content encoding.',
  invalid: '`errors` lists the faults of the body or of the query, by path.',
  idempotency_key_reused: 'The `Idempotency-Key` was used with another body.',
  rate_limited: 'There are too many requests. Wait as long as `Retry-After` says.',
  quota_exceeded:
    'The organization may not request so many screenshots today. `Retry-After` says when the next day begins.',
  too_many_exports: 'Too many exports of the organization are not ready yet.',
  headers_too_large: 'The headers are too large.',
  internal: 'The service failed. Its log has the cause under `request_id`.',
  unavailable:
    'The service is overloaded, cannot use its database or its artifact store, or has no space left. Try again later.',
} as const satisfies Record<string, string>;

/** A stable name for the kind of an error, for programs. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Messages by the path of the field, as clients of the API receive them. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface FailureOptions {
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

/** For an action that is not allowed to this caller. */
export function forbiddenAction(parameter: string, message: string): Failure {
  return new Failure({ status: 403, code: 'forbidden', errors: { [parameter]: [message] } });
}
