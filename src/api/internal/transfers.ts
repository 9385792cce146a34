/** Addresses to which captures upload and from which they read: the bucket's own, or this API's for a folder. */

import type { InternalApiOptions } from './options.ts';
import { signTransfer } from './token.ts';

export const PICTURE_TYPE = 'image/png';
/** Keys of frames of one job, of pictures of one attempt. */
export const screenshotKey = (id: string, attempt: number) => `screenshots/${id}/${attempt}.png`;

export function frameKey(
  { jobId, adId, attempt, index }: { jobId: string; adId: string; attempt: number; index: number },
  { marker_ms, ratio }: { marker_ms: number | null; ratio: number },
): string {
  // The index is part of it: two indexes may be at the same attempt, and one may have taken over the other's claim.
  return `creatives/${jobId}/${adId}/${marker_ms ?? 'default'}-${ratio}-${index}-${attempt}.png`;
}

export interface Transfers {
  upload(key: string): Promise<{ key: string; url: string }>;
  download(key: string): Promise<string>;
}

type TransferOptions = Pick<InternalApiOptions, 'artifacts' | 'secret' | 'internalUrl' | 'podDeadlineSeconds'>;

/** Addresses hold as long as a capture may run, and a minute. */
export function createTransfers({ artifacts, secret, internalUrl, podDeadlineSeconds }: TransferOptions): Transfers {
  const expiresInSeconds = podDeadlineSeconds + 60;
  const own = (method: 'GET' | 'PUT', key: string) =>
    signTransfer(secret, internalUrl, { method, key, expiresAt: new Date(Date.now() + expiresInSeconds * 1000) });
  return {
    async upload(key) {
      const url = await artifacts.uploadUrl(key, { contentType: PICTURE_TYPE, expiresInSeconds });
      return { key, url: url ?? own('PUT', key) };
    },
    async download(key) {
      return (await artifacts.downloadUrl(key, { expiresInSeconds })) ?? own('GET', key);
    },
  };
}
