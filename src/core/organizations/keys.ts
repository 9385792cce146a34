/** Changes to the keys of an organization. Each one is part of a transaction. */

import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { conflict, notFound } from '../../domain/failure.ts';
import { KEYS_MAX, type Scope } from '../../domain/keys.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { findKeyRow, insertKey, type KeyRow, lockActiveKeys } from './keyList.ts';

export interface WantedKey {
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | undefined;
}

/**
 * @returns the row and the key itself, which cannot be read again.
 * @throws Failure (409) if there are too many keys, but not for the operator.
 */
export async function createApiKey(
  transaction: Queryable,
  { organizationId, name, scopes, expiresAt }: WantedKey,
  actor: Actor,
): Promise<{ row: KeyRow; key: string }> {
  const { count } = await lockActiveKeys(transaction, organizationId);
  if (count >= KEYS_MAX && actor.type !== 'operator')
    throw conflict('keys', `are ${count} already, and an organization has at most ${KEYS_MAX}: revoke one first.`);
  const wanted = {
    organizationId,
    name: name.trim(),
    scopes,
    createdBy: actor,
    ...(expiresAt && { expiresAt }),
  };
  const { id, text } = await insertKey(transaction, wanted);
  const row = await findKeyRow(transaction, { organizationId, id });
  if (row === undefined) throw new Error('unreachable: the key was just stored');
  const to = { name: row.name, scopes: row.scopes, expires_at: row.expires_at };
  await recordAction(transaction, actor, { action: 'api_key.created', of: { organizationId, id }, to });
  return { row, key: text };
}

/**
 * Revokes a key at once. A key that is already revoked stays as it is.
 * @throws Failure: 404 if the organization has no such key, 409 for its last one with the scope admin, but not for the operator.
 */
export async function revokeApiKey(
  transaction: Queryable,
  { organizationId, id }: ObjectRef,
  actor: Actor,
): Promise<KeyRow> {
  const { admins } = await lockActiveKeys(transaction, organizationId);
  const before = await findKeyRow(transaction, { organizationId, id });
  if (before === undefined) throw unknownKey();
  if (before.revoked_at !== null) return before;
  if (admins.length === 1 && admins[0] === id && actor.type !== 'operator')
    throw conflict('id', 'is the last key with the scope admin: create another one first.');
  await transaction.updateTable('api_keys').set({ revoked_at: sql<Date>`now()` }).where('id', '=', id).execute();
  const row = await findKeyRow(transaction, { organizationId, id });
  if (row === undefined) throw unknownKey();
  const from = { name: row.name, scopes: row.scopes };
  await recordAction(transaction, actor, { action: 'api_key.revoked', of: { organizationId, id }, from });
  return row;
}

const unknownKey = () => notFound('id', 'This organization has no such key.');
