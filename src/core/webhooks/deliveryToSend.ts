/** Reads what deliveries send, and to whom. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { openSecret, type SecretPlace } from '../../db/secrets/sealing.ts';
import { SECRET_OVERLAP_HOURS } from '../../db/secrets/webhookSecrets.ts';
import { DEFAULT_CONNECTOR } from '../../domain/connectors.ts';
import type { Channel, EventTopic } from '../../domain/topics.ts';
import type { EndpointHeaders } from './webhookEndpointQueries.ts';

export interface DeliveryToSend {
  readonly id: string;
  readonly organization_id: string;
  readonly event_id: string;
  readonly topic: EventTopic;
  /** The span of the request that made the set or the ad, if it is traced. */
  readonly traceparent: string | null;
  /** How often it was sent again before. */
  readonly round: number;
  /** Attempts so far, and those of this round. */
  readonly attempts: number;
  readonly tries: number;
  /** The envelope, byte for byte. Null: it is large, so `readEventBody` reads it when it is needed. */
  readonly body: string | null;
  readonly channel: Channel;
  readonly target: string;
  readonly ad_id: string | null;
  readonly set_id: string | null;
  /** The webhook endpoint that gets it; null for a subscriber of a request. */
  readonly endpoint_id: string | null;
  /** The member or the chat that gets a notice. */
  readonly user_id: string | null;
  readonly chat_id: string | null;
  /** How long every attempt of the endpoint has failed; null if the last one was a success. */
  readonly failing_seconds: number | null;
  readonly bucket: string | null;
  readonly region: string | null;
  readonly keyPrefix: string;
  /** The connector that writes into the bucket. */
  readonly connector: string;
  /** Opens its secrets. One that cannot be opened must fail its own delivery and not the others of a batch. */
  open(): DeliverySecrets;
}

export interface DeliverySecrets {
  /** Headers that the organization gave its endpoint. */
  readonly headers: EndpointHeaders;
  /** Those that sign at this time. */
  readonly secrets: readonly string[];
}

const LARGE_BYTES = 64 * 1024;

/** A row of {@link deliveryToSendColumns}. */
export type DeliveryToSendRow = Omit<DeliveryToSend, 'keyPrefix' | 'connector' | 'open'> & SealedSecrets & StoredTarget;

interface StoredTarget {
  readonly prefix: string | null;
  readonly connector: string | null;
}

interface SealedSecrets {
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly headers: string | null;
}

/** The columns of a delivery `d` with {@link joinedForSending}. */
export const deliveryToSendColumns = sql.raw(`
  d.id, d.organization_id, d.event_id, e.topic, e.traceparent, d.channel, d.ad_id, d.set_id, d.user_id, d.chat_id,
  d.replays as round, d.attempts, d.tries,
  -- A change of an endpoint reaches the rows of its deliveries later.
  case when w.id is null then d.target else s.webhook_url end as target,
  case when octet_length(e.body) <= ${LARGE_BYTES} then e.body end as body,
  s.s3_bucket as bucket, s.s3_region as region, s.s3_key_prefix as prefix, s.s3_connector as connector,
  w.id as endpoint_id, w.headers, extract(epoch from now() - w.failing_since)::float8 as failing_seconds,
  case when w.id is null then o.webhook_secret else w.secret end as secret,
  case
    when w.id is null and o.webhook_secret_rotated_at > now() - make_interval(hours => ${SECRET_OVERLAP_HOURS})
    then o.previous_webhook_secret
    when w.secret_rotated_at > now() - make_interval(hours => ${SECRET_OVERLAP_HOURS}) then w.previous_secret
    end as previous_secret`);

/** The join leaves out the deliveries of disabled and deleted endpoints. */
export const joinedForSending = sql`
  join events e on e.id = d.event_id
  join organizations o on o.id = d.organization_id
  left join subscribers s on s.id = d.subscriber_id
  left join webhook_endpoints w on w.id = d.subscriber_id
  where w.disabled_at is null and w.deleted_at is null`;

export function deliveryToSend(db: Queryable, row: DeliveryToSendRow): DeliveryToSend {
  const { prefix, connector, secret, previous_secret, headers, ...rest } = row;
  return {
    ...rest,
    keyPrefix: prefix ?? '',
    connector: connector ?? DEFAULT_CONNECTOR,
    open: () => openSealed(db, row),
  };
}

function openSealed(
  db: Queryable,
  row: Pick<DeliveryToSend, 'endpoint_id' | 'organization_id'> & SealedSecrets,
): DeliverySecrets {
  const { endpoint_id: endpoint, organization_id: organization, secret, previous_secret, headers } = row;
  const place: SecretPlace =
    endpoint === null ? `organizations.webhook_secret of ${organization}` : `webhook_endpoints.secret of ${endpoint}`;
  const stored = [secret, ...(previous_secret === null ? [] : [previous_secret])];
  const hasHeaders = endpoint !== null && headers !== null;
  return {
    headers: hasHeaders ? JSON.parse(openSecret(db, headers, `webhook_endpoints.headers of ${endpoint}`)) : {},
    secrets: stored.map((one) => openSecret(db, one, place)),
  };
}

/** A delivery with its complete body. */
export type CompleteDelivery = DeliveryToSend & { readonly body: string };

export async function readEventBody(db: Queryable, eventId: string): Promise<string> {
  const { body } = await db.selectFrom('events').select('body').where('id', '=', eventId).executeTakeFirstOrThrow();
  return body;
}
