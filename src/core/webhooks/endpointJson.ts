/** Makes the JSON of webhook endpoints. */
import { recordOf } from '../../contract/recordOf.ts';
import { WebhookEndpointRecord } from '../../contract/webhookEndpoints.ts';
import { secretState } from '../../db/secrets/webhookSecrets.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import { DEFAULT_TOPICS, ENDPOINT_TOPICS } from '../../domain/topics.ts';
import type { EndpointRow } from './webhookEndpointQueries.ts';

export function webhookEndpointRecord(row: EndpointRow): WebhookEndpointRecord {
  const topics: readonly string[] = row.topics ?? DEFAULT_TOPICS;
  const secret = secretState({
    createdAt: row.created_at,
    rotatedAt: row.secret_rotated_at,
    hasPrevious: row.previous_secret !== null,
  });
  return recordOf(WebhookEndpointRecord, row, {
    topics: ENDPOINT_TOPICS.filter((topic) => topics.includes(topic)),
    disabled: row.disabled_at !== null,
    secret_created_at: timestamp(secret.createdAt),
    previous_secret_until: maybeTimestamp(secret.previousUntil),
  });
}
