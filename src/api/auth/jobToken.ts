/** Authority without sessions: an HMAC-SHA256 with the installation's secret over what is allowed, and until when. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { PROTOCOL_VERSION } from '../../contract/captureProtocol.ts';

/** @returns `v1.<unix seconds>.<signature>`: lets its bearer work on this job until `expiresAt`. */
export function issueJobToken(secret: Buffer, jobId: string, expiresAt: Date): string {
  const expires = Math.ceil(expiresAt.getTime() / 1000);
  return `v1.${expires}.${sign(secret, `job\n${jobId}\n${expires}`)}`;
}

/** Why a token does not let its bearer work on this job, in words, or undefined when it does. */
export function refuseJobToken(
  token: string,
  { secret, jobId, now }: { secret: Buffer; jobId: string; now: Date },
): string | undefined {
  const [version, expires = '', signature = '', ...rest] = token.split('.');
  if (version !== 'v1' || rest.length > 0 || !/^\d{1,12}$/.test(expires)) return 'The token cannot be read.';
  if (!isEqual(signature, sign(secret, `job\n${jobId}\n${expires}`))) return 'The token is not for this job.';
  return Number(expires) * 1000 < now.getTime() ? 'The token has expired.' : undefined;
}

export type TransferMethod = 'GET' | 'PUT';

/** What is to be sent, to the byte. */
export interface TransferContent {
  readonly sha256: string;
  readonly bytes: number;
}

export interface SignedTransferParts {
  readonly method: TransferMethod;
  readonly key: string;
  readonly expiresAt: Date;
  /** Only of a PUT: the bytes that the address accepts. */
  readonly content?: TransferContent;
}

/** An address of the internal API itself that lets whoever has it read or write one artifact. */
export function signTransfer(
  secret: Buffer,
  internalUrl: string,
  { method, key, expiresAt, content }: SignedTransferParts,
): string {
  const expires = Math.ceil(expiresAt.getTime() / 1000);
  const path = key.split('/').map(encodeURIComponent).join('/');
  const bound = content === undefined ? '' : `&sha256=${content.sha256}&bytes=${content.bytes}`;
  const signature = sign(secret, signedText({ method, key, expires: String(expires), content }));
  return `${internalUrl}/internal/${PROTOCOL_VERSION}/artifacts/${path}?expires=${expires}${bound}&signature=${signature}`;
}

interface TransferText {
  readonly method: TransferMethod;
  readonly key: string;
  readonly expires: string;
  readonly content?: TransferContent | undefined;
}

const signedText = ({ method, key, expires, content }: TransferText) =>
  `${method}\n${key}\n${expires}${content === undefined ? '' : `\n${content.sha256}\n${content.bytes}`}`;

export interface SignedTransfer extends TransferText {
  readonly signature: string;
}

/** Why an address does not allow this, in words, or undefined when it does. */
export function refuseTransfer(
  { signature, ...transfer }: SignedTransfer,
  { secret, now }: { secret: Buffer; now: Date },
): string | undefined {
  const { expires } = transfer;
  if (!/^\d{1,12}$/.test(expires)) return 'The address cannot be read.';
  if (!isEqual(signature, sign(secret, signedText(transfer)))) return 'The address is not signed for this.';
  return Number(expires) * 1000 < now.getTime() ? 'The address has expired.' : undefined;
}

function sign(secret: Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
