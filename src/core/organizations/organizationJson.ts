/** Makes the JSON of the branding and the webhook secret of an organization. */
import { BrandingRecord, logoRecord } from '../../contract/exports.ts';
import { recordOf } from '../../contract/recordOf.ts';
import type { WebhookSecretRecord } from '../../contract/webhookEndpoints.ts';
import type { WebhookSecretState } from '../../db/secrets/webhookSecrets.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { BrandingRow } from './branding.ts';

export function brandingRecord(row: BrandingRow, publicUrl: string): BrandingRecord {
  return recordOf(BrandingRecord, row, { logo: logoRecord(row.logo, publicUrl) });
}

export function webhookSecretRecord({ createdAt, previousUntil }: WebhookSecretState): WebhookSecretRecord {
  return { type: 'webhook_secret', created_at: timestamp(createdAt), previous_until: maybeTimestamp(previousUntil) };
}
