import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { ParsedKey } from '../../domain/keys.ts';
import { matchesSecret } from './keySecrets.ts';

/** The organization and the scopes of a valid key. */
export interface KeyHolder {
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly organization: { readonly id: string; readonly slug: string; readonly disabled: boolean };
}

/** Whether the stored last use is more than a minute ago. */
const isUseOld = sql<boolean>`last_used_at is null or last_used_at < now() - interval '1 minute'`.as('is_use_old');

/** Stores the time of a use. Requests that would do so at the same time do not wait for each other. */
async function noteKeyUse(db: Queryable, id: string): Promise<void> {
  await sql`update api_keys set last_used_at = now() where id =
    (select id from api_keys where id = ${id} for no key update skip locked)`.execute(db);
}

/** Compared with where no such key is, so that both take the same time. */
const NO_SECRET = Buffer.alloc(32);

/** @returns undefined for an unknown, revoked or expired key, or a wrong secret. */
export async function authenticate(db: Queryable, key: ParsedKey): Promise<KeyHolder | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select(['secret_sha256', 'scopes', 'expires_at', 'revoked_at', 'organization_id', 'slug', 'disabled_at'])
    .select(isUseOld)
    .where('api_keys.id', '=', key.id)
    .executeTakeFirst();
  const matches = matchesSecret(key.secret, row?.secret_sha256 ?? NO_SECRET);
  if (row === undefined || !matches || row.revoked_at !== null) return undefined;
  if (row.expires_at !== null && row.expires_at.getTime() <= Date.now()) return undefined;
  if (row.is_use_old) await noteKeyUse(db, key.id);
  const organization = { id: row.organization_id, slug: row.slug, disabled: row.disabled_at !== null };
  return { keyId: key.id, scopes: row.scopes, organization };
}

/** Reads the key of a session. @returns undefined for a key that is revoked, expired or of another organization, or an ended session. */
export async function findLiveKey(
  db: Queryable,
  { keyId, slug, sessionId }: { keyId: string; slug: string; sessionId?: string },
): Promise<{ organizationId: string; name: string; scopes: readonly string[]; disabled: boolean } | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select(['organization_id', 'api_keys.name', 'scopes', 'disabled_at'])
    .select(isUseOld)
    .where('api_keys.id', '=', keyId)
    .where('slug', '=', slug)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .where(sql<boolean>`not exists (select from ended_sessions where id = ${sessionId ?? null})`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.is_use_old) await noteKeyUse(db, keyId);
  const { organization_id: organizationId, name, scopes, disabled_at } = row;
  return { organizationId, name, scopes, disabled: disabled_at !== null };
}

/** Ends a session for good, and forgets those that would have expired by now. */
export async function endSession(db: Queryable, { id, expires }: { id: string; expires: Date }): Promise<void> {
  await db.deleteFrom('ended_sessions').where('expires_at', '<', sql<Date>`now()`).execute();
  await db
    .insertInto('ended_sessions')
    .values({ id, expires_at: expires })
    .onConflict((on) => on.doNothing())
    .execute();
}
