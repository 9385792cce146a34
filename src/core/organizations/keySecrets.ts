/** Makes API keys and checks their secrets. */
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { formatKey, type ParsedKey } from '../../domain/keys.ts';
import { sha256Bytes } from '../../lib/sha256.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface NewKey extends ParsedKey {
  /** As the client holds it; shown once. */
  readonly text: string;
  /** The stored hash of the secret. */
  readonly sha256: Buffer;
}

export function newKey(): NewKey {
  const id = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const secret = randomBytes(32).toString('base64url');
  return { id, secret, text: formatKey({ id, secret }), sha256: sha256Bytes(secret) };
}

/** Takes the same time wherever the two differ. */
export function matchesSecret(secret: string, stored: Buffer): boolean {
  const given = sha256Bytes(secret);
  return stored.length === given.length && timingSafeEqual(given, stored);
}
