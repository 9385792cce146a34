/** Reads what one delivery sends, and to whom. */
import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import type { S3ConnectorTable } from '../database/schema.ts';

export interface DeliveryToSend {
  readonly id: string;
  readonly organization_id: string;
  readonly event_id: string;
  readonly topic: string;
  /** The envelope, byte for byte. */
  readonly body: string;
  readonly channel: 'webhook' | 's3';
  readonly target: string;
  readonly ad_id: string | null;
  readonly set_id: string | null;
  /** Those that sign at this time. */
  readonly secrets: readonly string[];
  readonly bucket: string | null;
  readonly region: string | null;
  readonly keyPrefix: string;
}

/** @returns undefined for a delivery that is finished, unknown or not due yet. */
export async function readDeliveryToSend(db: Queryable, id: string): Promise<DeliveryToSend | undefined> {
  const row = await db
    .selectFrom('deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .innerJoin('organizations as o', 'o.id', 'd.organization_id')
    .innerJoin('subscribers as s', 's.id', 'd.subscriber_id')
    .select([
      'd.id',
      'd.organization_id',
      'd.event_id',
      'e.topic',
      'e.body',
      'd.channel',
      'd.target',
      'd.ad_id',
      'd.set_id',
      's.s3_bucket as bucket',
      's.s3_region as region',
      's.s3_key_prefix as prefix',
      'o.webhook_secret',
      sql<string | null>`case when o.webhook_secret_rotated_at > now() - interval '1 day'
        then o.previous_webhook_secret end`.as('previous_secret'),
    ])
    .where('d.id', '=', id)
    .where('d.status', '=', 'pending')
    // A duplicate job of the same delivery does not send it before its next attempt is due.
    .where('d.next_attempt_at', '<=', sql<Date>`now() + interval '1 second'`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { prefix, webhook_secret, previous_secret, ...rest } = row;
  return {
    ...rest,
    keyPrefix: prefix ?? '',
    secrets: [webhook_secret, ...(previous_secret === null ? [] : [previous_secret])],
  };
}

export async function readConnector(
  db: Queryable,
  organizationId: string,
): Promise<Selectable<S3ConnectorTable> | undefined> {
  return db.selectFrom('s3_connectors').selectAll().where('organization_id', '=', organizationId).executeTakeFirst();
}
