/** Links that sign a person in once. Only hashes of their tokens are stored. */
import { randomBytes } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { sha256Bytes } from '../../lib/sha256.ts';

export const LINK_MINUTES = 10;

interface WantedLink {
  readonly userId: string;
  /** The random text in the cookie of the browser that asked; undefined for a link from the operator's command line. */
  readonly browser: string | undefined;
  /** The page to open afterwards; '' for the first one. */
  readonly next: string;
}

/** @returns the token of the link. */
export async function createSignInLink(tx: Queryable, { userId, browser, next }: WantedLink): Promise<string> {
  await tx.deleteFrom('sign_in_links').where('expires_at', '<', sql<Date>`now()`).execute();
  const token = randomBytes(32).toString('base64url');
  await tx
    .insertInto('sign_in_links')
    .values({
      token_sha256: sha256Bytes(token),
      user_id: userId,
      browser_sha256: browser === undefined ? null : sha256Bytes(browser),
      next,
      expires_at: sql<Date>`now() + make_interval(mins => ${LINK_MINUTES})`,
    })
    .execute();
  return token;
}

interface SentLink {
  readonly token: string;
  /** The cookies of the browser that opens the link. */
  readonly browsers: readonly string[];
}

const isValid = ({ token, browsers }: SentLink): RawBuilder<boolean> => sql`
  token_sha256 = ${sha256Bytes(token)} and expires_at > now()
  and (browser_sha256 is null or browser_sha256 = any(${browsers.map(sha256Bytes)}::bytea[]))`;

/** Whether this browser can sign in with the link. Does not use it up, because programs that check mails open links. */
export async function isSignInLink(db: Queryable, link: SentLink): Promise<boolean> {
  const row = await db.selectFrom('sign_in_links').select('user_id').where(isValid(link)).executeTakeFirst();
  return row !== undefined;
}

/** Uses the link up. @returns undefined if it is unknown, used, expired, or of another browser. */
export async function takeSignInLink(
  tx: Queryable,
  link: SentLink,
): Promise<{ user_id: string; next: string } | undefined> {
  return tx.deleteFrom('sign_in_links').where(isValid(link)).returning(['user_id', 'next']).executeTakeFirst();
}
