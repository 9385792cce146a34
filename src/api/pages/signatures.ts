/** Signatures of sessions, forms and share links. Each signature includes its purpose, so that none is valid for another purpose. */
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';

export interface Session {
  readonly slug: string;
  readonly keyId: string;
  /** Unix seconds. */
  readonly expires: number;
}

/** @returns the cookie of a session. It contains the id of the key; each request checks the key in PostgreSQL. */
export function signSession(secret: Buffer, { slug, keyId, expires }: Session): string {
  return `v1.${keyId}.${expires}.${sign(secret, 'session', [slug, keyId, expires])}`;
}

/** @returns undefined for a cookie that is forged, expired, or of another organization. */
export function readSession(secret: Buffer, slug: string, cookie: string): Session | undefined {
  const [version, keyId = '', expires = '', signature = '', ...rest] = cookie.split('.');
  if (version !== 'v1' || rest.length > 0 || !isFuture(expires)) return undefined;
  if (!isSameSignature(signature, sign(secret, 'session', [slug, keyId, expires]))) return undefined;
  return { slug, keyId, expires: Number(expires) };
}

/** @returns the token that the forms of this session contain, because another site cannot know it. */
export function formToken(secret: Buffer, { slug, keyId, expires }: Session): string {
  return sign(secret, 'form', [slug, keyId, expires]);
}

export function isFormToken(secret: Buffer, session: Session, given: string): boolean {
  return isSameSignature(given, formToken(secret, session));
}

/** @returns the query parameter `s` of a share link, which shows one set without a key. */
export function signShare(secret: Buffer, given: { slug: string; setId: string; expires: number }): string {
  return `v1.${given.expires}.${sign(secret, 'share', [given.slug, given.setId, given.expires])}`;
}

export function isShare(secret: Buffer, given: { slug: string; setId: string; token: string }): boolean {
  const [version, expires = '', signature = '', ...rest] = given.token.split('.');
  if (version !== 'v1' || rest.length > 0 || !isFuture(expires)) return false;
  return isSameSignature(signature, sign(secret, 'share', [given.slug, given.setId, expires]));
}

function isFuture(expires: string): boolean {
  return /^\d{1,12}$/.test(expires) && Number(expires) * 1000 > Date.now();
}

function sign(secret: Buffer, purpose: string, parts: readonly (string | number)[]): string {
  return hmacOf(secret, ['pages', purpose, ...parts].join('\n'));
}
