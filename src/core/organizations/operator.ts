/** The administrative actions of the operator's command line. Each is one transaction with its entry in the audit log. */

import type { Database } from '../../db/database.ts';
import { changesBetween, OPERATOR } from '../../domain/auditLog.ts';
import { conflict } from '../../domain/failure.ts';
import { SCOPES, type Scope } from '../../domain/keys.ts';
import { isHigher } from '../../domain/priorities.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { createApiKey, revokeApiKey } from './keys.ts';
import {
  changeOrganization,
  createOrganization,
  lockOrganization,
  type NewOrganization,
  type OwnPriorities,
  type OwnQuotas,
} from './organizations.ts';
import { changeSettings, replaceWebhookSecret, type SettingsChange } from './settings.ts';

/** @throws Failure for a slug that is taken or malformed. */
export function addOrganization(db: Database, slug: string): Promise<NewOrganization> {
  return db.transaction().execute(async (tx) => {
    const made = await createOrganization(tx, { slug });
    const { id } = await lockOrganization(tx, slug);
    const to = { slug, first_key: idOfKey(made.api_key) };
    await recordAction(tx, OPERATOR, { action: 'organization.created', of: { organizationId: id, id }, to });
    return made;
  });
}

const idOfKey = (key: string) => key.split('_')[2];

/** The API rejects requests of a disabled organization. Work that it requested before continues. */
export async function setDisabled(db: Database, slug: string, disabled: boolean): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { id, disabled_at: before } = await lockOrganization(tx, slug);
    if (disabled === (before !== null)) return;
    await changeOrganization(tx, slug, { disabled_at: disabled ? new Date() : null });
    const action = disabled ? 'organization.disabled' : 'organization.enabled';
    await recordAction(tx, OPERATOR, { action, of: { organizationId: id, id } });
  });
}

/** Settings that are absent stay. @throws Failure (404) for an unknown slug. */
export async function chooseSettings(db: Database, slug: string, change: SettingsChange): Promise<void> {
  await db.transaction().execute((tx) => changeSettings(tx, slug, change, OPERATOR));
}

/** Quotas and priorities that are absent stay. @throws Failure (409) if the default would be above the highest priority. */
export async function chooseQuotas(
  db: Database,
  slug: string,
  chosen: Partial<OwnQuotas & OwnPriorities>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { id, ...organization } = await lockOrganization(tx, slug);
    const { pictures_per_day, running_captures, default_priority, max_priority } = organization;
    const before = { pictures_per_day, running_captures, default_priority, max_priority };
    const after = { ...before, ...chosen };
    if (isHigher(after.default_priority, after.max_priority))
      throw conflict('priority', `"${after.default_priority}" is above the highest priority, "${after.max_priority}".`);
    const changes = changesBetween(before, after);
    if (changes.length === 0) return;
    await changeOrganization(tx, slug, after);
    await recordAction(tx, OPERATOR, { action: 'settings.updated', of: { organizationId: id, id }, changes });
  });
}

/** @returns the new secret. The old one also signs for a day. */
export function rotateSecret(db: Database, slug: string): Promise<string> {
  return db.transaction().execute((tx) => replaceWebhookSecret(tx, slug, true, OPERATOR));
}

export interface KeyOptions {
  readonly name?: string;
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date | undefined;
}

/** @returns the key as its holder needs it, which cannot be read again, and its id. */
export function addKey(db: Database, slug: string, options: KeyOptions): Promise<{ api_key: string; id: string }> {
  const { name = '', scopes = SCOPES, expiresAt } = options;
  return db.transaction().execute(async (tx) => {
    const { id: organizationId } = await lockOrganization(tx, slug);
    const { row, key } = await createApiKey(tx, { organizationId, name, scopes, expiresAt }, OPERATOR);
    return { api_key: key, id: row.id };
  });
}

/** Does nothing if the key is already revoked. @throws Failure (404) if the organization has no such key. */
export async function endKey(db: Database, slug: string, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { id: organizationId } = await lockOrganization(tx, slug);
    await revokeApiKey(tx, { organizationId, id }, OPERATOR);
  });
}
