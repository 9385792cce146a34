import type { Queryable } from '../../db/database.ts';
import type { Scope } from '../../domain/keys.ts';
import { type NewKey, newKey } from './secrets.ts';

/** Makes a key and stores the hash of its secret. */
export async function insertKey(
  db: Queryable,
  given: { organizationId: string; name: string; scopes: readonly Scope[]; expiresAt?: Date; createdBy?: string },
): Promise<NewKey> {
  const key = newKey();
  await db
    .insertInto('api_keys')
    .values({
      id: key.id,
      organization_id: given.organizationId,
      name: given.name,
      secret_sha256: key.sha256,
      scopes: [...given.scopes],
      expires_at: given.expiresAt ?? null,
      created_by: given.createdBy ?? null,
    })
    .execute();
  return key;
}
