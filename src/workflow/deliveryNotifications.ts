import type { Queryable } from '../store/database/database.ts';
import { notifyAll } from '../store/database/notifications.ts';

/** Tells the pages of the deliveries, and of their sets or ads, that the deliveries changed. */
export async function notifyOfDeliveries(
  transaction: Queryable,
  deliveries: readonly { id: string; set_id: string | null; ad_id: string | null }[],
): Promise<void> {
  const changes = deliveries.map(({ id, set_id, ad_id }) => ({
    delivery: id,
    ...(set_id === null ? {} : { set: set_id }),
    ...(ad_id === null ? {} : { ad: ad_id }),
  }));
  await notifyAll(transaction, changes);
}
