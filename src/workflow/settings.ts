/** Changes to the settings, the webhook secret and the branding of an organization. Each function is part of a transaction. */
import { type Actor, changesBetween } from '../domain/auditLog.ts';
import type { Branding } from '../domain/branding.ts';
import { invalid } from '../domain/failure.ts';
import {
  type ChosenRetention,
  DEFAULT_RETENTION,
  RETENTION_SETTINGS,
  type RetentionPolicy,
  retentionFaults,
} from '../domain/retention.ts';
import type { ReviewMode } from '../domain/reviews.ts';
import { recordAction } from '../store/auditLog/auditLog.ts';
import type { Queryable } from '../store/database/database.ts';
import { type BrandingRow, readBranding, saveBranding, saveLogo } from '../store/organizations/branding.ts';
import {
  lockOrganization,
  rotateWebhookSecret,
  setRetention,
  setReview,
} from '../store/organizations/organizations.ts';

/** Null: as the operator chose. */
export interface SettingsChange extends Partial<Readonly<Record<keyof ChosenRetention, number | null | undefined>>> {
  readonly review?: ReviewMode | undefined;
}

interface ChangeOptions {
  readonly actor: Actor;
  readonly policy?: RetentionPolicy | undefined;
}

/**
 * Settings that are absent stay.
 * @throws Failure: 404 if there is no such organization, 422 for days that the operator does not allow.
 */
export async function changeSettings(
  tx: Queryable,
  slug: string,
  { review, ...days }: SettingsChange,
  { actor, policy = DEFAULT_RETENTION }: ChangeOptions,
): Promise<void> {
  const row = await lockOrganization(tx, slug);
  const changed = givenDays(days);
  const before = chosenRetention(row);
  const after = { ...before, ...changed };
  const faults = retentionFaults({ changed, after }, policy);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  const changes = changesBetween({ review: row.review, ...before }, { review: review ?? row.review, ...after });
  if (changes.length === 0) return;
  await setReview(tx, slug, review ?? row.review);
  await setRetention(tx, slug, after);
  await recordAction(tx, actor, { organizationId: row.id, action: 'settings.updated', objectId: row.id, changes });
}

/** @returns the choices of the organization. */
function chosenRetention(row: ChosenRetention): ChosenRetention {
  const { set_retention_days, event_retention_days, delivery_retention_days, request_retention_days } = row;
  return { set_retention_days, event_retention_days, delivery_retention_days, request_retention_days };
}

function givenDays(days: Omit<SettingsChange, 'review'>): Partial<ChosenRetention> {
  const given = RETENTION_SETTINGS.map((name) => [name, days[name]] as const).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
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
