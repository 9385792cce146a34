/** Makes deliveries due again, and tells pages that deliveries changed. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type Change, notifyAll } from '../../db/notifications.ts';
import type { Row } from '../../db/rows.ts';

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
