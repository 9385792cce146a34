import { conflict, notFound } from '../domain/failure.ts';
import type { Queryable } from '../store/database/database.ts';
import { lockDeliveries, restartDelivery } from '../store/deliveries/deliveryStatus.ts';
import { lockedEndpointFault } from '../store/webhookEndpoints/endpointEvents.ts';
import { notifyOfDeliveries } from './deliveryNotifications.ts';

const ENDPOINT_FAULTS = {
  disabled: 'names a disabled webhook endpoint: enable it first.',
  deleted: 'names a webhook endpoint that was deleted.',
} as const;

/**
 * Sends a delivery again, with no tries counted, also while it waits for its next attempt.
 * @throws Failure 404, and 409 before its first attempt or if its webhook endpoint is disabled or deleted.
 */
export async function replayDelivery(transaction: Queryable, deliveryId: string): Promise<void> {
  const fault = await lockedEndpointFault(transaction, deliveryId);
  if (fault !== undefined) throw conflict('webhook_endpoint_id', ENDPOINT_FAULTS[fault]);
  const [delivery] = await lockDeliveries(transaction, [deliveryId]);
  if (delivery === undefined) throw notFound('id', `There is no delivery ${deliveryId}.`);
  if (delivery.status === 'pending' && delivery.tries === 0)
    throw conflict('status', 'is pending: the service is about to send the delivery.');
  await restartDelivery(transaction, deliveryId);
  await notifyOfDeliveries(transaction, [delivery]);
}
