/** Changes to the settings, the webhook secret and the branding of an organization. Each function is part of a transaction. */

import type { Queryable } from '../../db/database.ts';
import { type Actor, changesBetween } from '../../domain/auditLog.ts';
import type { Branding } from '../../domain/branding.ts';
import type { ReviewMode } from '../../domain/reviews.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { type BrandingRow, readBranding, saveBranding, saveLogo } from './branding.ts';
import { lockOrganization, rotateWebhookSecret, setRetention, setReview } from './organizations.ts';

export interface SettingsChange {
  readonly review?: ReviewMode | undefined;
  /** Null: as the operator chose. */
  readonly set_retention_days?: number | null | undefined;
}

/** Settings that are absent stay. @throws Failure (404) if there is no such organization. */
export async function changeSettings(tx: Queryable, slug: string, change: SettingsChange, actor: Actor): Promise<void> {
  const row = await lockOrganization(tx, slug);
  const before = { review: row.review, set_retention_days: row.set_retention_days };
  const { review = before.review, set_retention_days: days = before.set_retention_days } = change;
  const changes = changesBetween(before, { review, set_retention_days: days });
  if (changes.length === 0) return;
  await setReview(tx, slug, review);
  await setRetention(tx, slug, days);
  await recordAction(tx, actor, { organizationId: row.id, action: 'settings.updated', objectId: row.id, changes });
}

/** The old secret signs beside the new one for a day, unless `keepPrevious` is false. @returns the new one. */
export async function replaceWebhookSecret(
  tx: Queryable,
  slug: string,
  keepPrevious: boolean,
  actor: Actor,
): Promise<string> {
  const { id } = await lockOrganization(tx, slug);
  const secret = await rotateWebhookSecret(tx, slug, keepPrevious);
  const changes = changesBetween({}, { keep_previous: keepPrevious });
  await recordAction(tx, actor, { organizationId: id, action: 'webhook_secret.rotated', objectId: id, changes });
  return secret;
}

/** Replaces everything but the logo. */
export async function changeBranding(
  tx: Queryable,
  organizationId: string,
  branding: Branding,
  actor: Actor,
): Promise<void> {
  const changes = changesBetween({ ...textsOf(await readBranding(tx, organizationId)) }, { ...branding });
  await saveBranding(tx, organizationId, branding);
  if (changes.length === 0) return;
  await recordAction(tx, actor, { organizationId, action: 'branding.updated', objectId: organizationId, changes });
}

function textsOf({ logo: _, ...texts }: BrandingRow): Branding {
  return texts;
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
  await saveLogo(tx, organizationId, token);
  const action = token === null ? 'branding.logo_removed' : 'branding.logo_replaced';
  await recordAction(tx, actor, { organizationId, action, objectId: organizationId });
}
