/** Addresses to which captures upload and from which they read: the bucket's own, or this API's for a folder. */

import { signTransfer, type TransferContent } from '../auth/jobToken.ts';
import type { InternalApiOptions } from '../internal/options.ts';

export const PICTURE_TYPE = 'image/png';

/** Keys name a picture without its content; {@link withContent} adds that. */
export const screenshotKey = (id: string, attempt: number) => `screenshots/${id}/${attempt}.png`;

export function frameKey(
  { jobId, adId, attempt, index }: { jobId: string; adId: string; attempt: number; index: number },
  { marker_ms, ratio }: { marker_ms: number | null; ratio: number },
): string {
  // The index is part of it: two indexes may be at the same attempt, and one may have taken over the other's claim.
  return `creatives/${jobId}/${adId}/${marker_ms ?? 'default'}-${ratio}-${index}-${attempt}.png`;
}

/** @returns the key under which the content is kept. The SHA-256 is part of it, so that no upload replaces a picture that was reported. */
export function withContent(key: string, sha256: string): string {
  return key.replace(/\.png$/, `-${sha256}.png`);
}

export interface UploadAddress {
  readonly key: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Transfers {
  /** For these bytes alone. */
  upload(key: string, content: TransferContent): Promise<UploadAddress>;
  download(key: string): Promise<string>;
}

type TransferOptions = Pick<InternalApiOptions, 'artifacts' | 'secret' | 'internalUrl' | 'podDeadlineSeconds'>;

/** Of an upload whose bytes are known: it is sent at once. */
const UPLOAD_SECONDS = 15 * 60;

/** Addresses of downloads hold a minute longer than a capture may run. */
export function createTransfers({ artifacts, secret, internalUrl, podDeadlineSeconds }: TransferOptions): Transfers {
  const expiresInSeconds = podDeadlineSeconds + 60;
  const expiresAt = (seconds: number) => new Date(Date.now() + seconds * 1000);
  return {
    async upload(key, content) {
      const request = await artifacts.uploadRequest(key, { contentType: PICTURE_TYPE, ...content });
      if (request !== undefined) return { key, ...request };
      const transfer = { method: 'PUT', key, expiresAt: expiresAt(UPLOAD_SECONDS), content } as const;
      return { key, url: signTransfer(secret, internalUrl, transfer), headers: { 'content-type': PICTURE_TYPE } };
    },
    async download(key) {
      const own = () =>
        signTransfer(secret, internalUrl, { method: 'GET', key, expiresAt: expiresAt(expiresInSeconds) });
      return (await artifacts.downloadUrl(key, { expiresInSeconds })) ?? own();
    },
  };
}
