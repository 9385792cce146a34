/** What an API server answers when it does not do what was asked, told apart by code and reason. */

/** The part of a `Status` object that is read. */
interface StatusBody {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly field?: string }[];
  };
}

export interface ApiErrorOptions {
  readonly code: number;
  readonly reason: string;
  /** What was asked: verb and path. */
  readonly call: string;
  readonly causes?: readonly { readonly reason?: string; readonly field?: string }[];
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly { readonly reason?: string; readonly field?: string }[];

  constructor(message: string, { code, reason, call, causes = [] }: ApiErrorOptions) {
    super(`${call}: ${message} (${code} ${reason})`);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/** No answer: no connection, a connection that broke, a deadline that was over. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** A watch in which nothing came for long: the network is dead, or nothing happened. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

export function apiErrorOf(call: string, code: number, text: string): ApiError {
  const body = readStatus(text);
  const { reason = 'Unknown', message = text.slice(0, 500), details } = body;
  return new ApiError(message, {
    code,
    reason,
    call,
    ...(details?.causes === undefined ? {} : { causes: details.causes }),
  });
}

export const isNotFound = (error: unknown) => hasCode(error, 404);
/** Created by somebody already, another version than was named, or another uid: `reason` says which. */
export const isConflict = (error: unknown) => hasCode(error, 409);
/** The version that was named is forgotten: list again. */
export const isGone = (error: unknown) => hasCode(error, 410);
/** A merge patch that names a uid is found invalid where the object is another one. */
export const isOtherUid = (error: unknown) =>
  error instanceof ApiError && error.code === 422 && error.causes.some(({ field }) => field === 'metadata.uid');
export const isNamespaceEnding = (error: unknown) =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');

function hasCode(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.code === code;
}

function readStatus(text: string): StatusBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    // A proxy in between answers in its own words.
    return {};
  }
}
