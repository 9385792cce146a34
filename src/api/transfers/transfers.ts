/** URLs for the uploads and downloads of captures: URLs of the bucket, or of this API if artifacts are in a folder. */
import type { ArtifactStore } from '../../artifacts/store.ts';
import { type ArtifactContent, signTransfer } from './signedUrls.ts';

export const PICTURE_TYPE = 'image/png';

/** The key of a screenshot without its content; `withContent` adds that. */
export const screenshotKey = (id: string, attempt: number) => `screenshots/${id}/${attempt}.png`;

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
      const request = await artifacts.uploadRequest(key, { contentType: PICTURE_TYPE, ...content });
      if (request !== undefined) return { key, ...request };
      const url = signTransfer(secret, internalUrl, {
        method: 'PUT',
        key,
        expiresAt: expiresAt(UPLOAD_SECONDS),
        content,
      });
      return { key, url, headers: { 'content-type': PICTURE_TYPE } };
    },
    async download(key) {
      const url = await artifacts.downloadUrl(key, { expiresInSeconds: downloadSeconds });
      return url ?? signTransfer(secret, internalUrl, { method: 'GET', key, expiresAt: expiresAt(downloadSeconds) });
    },
  };
}
