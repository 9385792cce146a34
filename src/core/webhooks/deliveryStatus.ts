/** Queries that store events and deliveries, and send deliveries again. */
import { type Insertable, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type Change, notify, notifyAll } from '../../db/notifications.ts';
import type { Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';

/** The subscribers of an ad or of a set, in the order of the request. */
export async function readSubscribers(
  db: Queryable,
  { adId, setId }: { readonly adId?: string; readonly setId?: string },
): Promise<Row<'subscribers'>[]> {
  return db
    .selectFrom('subscribers')
    .selectAll()
    .$if(adId !== undefined, (q) => q.where('ad_id', '=', adId ?? ''))
    .$if(setId !== undefined, (q) => q.where('set_id', '=', setId ?? ''))
    .orderBy('seq')
    .execute();
}

export type NewDelivery = Omit<Insertable<Schema['deliveries']>, 'event_id' | 'organization_id' | 'next_attempt_at'>;

/** Stores an event with its deliveries, which are due at once. The commit wakes the workers. */
export async function insertEvent(
  transaction: Queryable,
  event: Insertable<Schema['events']>,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await transaction.insertInto('events').values(event).execute();
  const owner = { event_id: event.id, organization_id: event.organization_id };
  const rows = deliveries.map((delivery) => ({ ...delivery, ...owner, next_attempt_at: sql<Date>`now()` }));
  await transaction.insertInto('deliveries').values(rows).execute();
  await notify(transaction, { due: true });
}

export type OneDelivery = Pick<Row<'deliveries'>, 'id' | 'set_id' | 'ad_id'>;

/** Tells the pages of the delivery, and of its set or ad, that it changed. */
export const deliveryChange = ({ id, set_id, ad_id }: OneDelivery): Change => ({
  delivery: id,
  ...(set_id !== null && { set: set_id }),
  ...(ad_id !== null && { ad: ad_id }),
});

export async function notifyOfDeliveries(tx: Queryable, deliveries: readonly OneDelivery[]): Promise<void> {
  await notifyAll(tx, deliveries.map(deliveryChange));
}

export async function lockDelivery(tx: Queryable, id: string) {
  return tx
    .selectFrom('deliveries')
    .select(['id', 'status', 'tries', 'set_id', 'ad_id'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** The values of a delivery that is pending and due now, with no tries counted, at the present address of its endpoint. */
export const restarted = () => ({
  status: 'pending' as const,
  target: sql<string>`coalesce((select s.webhook_url from webhook_endpoints w join subscribers s using (id)
    where w.id = deliveries.subscriber_id), deliveries.target)`,
  replays: sql<number>`deliveries.replays + 1`,
  tries: 0,
  next_attempt_at: sql<Date>`now()`,
  finished_at: null,
  reason: null,
});

/**
 * Makes a delivery pending and due now, with no tries counted, and sends it to the present address of its endpoint. The
 * commit wakes the workers.
 */
export async function restartDelivery(transaction: Queryable, id: string): Promise<void> {
  await transaction.updateTable('deliveries').set(restarted()).where('id', '=', id).execute();
  await notify(transaction, { due: true });
}
