/** Signed URLs of the internal API. Each one allows its bearer to read or write one artifact until it expires. */
import { PROTOCOL_VERSION } from '../../contract/captureProtocol.ts';
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';

/** The exact bytes of one artifact. */
export interface ArtifactContent {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Transfer {
  readonly method: 'GET' | 'PUT';
  readonly key: string;
  readonly expiresAt: Date;
  /** Only for PUT: the bytes that the URL accepts. */
  readonly content?: ArtifactContent;
}

export function signTransfer(
  secret: Buffer,
  internalUrl: string,
  { method, key, expiresAt, content }: Transfer,
): string {
  const expires = Math.ceil(expiresAt.getTime() / 1000);
  const path = key.split('/').map(encodeURIComponent).join('/');
  const bound = content === undefined ? '' : `&sha256=${content.sha256}&bytes=${content.bytes}`;
  const signature = hmacOf(secret, signedText({ method, key, expires: String(expires), content }));
  return `${internalUrl}/internal/${PROTOCOL_VERSION}/artifacts/${path}?expires=${expires}${bound}&signature=${signature}`;
}

interface SignedParts {
  /** `GET`, `PUT`, or another method, which no URL is signed for. */
  readonly method: string;
  readonly key: string;
  /** Unix seconds. */
  readonly expires: string;
  readonly content?: ArtifactContent | undefined;
}

export interface SignedTransfer extends SignedParts {
  readonly signature: string;
}

/** @returns why the URL does not allow this transfer; undefined if it does. */
export function refuseTransfer(
  { signature, ...parts }: SignedTransfer,
  { secret, now }: { secret: Buffer; now: Date },
): string | undefined {
  const { expires } = parts;
  if (!/^\d{1,12}$/.test(expires)) return 'The signed URL is malformed.';
  if (!isSameSignature(signature, hmacOf(secret, signedText(parts)))) return 'The URL is not signed for this transfer.';
  return Number(expires) * 1000 < now.getTime() ? 'The signed URL has expired.' : undefined;
}

const signedText = ({ method, key, expires, content }: SignedParts) =>
  `${method}\n${key}\n${expires}${content === undefined ? '' : `\n${content.sha256}\n${content.bytes}`}`;
