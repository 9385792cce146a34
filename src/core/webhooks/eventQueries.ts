/** Stored events: lists, and the deliveries that a replay sends again. */
import { type RawBuilder, sql } from 'kysely';
import { type EventDetailRecord, EventRecord } from '../../contract/events.ts';
import { recordOf } from '../../contract/recordOf.ts';
import { isAfter, isInRange, type Place, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import { type EventTopic, NOTICE_TOPIC, TEST_TOPIC } from '../../domain/topics.ts';
import type { OneDelivery } from './deliveryChanges.ts';
import { deliveryRecord } from './deliveryJson.ts';
import type { DeliveryRow } from './listDeliveries.ts';

export interface EventFilter extends TimeRange {
  readonly organizationId: string;
  readonly topic?: EventTopic | undefined;
  readonly adId?: string | undefined;
  readonly setId?: string | undefined;
  readonly endpointId?: string | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

export type EventRow = Omit<Row<'events'>, 'body' | 'traceparent'>;

const COLUMNS = [
  'events.id',
  'events.organization_id',
  'events.topic',
  'events.created_at',
  'events.ad_id',
  'events.set_id',
] as const;

/** Newest first. */
export async function listEvents(db: Queryable, filter: EventFilter, page: Page): Promise<ListPage<EventRow>> {
  const { from, to, topic, adId, setId, endpointId, after } = filter;
  const delivered = db
    .selectFrom('deliveries')
    .select('event_id')
    .where('subscriber_id', '=', endpointId ?? '');
  const matching = db
    .selectFrom('events')
    .where('events.organization_id', '=', filter.organizationId)
    .$if(topic !== undefined, (q) => q.where('events.topic', '=', topic ?? 'ad.uploaded'))
    .where(isInRange(sql`events.created_at`, { from, to }))
    .where(isAfter('events', after))
    .$if(adId !== undefined, (q) => q.where('events.ad_id', '=', adId ?? ''))
    .$if(setId !== undefined, (q) => q.where('events.set_id', '=', setId ?? ''))
    .$if(endpointId !== undefined, (q) => q.where('events.id', 'in', delivered));
  const rows = matching.select(COLUMNS).orderBy('events.created_at', 'desc').orderBy('events.id');
  return readListPage(db, rows, page);
}

/** @returns undefined if the organization has no such event. */
export async function findEvent(
  db: Queryable,
  { organizationId, id }: ObjectRef,
): Promise<(EventRow & { readonly body: string }) | undefined> {
  return db
    .selectFrom('events')
    .select([...COLUMNS, 'events.body'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Locks events, so that they are not removed before the transaction ends. @returns those of the ids that the organization has, without notices. */
export async function lockEvents(db: Queryable, organizationId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('topic', '!=', NOTICE_TOPIC)
    .orderBy('id')
    .forKeyShare()
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Locks the events of a period, without test events and notices, as {@link lockEvents} does. @param topics all unless given.
 * @returns the ids of at most so many, the oldest first.
 */
export async function lockEventsOfPeriod(
  db: Queryable,
  {
    organizationId,
    from,
    to,
    topics,
  }: TimeRange & { readonly organizationId: string; readonly topics: readonly string[] | undefined },
  most: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('topic', 'not in', [TEST_TOPIC, NOTICE_TOPIC])
    .$if(topics !== undefined, (q) => q.where(sql<boolean>`topic = any(${topics}::text[])`))
    .where(isInRange(sql`created_at`, { from, to }))
    .orderBy('created_at')
    .limit(most)
    .forKeyShare()
    .execute();
  return rows.map(({ id }) => id);
}

/** A condition on deliveries. */
export const ofEvents = (ids: readonly string[]) => sql<boolean>`event_id = any(${ids}::uuid[])`;

/** @returns those of the events that have a delivery. */
export async function havingDeliveries(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('deliveries').select('event_id').distinct().where(ofEvents(ids)).execute();
  return rows.map(({ event_id }) => event_id);
}

/**
 * Makes the deliveries that meet a condition pending again, and due now. Leaves out those that are about to be sent, and those of disabled
 * or deleted endpoints. `endpointId`: only those to this webhook endpoint. `isOnlyFailed`: only those that ended without
 * success.
 */
export async function restartDeliveries(
  tx: Queryable,
  wanted: RawBuilder<boolean>,
  {
    endpointId,
    isOnlyFailed = false,
  }: { readonly endpointId?: string | undefined; readonly isOnlyFailed?: boolean } = {},
): Promise<OneDelivery[]> {
  const enabled = await lockEnabledEndpoints(tx, wanted, endpointId);
  const endpoints = tx.selectFrom('webhook_endpoints').select('id');
  // Locked in the order of their ids, so that two transactions never wait for each other.
  const locked = tx
    .selectFrom('deliveries')
    .select('id')
    .where(wanted)
    .where((eb) => eb.or([eb('status', '!=', 'pending'), eb('tries', '>', 0)]))
    .where((eb) =>
      eb.or([eb('subscriber_id', 'not in', endpoints), eb('subscriber_id', '=', sql<string>`any(${enabled}::uuid[])`)]),
    )
    .$if(endpointId !== undefined, (q) => q.where('subscriber_id', '=', endpointId ?? ''))
    .$if(isOnlyFailed, (q) => q.where('status', 'in', ['retries_exhausted', 'gone', 'refused']))
    .orderBy('id')
    .forUpdate();
  return tx
    .with(
      (cte) => cte('locked').materialized(),
      () => locked,
    )
    .updateTable('deliveries')
    .from('locked')
    .set(restarted())
    .whereRef('deliveries.id', '=', 'locked.id')
    .returning(['deliveries.id', 'deliveries.ad_id', 'deliveries.set_id'])
    .execute();
}

/** The values of a delivery that is pending and due now, with no tries counted, at the present address of its endpoint. */
const restarted = () => ({
  status: 'pending' as const,
  target: sql<string>`coalesce((select s.webhook_url from webhook_endpoints w join subscribers s using (id)
    where w.id = deliveries.subscriber_id), deliveries.target)`,
  replays: sql<number>`deliveries.replays + 1`,
  tries: 0,
  next_attempt_at: sql<Date>`now()`,
  finished_at: null,
  reason: null,
});

/** The lock keeps them enabled until the end of the transaction. */
async function lockEnabledEndpoints(
  tx: Queryable,
  wanted: RawBuilder<boolean>,
  endpointId: string | undefined,
): Promise<string[]> {
  const receivers = tx.selectFrom('deliveries').select('subscriber_id').where(wanted);
  const rows = await tx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('id', 'in', receivers)
    .$if(endpointId !== undefined, (q) => q.where('id', '=', endpointId ?? ''))
    .where('disabled_at', 'is', null)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute();
  return rows.map(({ id }) => id);
}

/** Stores a delivery of each of these events for an endpoint that did not get it yet. */
export async function insertMissingDeliveries(
  tx: Queryable,
  eventIds: readonly string[],
  endpoint: { readonly id: string; readonly url: string },
): Promise<OneDelivery[]> {
  const { rows } = await sql<OneDelivery>`
    insert into deliveries (id, organization_id, event_id, subscriber_id, ad_id, set_id, channel, target, next_attempt_at)
    select gen_random_uuid(), events.organization_id, events.id, ${endpoint.id}::uuid, events.ad_id,
      events.set_id, 'webhook', ${endpoint.url}, now()
    from events where events.id = any(${eventIds}::uuid[]) order by events.id
    on conflict (event_id, subscriber_id, channel) do nothing
    returning id, ad_id, set_id`.execute(tx);
  return rows;
}

/** Makes the JSON of stored events. */
export function eventRecord(row: EventRow): EventRecord {
  return recordOf(EventRecord, row, { id: `evt_${row.id}`, screenshot_set_id: row.set_id });
}

/** @param row with the text of the event. */
export function eventDetailRecord(
  row: EventRow & { readonly body: string },
  deliveries: readonly DeliveryRow[],
): EventDetailRecord {
  const { data }: Pick<EventDetailRecord, 'data'> = JSON.parse(row.body);
  return { ...eventRecord(row), data, deliveries: deliveries.map(deliveryRecord) };
}
