/** URLs for the uploads and downloads of captures: URLs of the bucket, or of this API if artifacts are in a folder. */
import type { ArtifactStore } from '../../artifacts/store.ts';
import { PROTOCOL_VERSION } from '../../contract/protocolVersion.ts';
import { ResultFaultError } from '../../core/jobs/creativeResults.ts';
import type { AnimationFormat, WantedFilm } from '../../domain/animations.ts';
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';

/** The exact bytes of one artifact. */
export interface ArtifactContent {
  readonly sha256: string;
  readonly md5?: string | undefined;
  readonly bytes: number;
}

interface Transfer {
  /** `GET`, `PUT`, or another method, which no URL is signed for. */
  readonly method: string;
  readonly key: string;
  /** Unix seconds. */
  readonly expires: string;
  /** Only for PUT: the bytes that the URL accepts. */
  readonly content?: ArtifactContent | undefined;
}

/** @returns the type of a picture with this key. */
export const pictureType = (key: string) => `image/${key.slice(key.lastIndexOf('.') + 1)}`;

/** The key of a screenshot without its content; `withContent` adds that. */
export const screenshotKey = (id: string, attempt: number) => `screenshots/${id}/${attempt}.png`;

/** The same for the page on which it failed, without the ad. */
export const pagePictureKey = (id: string, attempt: number) => `screenshots/${id}/${attempt}-page.png`;

/** The same for a file of its animation. */
export const animationKey = (id: string, attempt: number, format: AnimationFormat) =>
  `screenshots/${id}/${attempt}.${format}`;

/** The same for the frames of an animation: PNGs in one file. */
export function filmKey(
  { jobId, adId, attempt, index }: { jobId: string; adId: string; attempt: number; index: number },
  { seconds, fps, ratio }: WantedFilm,
): string {
  return `creatives/${jobId}/${adId}/film-${seconds}-${fps}-${ratio}-${index}-${attempt}.png`;
}

/** The key of a frame without its content; `withContent` adds that. */
export function frameKey(
  { jobId, adId, attempt, index }: { jobId: string; adId: string; attempt: number; index: number },
  { marker_ms, ratio }: { marker_ms: number | null; ratio: number },
): string {
  // The key contains the index because an index may take over the claim of another one that has the same attempt number.
  return `creatives/${jobId}/${adId}/${marker_ms ?? 'default'}-${ratio}-${index}-${attempt}.png`;
}

export interface SignedUpload {
  readonly key: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Transfers {
  /** @returns a request that accepts exactly these bytes. */
  upload(key: string, content: ArtifactContent): Promise<SignedUpload>;
  download(key: string): Promise<string>;
}

export interface TransferOptions {
  readonly artifacts: ArtifactStore;
  /** The installation's secret; it signs URLs of this API. */
  readonly secret: Buffer;
  /** The address of this API for captures, without a slash at its end. */
  readonly internalUrl: string;
  /** The time limit for one run of a capture. */
  readonly podDeadlineSeconds: number;
  /** For one picture. */
  readonly maxUploadBytes?: number;
  /** For all pictures that this process receives at the same time. */
  readonly maxUploadBytesTogether?: number;
}

/** A capture uploads a picture immediately after it gets the URL. */
const UPLOAD_SECONDS = 15 * 60;

/** Download URLs are valid for a minute longer than a capture may run. */
export function createTransfers({ artifacts, secret, internalUrl, podDeadlineSeconds }: TransferOptions): Transfers {
  const downloadSeconds = podDeadlineSeconds + 60;
  const expiresAt = (seconds: number) => new Date(Date.now() + seconds * 1000);
  return {
    async upload(key, content) {
      const request = await artifacts.uploadRequest(key, { contentType: pictureType(key), ...content });
      if (request !== undefined) return { key, ...request };
      const url = signTransfer(secret, internalUrl, {
        method: 'PUT',
        key,
        expiresAt: expiresAt(UPLOAD_SECONDS),
        content,
      });
      return { key, url, headers: { 'content-type': pictureType(key) } };
    },
    async download(key) {
      const url = await artifacts.downloadUrl(key, { expiresInSeconds: downloadSeconds });
      return url ?? signTransfer(secret, internalUrl, { method: 'GET', key, expiresAt: expiresAt(downloadSeconds) });
    },
  };
}

/**
 * Checks that a reported picture was uploaded, because a customer would otherwise get a broken link. The artifact store compared the bytes
 * with the SHA-256 in the key during the upload. @throws ResultFaultError
 */
export async function requireUpload(
  artifacts: Pick<ArtifactStore, 'sizeOf'>,
  { key, bytes }: { readonly key: string; readonly bytes: number },
): Promise<void> {
  const size = await artifacts.sizeOf(key);
  if (size === undefined) throw new ResultFaultError(`Nothing was uploaded under ${key}.`);
  if (size !== bytes) throw new ResultFaultError(`${key} has ${size} bytes, but ${bytes} were reported.`);
}

/** Signed URLs of the internal API. Each one allows its bearer to read or write one artifact until it expires. */
export function signTransfer(
  secret: Buffer,
  internalUrl: string,
  { expiresAt, ...transfer }: Omit<Transfer, 'expires'> & { readonly expiresAt: Date },
): string {
  const { key, content } = transfer;
  const expires = String(Math.ceil(expiresAt.getTime() / 1000));
  const path = key.split('/').map(encodeURIComponent).join('/');
  const bound = content === undefined ? '' : `&sha256=${content.sha256}&bytes=${content.bytes}`;
  const signature = hmacOf(secret, signedText({ ...transfer, expires }));
  return `${internalUrl}/internal/${PROTOCOL_VERSION}/artifacts/${path}?expires=${expires}${bound}&signature=${signature}`;
}

/** @returns why the URL does not allow this transfer; undefined if it does. */
export function refuseTransfer(
  { signature, ...parts }: Transfer & { readonly signature: string },
  { secret, now }: { secret: Buffer; now: Date },
): string | undefined {
  const { expires } = parts;
  if (!/^\d{1,12}$/.test(expires)) return 'The signed URL is malformed.';
  if (!isSameSignature(signature, hmacOf(secret, signedText(parts)))) return 'The URL is not signed for this transfer.';
  return Number(expires) * 1000 < now.getTime() ? 'The signed URL has expired.' : undefined;
}

const signedText = ({ method, key, expires, content }: Transfer) =>
  `${method}\n${key}\n${expires}${content === undefined ? '' : `\n${content.sha256}\n${content.bytes}`}`;
