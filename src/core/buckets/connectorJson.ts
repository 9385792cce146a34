/** Makes the JSON of connectors. */
import { ConnectorRecord } from '../../contract/connectors.ts';
import { recordOf } from '../../contract/recordOf.ts';
import { DEFAULT_CONNECTOR } from '../../domain/connectors.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { S3Connector } from './connectorQueries.ts';

/** @param awsPrincipal ARN of the service's own AWS identity. */
export function connectorRecord(row: S3Connector, awsPrincipal: string | undefined): ConnectorRecord {
  return recordOf(ConnectorRecord, row, {
    is_default: row.name === DEFAULT_CONNECTOR,
    role: row.role_arn === null ? null : roleRecord(row.role_arn, row.organization_id, awsPrincipal),
    check: checkRecord(row),
  });
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
