/** Makes the JSON of keys, connectors, the webhook secret, webhook endpoints and the audit log. */

import type { ConnectorRecord } from '../../contract/connectors.ts';
import type { ApiKeyRecord, AuditLogEntryRecord } from '../../contract/settings.ts';
import type { WebhookEndpointRecord, WebhookSecretRecord } from '../../contract/webhookEndpoints.ts';
import { DEFAULT_CONNECTOR } from '../../domain/connectors.ts';
import { keyState, SCOPES } from '../../domain/keys.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import { DEFAULT_TOPICS, ENDPOINT_TOPICS } from '../../domain/topics.ts';
import type { S3Connector } from '../buckets/connectorQueries.ts';
import { keyReference, userReference } from '../sets/setJson.ts';
import type { EndpointRow } from '../webhooks/webhookEndpointQueries.ts';
import type { AuditLogRow } from './auditLogQueries.ts';
import type { KeyRow } from './keyList.ts';
import { secretState, type WebhookSecretState } from './secrets.ts';

export function apiKeyRecord(row: KeyRow): ApiKeyRecord {
  return {
    type: 'api_key',
    id: row.id,
    name: row.name,
    scopes: SCOPES.filter((scope) => row.scopes.includes(scope)),
    status: keyState(row, new Date()),
    created_at: timestamp(row.created_at),
    created_by: keyReference(row.created_by, row.creator),
    created_by_user: userReference(row.created_by_user, row.user_name),
    expires_at: maybeTimestamp(row.expires_at),
    revoked_at: maybeTimestamp(row.revoked_at),
    last_used_at: maybeTimestamp(row.last_used_at),
  };
}

export function webhookSecretRecord({ createdAt, previousUntil }: WebhookSecretState): WebhookSecretRecord {
  return { type: 'webhook_secret', created_at: timestamp(createdAt), previous_until: maybeTimestamp(previousUntil) };
}

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

/** @param awsPrincipal ARN of the service's own AWS identity. */
export function connectorRecord(row: S3Connector, awsPrincipal: string | undefined): ConnectorRecord {
  return {
    type: 'connector',
    name: row.name,
    is_default: row.name === DEFAULT_CONNECTOR,
    region: row.region,
    access_key_id: row.access_key_id,
    role: row.role_arn === null ? null : roleRecord(row.role_arn, row.organization_id, awsPrincipal),
    endpoint: row.endpoint,
    force_path_style: row.force_path_style,
    encryption: row.encryption,
    kms_key_id: row.kms_key_id,
    storage_class: row.storage_class,
    updated_at: timestamp(row.updated_at),
    check: checkRecord(row),
  };
}

function roleRecord(arn: string, externalId: string, awsPrincipal: string | undefined): ConnectorRecord['role'] {
  return { arn, external_id: externalId, principal_arn: awsPrincipal ?? null };
}

function checkRecord(row: S3Connector): ConnectorRecord['check'] {
  const { check_status: status, check_requested_at: requestedAt, check_bucket: bucket } = row;
  if (status === null || requestedAt === null || bucket === null) return null;
  return {
    bucket,
    region: row.check_region,
    key_prefix: row.check_key_prefix ?? '',
    status,
    message: row.check_message,
    requested_at: timestamp(requestedAt),
    finished_at: maybeTimestamp(row.check_finished_at),
  };
}

export function auditLogEntryRecord(row: AuditLogRow): AuditLogEntryRecord {
  return {
    type: 'audit_log_entry',
    id: row.id,
    created_at: timestamp(row.created_at),
    actor: { type: row.actor_type, key_id: row.actor_key_id, user_id: row.actor_user_id, name: row.actor_name },
    action: row.action,
    object: { type: row.object_type, id: row.object_id },
    changes: row.changes.map(({ field, from, to }) => ({ field, from, to })),
    ip_address: row.address,
    request_id: row.request_id,
  };
}
