/** Makes the JSON of webhook endpoints. */
import type { WebhookEndpointRecord } from '../../contract/webhookEndpoints.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import { DEFAULT_TOPICS, ENDPOINT_TOPICS } from '../../domain/topics.ts';
import { secretState } from '../organizations/secrets.ts';
import type { EndpointRow } from './webhookEndpointQueries.ts';

export function webhookEndpointRecord(row: EndpointRow): WebhookEndpointRecord {
  const topics: readonly string[] = row.topics ?? DEFAULT_TOPICS;
  const secret = secretState({
    createdAt: row.created_at,
    rotatedAt: row.secret_rotated_at,
    hasPrevious: row.previous_secret !== null,
  });
  return {
    type: 'webhook_endpoint',
    id: row.id,
    url: row.url,
    topics: ENDPOINT_TOPICS.filter((topic) => topics.includes(topic)),
    description: row.description,
    header_names: row.header_names,
    disabled: row.disabled_at !== null,
    disabled_at: maybeTimestamp(row.disabled_at),
    disabled_reason: row.disabled_reason,
    failing_since: maybeTimestamp(row.failing_since),
    secret_created_at: timestamp(secret.createdAt),
    previous_secret_until: maybeTimestamp(secret.previousUntil),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}
