/** The errors of calls to the API server. */
import type { V1Status } from '@kubernetes/client-node';

interface Cause {
  readonly reason?: string;
  readonly field?: string;
}

interface ApiErrorOptions {
  /** HTTP status code. */
  readonly code: number;
  /** Machine-readable, for example `AlreadyExists`. */
  readonly reason: string;
  /** Verb and path of the request. */
  readonly call: string;
  readonly causes?: readonly Cause[];
}

/** The API server answered with an error. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly Cause[];

  constructor(message: string, { code, reason, call, causes = [] }: ApiErrorOptions) {
    super(`${call}: ${message} (${code} ${reason})`);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/** The API server did not answer: no connection, a broken connection, or the deadline passed. */
export class UnreachableError extends Error {}

/** No byte came over a watch for its idle time. Either nothing happened, or the connection is dead. */
export class SilenceError extends Error {}

/** @param text the body of the answer: a Status object, or anything else if a proxy answered. */
export function apiErrorOf(call: string, code: number, text: string): ApiError {
  const { reason = 'Unknown', message = text.slice(0, 500), details } = readStatus(text);
  return new ApiError(message, { code, reason, call, causes: details?.causes ?? [] });
}

export const isNotFound = (error: unknown) => hasCode(error, 404);
/** The name is taken, or the object has another version or another uid than the request named. */
export const isConflict = (error: unknown) => hasCode(error, 409);
/** The API server no longer has the history since the requested version. The client must list again. */
export const isGone = (error: unknown) => hasCode(error, 410);
/** The API server rejects a merge patch with a uid as invalid if the object has another uid. */
export const isOtherUid = (error: unknown) =>
  error instanceof ApiError && error.code === 422 && error.causes.some(({ field }) => field === 'metadata.uid');
export const isNamespaceEnding = (error: unknown) =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');

function hasCode(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.code === code;
}

function readStatus(text: string): V1Status {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    // A proxy between us and the API server answered in its own format.
    return {};
  }
}

/** @returns undefined if there is no object of this name. */
export async function unlessNotFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
