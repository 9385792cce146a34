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
  unavailable: 'The service is overloaded, cannot reach its database, or has no space left. Try again later.',
} as const satisfies Record<string, string>;

/** A stable name for the kind of an error, for programs. */
export type ErrorCode = keyof typeof ERROR_CODES;
