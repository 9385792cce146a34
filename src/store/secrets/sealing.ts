/** Encrypts secrets before they are stored. Without a key ring, they are stored as they are. */
import { isSealed, type KeyRing, missingKey, SEALED_PREFIX } from '../../lib/keyRing.ts';
import type { Queryable } from '../database/database.ts';
import { KeyRingPlugin } from '../database/keyRingPlugin.ts';

/** Where a secret is stored. It is part of what is sealed, so a secret opens only in its own row and column. */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  /** The id of the row. */
  readonly id: string;
}

export function keyRingOf(db: Queryable): KeyRing | undefined {
  return db.getExecutor().plugins.find((plugin) => plugin instanceof KeyRingPlugin)?.keyRing;
}

/** @returns the text to store: sealed if the database has a key ring. */
export function sealSecret(db: Queryable, secret: string, place: SecretPlace): string {
  return keyRingOf(db)?.seal(secret, nameOf(place)) ?? secret;
}

/** Rows from before encryption hold the secret itself. @throws Error if its key is missing, or if it belongs to another place. */
export function openSecret(db: Queryable, stored: string, place: SecretPlace): string {
  if (!isSealed(stored)) return stored;
  const keyRing = keyRingOf(db);
  if (keyRing === undefined) {
    const [keyId = ''] = stored.slice(SEALED_PREFIX.length).split(':');
    throw new Error(missingKey(keyId, nameOf(place)));
  }
  return keyRing.open(stored, nameOf(place));
}

/** The two webhook secrets of an organization share a place, because a rotation moves the text from one column to the other. */
export function webhookSecretPlace(organizationId: string): SecretPlace {
  return { table: 'organizations', column: 'webhook_secret', id: organizationId };
}

/** The connectors of one organization share a place. */
export function connectorSecretPlace(organizationId: string): SecretPlace {
  return { table: 's3_connectors', column: 'secret_access_key', id: organizationId };
}

/** The two secrets of a webhook endpoint share a place, for the same reason. */
export function endpointSecretPlace(endpointId: string): SecretPlace {
  return { table: 'webhook_endpoints', column: 'secret', id: endpointId };
}

/** Headers that an organization gives its endpoint often hold a token. */
export function endpointHeadersPlace(endpointId: string): SecretPlace {
  return { table: 'webhook_endpoints', column: 'headers', id: endpointId };
}

/** An answer that holds a secret is kept for a repeated request with its `Idempotency-Key`, at most for days. */
export function answerPlace(organizationId: string): SecretPlace {
  return { table: 'idempotency_keys', column: 'response', id: organizationId };
}

/** The secret of the installation is stored as bytes, and sealed in base64. */
export const INSTALLATION_PLACE: SecretPlace = { table: 'installation', column: 'secret', id: 'installation' };

function nameOf({ table, column, id }: SecretPlace): string {
  return `${table}.${column} of ${id}`;
}
