/** What the pages sign: sessions, forms, share links. Each for its own purpose, so that none stands for another. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Session {
  readonly slug: string;
  readonly keyId: string;
  /** Unix seconds. */
  readonly expires: number;
}

/** The value of the session's cookie. The key itself is not in it; its id is looked up at each request. */
export function signSession(secret: Buffer, { slug, keyId, expires }: Session): string {
  return `v1.${keyId}.${expires}.${sign(secret, 'session', [slug, keyId, expires])}`;
}

/** @returns undefined for a cookie that is forged, of another organization, or over. */
export function readSession(secret: Buffer, slug: string, cookie: string): Session | undefined {
  const [version, keyId = '', expires = '', signature = '', ...rest] = cookie.split('.');
  if (version !== 'v1' || rest.length > 0 || !isFuture(expires)) return undefined;
  if (!isEqual(signature, sign(secret, 'session', [slug, keyId, expires]))) return undefined;
  return { slug, keyId, expires: Number(expires) };
}

/** What a form of this session carries, so that no other site can send it. */
export function formToken(secret: Buffer, { slug, keyId, expires }: Session): string {
  return sign(secret, 'form', [slug, keyId, expires]);
}

export function isFormToken(secret: Buffer, session: Session, given: string): boolean {
  return isEqual(given, formToken(secret, session));
}

/** The `s` of an address that shows one set to whoever has it. */
export function signShare(secret: Buffer, given: { slug: string; setId: string; expires: number }): string {
  return `v1.${given.expires}.${sign(secret, 'share', [given.slug, given.setId, given.expires])}`;
}

export function isShare(secret: Buffer, given: { slug: string; setId: string; token: string }): boolean {
  const [version, expires = '', signature = '', ...rest] = given.token.split('.');
  if (version !== 'v1' || rest.length > 0 || !isFuture(expires)) return false;
  return isEqual(signature, sign(secret, 'share', [given.slug, given.setId, expires]));
}

function isFuture(expires: string): boolean {
  return /^\d{1,12}$/.test(expires) && Number(expires) * 1000 > Date.now();
}

function sign(secret: Buffer, purpose: string, parts: readonly (string | number)[]): string {
  return createHmac('sha256', secret)
    .update(['pages', purpose, ...parts].join('\n'))
    .digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
