/** Encrypts secrets before they are stored. */
import type { KeyRing } from '../../lib/keyRing.ts';
import type { Queryable } from '../database.ts';
import { KeyRingPlugin } from '../keyRingPlugin.ts';

/** Where a secret is stored. It is part of what is sealed, so a secret opens only in its own row and column. */
export interface SecretPlace {
  readonly table: string;
  readonly column: string;
  /** The id of the row. */
  readonly id: string;
}

export function keyRingOf(db: Queryable): KeyRing {
  const plugin = db.getExecutor().plugins.find((plugin) => plugin instanceof KeyRingPlugin);
  if (plugin === undefined) throw new Error('This connection was opened without a key ring.');
  return plugin.keyRing;
}

/** @returns the sealed text, to store. */
export function sealSecret(db: Queryable, secret: string, place: SecretPlace): string {
  return keyRingOf(db).seal(secret, nameOf(place));
}

/** @throws Error if the text is not sealed, if its key is missing, or if it belongs to another place. */
export function openSecret(db: Queryable, stored: string, place: SecretPlace): string {
  return keyRingOf(db).open(stored, nameOf(place));
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

export function pageAccessPlace(id: string): SecretPlace {
  return { table: 'page_access', column: 'content', id };
}

/** The cookies and headers of a site rule. */
export function siteRuleAccessPlace(id: string): SecretPlace {
  return { table: 'site_rules', column: 'access', id };
}

/** The address of an incoming webhook of a chat. */
export function chatAddressPlace(chatId: string): SecretPlace {
  return { table: 'notice_chats', column: 'address', id: chatId };
}

/** The ID token of a person's session, with which the provider ends its own session. */
export function sessionTokenPlace(sessionId: string): SecretPlace {
  return { table: 'user_sessions', column: 'id_token', id: sessionId };
}

/** The secret of the installation is stored as bytes, and sealed in base64. */
export const INSTALLATION_PLACE: SecretPlace = { table: 'installation', column: 'secret', id: 'installation' };

function nameOf({ table, column, id }: SecretPlace): string {
  return `${table}.${column} of ${id}`;
}
