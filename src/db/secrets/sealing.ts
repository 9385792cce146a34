/** Encrypts secrets before they are stored. */
import type { KeyRing } from '../../lib/keyRing.ts';
import type { Queryable } from '../database.ts';
import { KeyRingPlugin } from '../keyRingPlugin.ts';

/**
 * The columns with secrets. An earlier webhook secret is sealed as the present one, because a rotation moves the text from one column
 * to the other. The connectors of an organization are sealed with its id, and the secret of the installation, which is stored as bytes,
 * in base64.
 */
export const SECRETS = [
  'organizations.webhook_secret',
  's3_connectors.secret_access_key',
  'webhook_endpoints.secret',
  'webhook_endpoints.headers',
  'page_access.content',
  'site_rules.access',
  'user_sessions.id_token',
  'notice_chats.address',
  'installation.secret',
] as const;

/** The column of a secret and the id of its row. They are part of what is sealed, so a secret opens only there. */
export type SecretPlace = `${(typeof SECRETS)[number]} of ${string}`;

export const INSTALLATION_PLACE: SecretPlace = 'installation.secret of installation';

export function keyRingOf(db: Queryable): KeyRing {
  const plugin = db.getExecutor().plugins.find((plugin) => plugin instanceof KeyRingPlugin);
  if (plugin === undefined) throw new Error('This connection was opened without a key ring.');
  return plugin.keyRing;
}

/** @returns the sealed text, to store. */
export function sealSecret(db: Queryable, secret: string, place: SecretPlace): string {
  return keyRingOf(db).seal(secret, place);
}

/** @throws Error if the text is not sealed, if its key is missing, or if it belongs to another place. */
export function openSecret(db: Queryable, stored: string, place: SecretPlace): string {
  return keyRingOf(db).open(stored, place);
}
