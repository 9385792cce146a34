/** Changes to the keys of an organization. Each one is part of a transaction. */
import { conflict, notFound } from '../domain/failure.ts';
import { KEYS_MAX, type Scope } from '../domain/keys.ts';
import type { Queryable } from '../store/database/database.ts';
import { insertKey } from '../store/organizations/insertKey.ts';
import { findKeyRow, type KeyRow, lockActiveKeys, setKeyRevoked } from '../store/organizations/keyList.ts';

export interface WantedKey {
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | undefined;
  /** Id of the key that creates it. */
  readonly createdBy: string;
}

/** @returns the row and the key itself, which cannot be read again. @throws Failure (409) if there are too many keys. */
export async function createApiKey(
  transaction: Queryable,
  { organizationId, name, scopes, expiresAt, createdBy }: WantedKey,
): Promise<{ row: KeyRow; key: string }> {
  const { count } = await lockActiveKeys(transaction, organizationId);
  if (count >= KEYS_MAX)
    throw conflict('keys', `are ${count} already, and an organization has at most ${KEYS_MAX}: revoke one first.`);
  const wanted = { organizationId, name: name.trim(), scopes, createdBy, ...(expiresAt && { expiresAt }) };
  const { id, text } = await insertKey(transaction, wanted);
  const row = await findKeyRow(transaction, { organizationId, id });
  if (row === undefined) throw new Error('unreachable: the key was just stored');
  return { row, key: text };
}

/**
 * Revokes a key at once. A key that is already revoked stays as it is.
 * @throws Failure: 404 if the organization has no such key, 409 for its last one with the scope admin.
 */
export async function revokeApiKey(
  transaction: Queryable,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<KeyRow> {
  const { admins } = await lockActiveKeys(transaction, organizationId);
  if ((await findKeyRow(transaction, { organizationId, id })) === undefined) throw unknownKey();
  if (admins.length === 1 && admins[0] === id)
    throw conflict('id', 'is the last key with the scope admin: create another one first.');
  await setKeyRevoked(transaction, id);
  const row = await findKeyRow(transaction, { organizationId, id });
  if (row === undefined) throw unknownKey();
  return row;
}

const unknownKey = () => notFound('id', 'This organization has no such key.');
