/** Signatures of sessions and forms. Each signature includes its purpose, so that none is valid for another purpose. */
import { randomBytes } from 'node:crypto';
import { hmacOf, isSameSignature } from '../lib/hmac.ts';

export interface Session {
  /** Random, so that one session can end before the others of its key. */
  readonly id: string;
  readonly slug: string;
  readonly keyId: string;
  /** Unix seconds. */
  readonly expires: number;
}

/** @returns the cookie of a session. It contains the id of the key; each request checks the key in PostgreSQL. */
export function signSession(secret: Buffer, { slug, keyId, expires, id = newSessionId() }: NewSession): string {
  return `v2.${keyId}.${expires}.${id}.${sign(secret, 'session', [slug, keyId, expires, id])}`;
}

type NewSession = Omit<Session, 'id'> & { readonly id?: string };
export const newSessionId = () => randomBytes(12).toString('base64url');

/** @returns undefined for a cookie that is forged, expired, or of another organization. */
export function readSession(secret: Buffer, slug: string, cookie: string): Session | undefined {
  const [version, keyId = '', expires = '', id = '', signature = '', ...rest] = cookie.split('.');
  if (version !== 'v2' || rest.length > 0 || !isFuture(expires)) return undefined;
  if (!isSameSignature(signature, sign(secret, 'session', [slug, keyId, expires, id]))) return undefined;
  return { id, slug, keyId, expires: Number(expires) };
}

/** @returns the token that the forms of this session contain, because another site cannot know it. */
export function formToken(secret: Buffer, { slug, keyId, expires, id }: Session): string {
  return sign(secret, 'form', [slug, keyId, expires, id]);
}

export function isFormToken(secret: Buffer, session: Session, given: string): boolean {
  return isSameSignature(given, formToken(secret, session));
}

function isFuture(expires: string): boolean {
  return /^\d{1,12}$/.test(expires) && Number(expires) * 1000 > Date.now();
}

function sign(secret: Buffer, purpose: string, parts: readonly (string | number)[]): string {
  return hmacOf(secret, ['pages', purpose, ...parts].join('\n'));
}
