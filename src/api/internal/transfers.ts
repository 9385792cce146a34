/** Addresses to which captures upload and from which they read: the bucket's own, or this API's for a folder. */

import type { ProtocolVersion } from '../../contract/captureProtocol.ts';
import type { InternalApiOptions } from './options.ts';
import { type Content, signTransfer } from './token.ts';

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

/** Under which it is kept: the bytes are a part of it, so that nothing else ever stands where they were reported to be. */
export function withContent(key: string, sha256: string): string {
  return key.endsWith(`-${sha256}.png`) ? key : key.replace(/\.png$/, `-${sha256}.png`);
}

/** A capture of before, or one that speaks to an API of before, names the key without its content. */
export function namesKey(reported: { key: string; sha256: string }, key: string): boolean {
  return reported.key === key || reported.key === withContent(key, reported.sha256);
}

export interface UploadAddress {
  readonly key: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Transfers {
  /** Version 1: where a capture sends what it does not know yet; undefined in version 2, where it asks once it knows. */
  promised(key: string): { key: string; url: string } | undefined;
  /** For these bytes alone. */
  upload(key: string, content: Content): Promise<UploadAddress>;
  download(key: string): Promise<string>;
}

type TransferOptions = Pick<InternalApiOptions, 'artifacts' | 'secret' | 'internalUrl' | 'podDeadlineSeconds'>;

/** Of an upload whose bytes are known: it is sent at once. */
const UPLOAD_SECONDS = 15 * 60;

/** Other addresses hold as long as a capture may run, and a minute. */
export function createTransfers(
  { artifacts, secret, internalUrl, podDeadlineSeconds }: TransferOptions,
  version: ProtocolVersion,
): Transfers {
  const expiresInSeconds = podDeadlineSeconds + 60;
  const expiresAt = (seconds: number) => new Date(Date.now() + seconds * 1000);
  return {
    promised(key) {
      if (version !== 'v1') return undefined;
      // By way of this API also where there is a bucket: it takes nothing that is too large, and replaces nothing that was reported.
      const url = signTransfer(secret, internalUrl, { method: 'PUT', key, expiresAt: expiresAt(expiresInSeconds) });
      return { key, url };
    },
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
