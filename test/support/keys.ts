import { insertKey } from '../../src/core/organizations/keyList.ts';
import type { KeyOptions } from '../../src/core/organizations/operator.ts';
import { requireOrganization } from '../../src/core/organizations/organizations.ts';
import type { Queryable } from '../../src/db/database.ts';
import { SCOPES } from '../../src/domain/keys.ts';

/** Stores a key with all scopes unless given, without an entry in the audit log. */
export async function createKey(db: Queryable, slug: string, options: KeyOptions = {}) {
  const { name = '', scopes = SCOPES, expiresAt } = options;
  const { id: organizationId } = await requireOrganization(db, slug);
  const key = await insertKey(db, { organizationId, name, scopes, ...(expiresAt && { expiresAt }) });
  return { api_key: key.text, id: key.id };
}
