/** Passwords of share links. A browser that knew the password shows a token, so that it need not send it again. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Row } from '../../db/rows.ts';
import { shareState } from '../../domain/shareLinks.ts';
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const scryptOf = promisify<string, Buffer, number, Buffer>(scrypt);

/** @returns a salt and the scrypt hash. It takes about 50 ms and 16 MB. */
export async function hashPassword(password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<Buffer> {
  return Buffer.concat([salt, await scryptOf(password.normalize(), salt, HASH_BYTES)]);
}

type Locked = Pick<Row<'share_links'>, 'password_hash'>;

/** @returns whether the link has this password. Limit the attempts. */
export async function verifySharePassword({ password_hash: hash }: Locked, password: string): Promise<boolean> {
  if (hash === null) return false;
  return timingSafeEqual(hash, await hashPassword(password, hash.subarray(0, SALT_BYTES)));
}

/** @returns a token in place of the password, for a cookie. @param secret of the installation. */
export function unlockToken(secret: Buffer, { password_hash: hash }: Locked): string {
  // The salt makes it differ between links.
  return hmacOf(secret, `share password\n${hash?.toString('base64') ?? ''}`);
}

export interface ShareKey {
  /** See {@link unlockToken}. One of them must fit. */
  readonly tokens: readonly string[];
  /** The secret of the installation. */
  readonly secret: Buffer;
}

/** Why a link shows nothing. `locked`: its password is missing. */
export type ShareFault = 'revoked' | 'expired' | 'disabled' | 'locked';

interface Opened extends Locked, Pick<Row<'share_links'>, 'expires_at' | 'revoked_at'> {
  /** Whether the organization is disabled. */
  readonly disabled: boolean;
}

/** @returns undefined if the link shows its pictures to this reader. */
export function shareFault(link: Opened, { tokens, secret }: ShareKey, now = new Date()): ShareFault | undefined {
  const state = shareState(link, now);
  if (state !== 'active') return state;
  if (link.disabled) return 'disabled';
  const expected = unlockToken(secret, link);
  return link.password_hash === null || tokens.some((token) => isSameSignature(token, expected)) ? undefined : 'locked';
}
