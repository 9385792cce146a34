import { createHash } from 'node:crypto';

/** @returns the digest in lower-case hexadecimal. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function sha256Bytes(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
