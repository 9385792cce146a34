import { sql } from 'kysely';
import { isAfter, isInRange, type Place, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import type { EventTopic } from '../../domain/topics.ts';

export interface DeliveryFilter extends TimeRange {
  readonly organizationId: string;
  readonly id?: string | undefined;
  readonly setId?: string | undefined;
  readonly adId?: string | undefined;
  readonly status?: Row<'deliveries'>['status'] | undefined;
  readonly topic?: EventTopic | undefined;
  readonly channel?: Row<'deliveries'>['channel'] | undefined;
  readonly endpointId?: string | undefined;
  readonly eventId?: string | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

export interface DeliveryRow extends Row<'deliveries'> {
  readonly topic: EventTopic;
  /** Null for a subscriber of a request. */
  readonly endpoint_id: string | null;
  readonly log: readonly Row<'delivery_attempts'>[];
}

/** Newest first, each with its attempts. */
export async function listDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  page: Page,
): Promise<ListPage<DeliveryRow>> {
  const matching = db
    .selectFrom('deliveries')
    .where('deliveries.organization_id', '=', filter.organizationId)
    .$if(filter.id !== undefined, (q) => q.where('deliveries.id', '=', filter.id ?? ''))
    .$if(filter.setId !== undefined, (q) => q.where('deliveries.set_id', '=', filter.setId ?? ''))
    .$if(filter.adId !== undefined, (q) => q.where('deliveries.ad_id', '=', filter.adId ?? ''))
    .where(isInRange(sql`deliveries.created_at`, filter))
    .$if(filter.topic !== undefined, (q) => q.where('deliveries.event_id', 'in', eventsOf(db, filter)))
    .$if(filter.endpointId !== undefined, (q) => q.where('deliveries.subscriber_id', '=', filter.endpointId ?? ''))
    .$if(filter.eventId !== undefined, (q) => q.where('deliveries.event_id', '=', filter.eventId ?? ''))
    .$if(filter.channel !== undefined, (q) => q.where('deliveries.channel', '=', filter.channel ?? 'webhook'))
    .$if(filter.status !== undefined, (q) => q.where('deliveries.status', '=', filter.status ?? 'pending'))
    .where(isAfter('deliveries', filter.after));
  const ordered = matching
    // Counting leaves out what a left join adds. Each delivery has its event.
    .leftJoin('events', 'events.id', 'deliveries.event_id')
    .leftJoin('webhook_endpoints', 'webhook_endpoints.id', 'deliveries.subscriber_id')
    .selectAll('deliveries')
    .select(['events.topic', 'webhook_endpoints.id as endpoint_id'])
    .$narrowType<{ topic: EventTopic }>()
    .orderBy('deliveries.created_at', 'desc')
    .orderBy('deliveries.id');
  const { rows, total } = await readListPage(db, ordered, page);
  const logs = await attemptsOf(
    db,
    rows.map((row) => row.id),
  );
  return { rows: rows.map((row) => ({ ...row, log: logs.get(row.id) ?? [] })), total };
}

/** The ids of the events of one topic. */
function eventsOf(db: Queryable, { organizationId, topic }: DeliveryFilter) {
  return db
    .selectFrom('events')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('topic', '=', topic ?? 'ad.uploaded');
}

/** @returns undefined if the organization has no such delivery. */
export async function findDelivery(
  db: Queryable,
  { organizationId, id }: ObjectRef,
): Promise<(DeliveryRow & { readonly body: string }) | undefined> {
  const { rows } = await listDeliveries(db, { organizationId, id }, { page: 1, perPage: 1 });
  const [row] = rows;
  if (row === undefined) return undefined;
  const event = db.selectFrom('events').select('body').where('id', '=', row.event_id);
  return { ...row, ...(await event.executeTakeFirstOrThrow()) };
}

async function attemptsOf(db: Queryable, ids: string[]): Promise<Map<string, Row<'delivery_attempts'>[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where(sql<boolean>`delivery_id = any(${ids}::uuid[])`)
    .orderBy('started_at')
    .execute();
  return Map.groupBy(rows, (row) => row.delivery_id);
}
