/** Calls the capture protocol as a test wants it called. */
import { createHash } from 'node:crypto';

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

/** @param version of the protocol; the one before unless given, which captures of before speak. */
export function captureClient(internalUrl: string, jobId: string, token: string, version = 'v1'): CaptureClient {
  return {
    async call<T>(path: string, body: object) {
      const response = await fetch(`${internalUrl}/internal/${version}/jobs/${jobId}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
      return { status: response.status, body: (await response.json()) as T };
    },
  };
}
