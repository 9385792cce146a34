/** Authentication of captures at the internal API. On one machine a token is for a job, in a cluster it is for a pod. */
import type { Response } from 'express';
import type { AttemptRef } from '../../core/jobs/attempts.ts';
import type { JobAccess } from '../../core/jobs/jobAccess.ts';
import { ForbiddenError, UnauthorizedError } from '../server/errors.ts';
import { isJobToken, refuseJobToken } from './jobToken.ts';

/** The job that a token allows; with `pod`, only that pod's index of the job. */
export interface CaptureCaller {
  readonly jobId: string;
  /** The pod that the token is bound to; undefined if tokens are for whole jobs. */
  readonly pod?: { readonly index: number; readonly uid: string };
  /** True: the job is a small set that the capture of another job took, and the caller is that capture. */
  readonly isHost?: boolean;
}

export interface CaptureAuthenticator {
  /**
   * @param source the IP address of the caller.
   * @throws UnauthorizedError, ForbiddenError, NotFoundError, UnavailableError
   */
  authenticate(token: string, jobId: string, source: string): Promise<CaptureCaller>;
}

/**
 * Accepts tokens that the controller signed with the installation's secret. Captures are then processes on this machine. A token of the
 * host's job is valid for the small set that it works on.
 */
export function jobTokenAuthenticator(
  secret: Buffer,
  findAccess: (jobId: string) => Promise<JobAccess | undefined>,
): CaptureAuthenticator {
  return {
    async authenticate(token, jobId) {
      const now = new Date();
      const reason = refuseJobToken(token, { secret, jobId, now });
      if (reason === undefined) return { jobId };
      const host = isJobToken(token) ? (await findAccess(jobId))?.host : undefined;
      if (host === undefined || refuseJobToken(token, { secret, jobId: host.jobId, now }) !== undefined)
        throw new UnauthorizedError(reason);
      return { jobId, isHost: true };
    },
  };
}

/** Keeps the authenticated caller for the handlers of this request. */
export function setCaller(res: Response, caller: CaptureCaller): void {
  res.locals['caller'] = caller;
}

/** @throws Error if the request was not authenticated. */
export function getCaller(res: Response): CaptureCaller {
  const caller: CaptureCaller | undefined = res.locals['caller'];
  if (caller === undefined) throw new Error('unreachable: the call was not authenticated');
  return caller;
}

/** @returns the attempt that a call names, if the caller may act for its index. @throws ForbiddenError */
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
    throw new ForbiddenError(`The token belongs to a pod of index ${pod.index}, not of index ${index}.`);
  }
}
