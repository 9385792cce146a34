/** Who calls the internal API, as far as the token proves it. On one machine the token names a job, in a cluster a pod. */
import type { AttemptRef } from '../../workflow/attempts.ts';
import { refuseJobToken } from './jobToken.ts';

/** What the bearer of a token may do: all calls of a job, or those of one index by one pod. */
export interface CaptureCaller {
  readonly jobId: string;
  /** Of the pod that the token is bound to; undefined where tokens are of a job as a whole. */
  readonly pod?: { readonly index: number; readonly uid: string };
}

export interface CaptureAuthenticator {
  /** @param source the address that the call came from @throws UnauthorizedError, ForbiddenError, UnavailableError */
  admit(token: string, jobId: string, source: string): Promise<CaptureCaller>;
}

/** The token proves nothing: 401. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
}

/** It proves something else than what is asked for: 403. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
}

/** It cannot be told now, perhaps in a moment: 503. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** There is no room for it now: 503, with the seconds after which there may be. */
export class OverloadedError extends UnavailableError {
  readonly retryAfterSeconds = 1;
}

/** Tokens that the controller signed with the installation's secret: captures are processes beside this one. */
export function jobTokenAuthenticator(secret: Buffer): CaptureAuthenticator {
  return {
    async admit(token, jobId) {
      const reason = refuseJobToken(token, { secret, jobId, now: new Date() });
      if (reason !== undefined) throw new UnauthorizedError(reason);
      return { jobId };
    },
  };
}

/** @returns the run that a call names, once it is the caller's own. @throws ForbiddenError */
export function requireAttempt(
  caller: CaptureCaller,
  { index, attempt }: Omit<AttemptRef, 'jobId' | 'pod'>,
): AttemptRef {
  requireIndex(caller, index);
  const { jobId, pod } = caller;
  return { jobId, index, attempt, ...(pod && { pod: pod.uid }) };
}

/** @throws ForbiddenError */
export function requireIndex({ pod }: CaptureCaller, index: number): void {
  if (pod !== undefined && pod.index !== index) {
    throw new ForbiddenError(`The token is of a pod of index ${pod.index}, not of index ${index}.`);
  }
}
