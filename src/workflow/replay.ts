import { conflict, notFound } from '../domain/failure.ts';
import type { Enqueuer } from '../queue/payloads.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import { deliveryGroup } from '../store/deliveries/deliveryGroup.ts';
import { lockDelivery, restartDelivery } from '../store/deliveries/deliveryStatus.ts';

/** Sends a finished delivery again, with no tries counted. @throws Failure 404, and 409 while it is pending. */
export async function replayDelivery(transaction: Queryable, deliveryId: string, queue: Enqueuer): Promise<void> {
  const delivery = await lockDelivery(transaction, deliveryId);
  if (delivery === undefined) throw notFound('id', `There is no delivery ${deliveryId}.`);
  if (delivery.status === 'pending') throw conflict('status', 'is pending: the delivery is still being tried.');
  await restartDelivery(transaction, deliveryId);
  await queue.enqueue(transaction, 'deliver', { delivery_id: deliveryId }, { group: deliveryGroup(delivery.target) });
  await notify(transaction, {
    ...(delivery.set_id === null ? {} : { set: delivery.set_id }),
    ...(delivery.ad_id === null ? {} : { ad: delivery.ad_id }),
  });
}
