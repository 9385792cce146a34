import { createHmac, timingSafeEqual } from 'node:crypto';

/** @returns the HMAC-SHA256 of the text in base64url. */
export function hmacOf(secret: Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Compares signatures in constant time, so that the response time reveals nothing about the expected signature. */
export function isSameSignature(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
