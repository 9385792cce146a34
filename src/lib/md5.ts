import { createHash } from 'node:crypto';

/** @returns the value of the header Content-MD5. */
export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('base64');
}
