/** Tokens that the controller signs with the installation's secret, one for each job. No server keeps them. */
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';

/** @returns `v1.<unix seconds>.<signature>`: allows its bearer to work on this job until `expiresAt`. */
export function issueJobToken(secret: Buffer, jobId: string, expiresAt: Date): string {
  const expires = Math.ceil(expiresAt.getTime() / 1000);
  return `v1.${expires}.${hmacOf(secret, signedText(jobId, String(expires)))}`;
}

/** @returns whether the text has the form of a token. */
export function isJobToken(token: string): boolean {
  return /^v1\.\d{1,12}\.[^.]+$/.test(token);
}

/** @returns why the token does not allow work on this job; undefined if it does. */
export function refuseJobToken(
  token: string,
  { secret, jobId, now }: { secret: Buffer; jobId: string; now: Date },
): string | undefined {
  if (!isJobToken(token)) return 'The token is malformed.';
  const [, expires = '', signature = ''] = token.split('.');
  if (!isSameSignature(signature, hmacOf(secret, signedText(jobId, expires)))) return 'The token is not for this job.';
  return Number(expires) * 1000 < now.getTime() ? 'The token has expired.' : undefined;
}

const signedText = (jobId: string, expires: string) => `job\n${jobId}\n${expires}`;
