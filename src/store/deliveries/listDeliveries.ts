import { type Selectable, sql } from 'kysely';
import type { Topic } from '../../domain/topics.ts';
import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/listPage.ts';
import type { DeliveryAttemptTable, DeliveryTable } from '../database/schema.ts';

export interface DeliveryFilter {
  readonly organizationId: string;
  readonly id?: string | undefined;
  readonly setId?: string | undefined;
  readonly adId?: string | undefined;
  readonly status?: Selectable<DeliveryTable>['status'] | undefined;
}

export interface DeliveryRow extends Selectable<DeliveryTable> {
  readonly topic: Topic;
  readonly log: readonly Selectable<DeliveryAttemptTable>[];
}

/** Newest first, each with its attempts. */
export async function listDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  page: Page,
): Promise<ListPage<DeliveryRow>> {
  const matching = db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .where('deliveries.organization_id', '=', filter.organizationId)
    .$if(filter.id !== undefined, (q) => q.where('deliveries.id', '=', filter.id ?? ''))
    .$if(filter.setId !== undefined, (q) => q.where('deliveries.set_id', '=', filter.setId ?? ''))
    .$if(filter.adId !== undefined, (q) => q.where('deliveries.ad_id', '=', filter.adId ?? ''))
    .$if(filter.status !== undefined, (q) => q.where('deliveries.status', '=', filter.status ?? 'pending'));
  const { total } = await matching.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll('deliveries')
    .select('events.topic')
    .orderBy('deliveries.created_at', 'desc')
    .orderBy('deliveries.id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  const logs = await attemptsOf(
    db,
    rows.map((row) => row.id),
  );
  return { rows: rows.map((row) => ({ ...row, log: logs.get(row.id) ?? [] })), total: Number(total) };
}

async function attemptsOf(db: Queryable, ids: string[]): Promise<Map<string, Selectable<DeliveryAttemptTable>[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where(sql<boolean>`delivery_id = any(${ids}::uuid[])`)
    .orderBy('started_at')
    .execute();
  return Map.groupBy(rows, (row) => row.delivery_id);
}
