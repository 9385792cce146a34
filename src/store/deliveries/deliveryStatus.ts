/** Queries that store events and deliveries, and change the status of a delivery. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Queryable } from '../database/database.ts';
import type { DeliveryAttemptTable, DeliveryTable, EventTable, SubscriberTable } from '../database/schema.ts';

/** The subscribers of an ad or of a set, in the order of the request. */
export async function readSubscribers(
  db: Queryable,
  { adId, setId }: { readonly adId?: string; readonly setId?: string },
): Promise<Selectable<SubscriberTable>[]> {
  return db
    .selectFrom('subscribers')
    .selectAll()
    .$if(adId !== undefined, (q) => q.where('ad_id', '=', adId ?? ''))
    .$if(setId !== undefined, (q) => q.where('set_id', '=', setId ?? ''))
    .orderBy('seq')
    .execute();
}

export type NewDelivery = Omit<Insertable<DeliveryTable>, 'event_id' | 'organization_id' | 'next_attempt_at'>;

/** Stores an event with its deliveries, which are due at once. */
export async function insertEvent(
  transaction: Queryable,
  event: Insertable<EventTable>,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await transaction.insertInto('events').values(event).execute();
  const owner = { event_id: event.id, organization_id: event.organization_id };
  const rows = deliveries.map((delivery) => ({ ...delivery, ...owner, next_attempt_at: sql<Date>`now()` }));
  await transaction.insertInto('deliveries').values(rows).execute();
}

export type LockedDelivery = Pick<
  Selectable<DeliveryTable>,
  'status' | 'attempts' | 'tries' | 'target' | 'set_id' | 'ad_id'
> & {
  /** PostgreSQL's clock. */
  readonly now: Date;
};

export async function lockDelivery(transaction: Queryable, id: string): Promise<LockedDelivery | undefined> {
  return transaction
    .selectFrom('deliveries')
    .select(['status', 'attempts', 'tries', 'target', 'set_id', 'ad_id', sql<Date>`now()`.as('now')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertDeliveryAttempt(
  transaction: Queryable,
  attempt: Insertable<DeliveryAttemptTable>,
): Promise<void> {
  await transaction.insertInto('delivery_attempts').values(attempt).execute();
}

export async function updateDelivery(
  transaction: Queryable,
  id: string,
  change: Updateable<DeliveryTable>,
): Promise<void> {
  await transaction.updateTable('deliveries').set(change).where('id', '=', id).execute();
}

/** Makes a finished delivery pending again, due now, with no tries counted. */
export async function restartDelivery(transaction: Queryable, id: string): Promise<void> {
  await transaction
    .updateTable('deliveries')
    .set({
      status: 'pending',
      replays: sql<number>`replays + 1`,
      tries: 0,
      next_attempt_at: sql<Date>`now()`,
      finished_at: null,
    })
    .where('id', '=', id)
    .execute();
}
