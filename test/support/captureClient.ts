/** Calls the capture protocol as a test wants it called. */
import { createHash } from 'node:crypto';
import type { DeclaredUploads } from '../../src/contract/captureProtocol.ts';
import { PROTOCOL_VERSION } from '../../src/contract/protocolVersion.ts';

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const PNG_FACTS = {
  sha256: createHash('sha256').update(PNG).digest('hex'),
  bytes: PNG.length,
  width: 1,
  height: 1,
};

export interface Answered<T> {
  readonly status: number;
  readonly body: T;
}

export interface CaptureClient {
  call<T = unknown>(path: string, body: object): Promise<Answered<T>>;
}

export function captureClient(internalUrl: string, jobId: string, token: string): CaptureClient {
  return {
    async call<T>(path: string, body: object) {
      const response = await fetch(`${internalUrl}/internal/${PROTOCOL_VERSION}/jobs/${jobId}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      return { status: response.status, body: (await response.json()) as T };
    },
  };
}

/**
 * Declares the small PNG for each picture and uploads it.
 * @param pictures each `{kind: 'screenshot', id}` or `{kind: 'frame', ad_id, marker_ms, ratio}`.
 * @returns their keys, in their order.
 */
export async function uploadPng(
  call: (path: string, body: object) => Promise<DeclaredUploads>,
  bound: { readonly index: number; readonly attempt: number },
  pictures: readonly object[],
): Promise<string[]> {
  const { sha256, bytes } = PNG_FACTS;
  const declared = pictures.map((picture) => ({ ...picture, sha256, bytes }));
  const { uploads } = await call('uploads', { ...bound, uploads: declared });
  for (const { url, headers } of uploads) {
    const request = { method: 'PUT', headers, body: new Uint8Array(PNG), signal: AbortSignal.timeout(30_000) };
    const response = await fetch(url, request);
    if (!response.ok) throw new Error(`PUT: ${response.status} ${await response.text()}`);
  }
  return uploads.map(({ key }) => key);
}
