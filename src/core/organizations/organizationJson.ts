/** Makes the JSON of the branding and the webhook secret of an organization. */
import { BrandingRecord } from '../../contract/exports.ts';
import { recordOf } from '../../contract/recordOf.ts';
import type { WebhookSecretRecord } from '../../contract/webhookEndpoints.ts';
import type { WebhookSecretState } from '../../db/secrets/webhookSecrets.ts';
import { imageUrl } from '../../domain/addresses.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { BrandingRow } from './branding.ts';

export function brandingRecord(row: BrandingRow, publicUrl: string): BrandingRecord {
  const { logo } = row;
  return recordOf(BrandingRecord, row, {
    logo: logo && { url: imageUrl(publicUrl, logo.token), width: logo.width, height: logo.height },
  });
}

export function webhookSecretRecord({ createdAt, previousUntil }: WebhookSecretState): WebhookSecretRecord {
  return { type: 'webhook_secret', created_at: timestamp(createdAt), previous_until: maybeTimestamp(previousUntil) };
}
