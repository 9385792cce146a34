/** Changes to the settings, the webhook secret and the branding of an organization. Each function is part of a transaction. */

import type { Queryable } from '../../db/database.ts';
import { sealSecret } from '../../db/secrets/sealing.ts';
import { newWebhookSecret } from '../../db/secrets/webhookSecrets.ts';
import { type Actor, changesBetween } from '../../domain/auditLog.ts';
import type { Branding } from '../../domain/branding.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { type BrandingRow, type Locale, readBranding, saveBranding } from './branding.ts';
import { changeOrganization, lockOrganization, type StoredSettings } from './organizations.ts';

/** Null in `set_retention_days`: as the operator chose. */
export type SettingsChange = { readonly [Name in keyof StoredSettings]?: StoredSettings[Name] | null | undefined };

/** Settings that are absent stay. @throws Failure (404) if there is no such organization. */
export async function changeSettings(tx: Queryable, slug: string, change: SettingsChange, actor: Actor): Promise<void> {
  const { id, review, set_retention_days, language, time_zone, creative_check } = await lockOrganization(tx, slug);
  const before = { review, set_retention_days, language, time_zone, ...creative_check };
  const after: StoredSettings = {
    review: change.review ?? review,
    set_retention_days: change.set_retention_days === undefined ? set_retention_days : change.set_retention_days,
    language: change.language ?? language,
    time_zone: change.time_zone ?? time_zone,
    creative_check: change.creative_check ?? creative_check,
  };
  const { creative_check: check, ...others } = after;
  const changes = changesBetween(before, { ...others, ...check });
  if (changes.length === 0) return;
  await changeOrganization(tx, slug, { ...others, creative_check: JSON.stringify(check) });
  await recordAction(tx, actor, { action: 'settings.updated', of: { organizationId: id, id }, changes });
}

/** The old secret signs beside the new one for a day, unless `keepPrevious` is false. @returns the new one. */
export async function replaceWebhookSecret(
  tx: Queryable,
  slug: string,
  keepPrevious: boolean,
  actor: Actor,
): Promise<string> {
  const { id, webhook_secret } = await lockOrganization(tx, slug);
  const secret = newWebhookSecret();
  await changeOrganization(tx, slug, {
    previous_webhook_secret: keepPrevious ? webhook_secret : null,
    webhook_secret: sealSecret(tx, secret, `organizations.webhook_secret of ${id}`),
    webhook_secret_rotated_at: new Date(),
  });
  const to = { keep_previous: keepPrevious };
  await recordAction(tx, actor, { action: 'webhook_secret.rotated', of: { organizationId: id, id }, to });
  return secret;
}

/** Replaces everything but the logo. */
export async function changeBranding(
  tx: Queryable,
  organizationId: string,
  branding: Branding,
  actor: Actor,
): Promise<void> {
  const changes = changesBetween({ ...ownOf(await readBranding(tx, organizationId)) }, { ...branding });
  await saveBranding(tx, organizationId, branding);
  if (changes.length === 0) return;
  await recordAction(tx, actor, { action: 'branding.updated', of: { organizationId, id: organizationId }, changes });
}

function ownOf({ logo: _, language: _l, time_zone: _t, ...own }: BrandingRow & Locale): Branding {
  return own;
}

/** @param token of the picture; null removes the logo. */
export async function changeLogo(
  tx: Queryable,
  organizationId: string,
  token: string | null,
  actor: Actor,
): Promise<void> {
  const { logo } = await readBranding(tx, organizationId);
  if (logo === null && token === null) return;
  await saveBranding(tx, organizationId, { logo_token: token });
  const action = token === null ? 'branding.logo_removed' : 'branding.logo_replaced';
  await recordAction(tx, actor, { action, of: { organizationId, id: organizationId } });
}
