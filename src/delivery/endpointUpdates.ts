/** The worker of the queue `update_deliveries`. If the process is killed, the queue repeats the entry, and the steps continue. */
import { finishPendingDeliveries } from '../workflow/endpointDeliveries.ts';
import type { DeliveryOptions } from './options.ts';

const CONCURRENCY = 1;

/** Starts the worker; it stops with the queue. */
export async function startEndpointUpdates({
  queue,
  store,
  log,
}: Pick<DeliveryOptions, 'queue' | 'store' | 'log'>): Promise<void> {
  await queue.work('update_deliveries', { concurrency: CONCURRENCY }, async (payloads, signal) => {
    for (const { endpoint_id: id } of payloads) {
      await finishPendingDeliveries(store.db, id, signal);
      log.info({ webhook_endpoint_id: id }, 'pending deliveries of a webhook endpoint updated');
    }
  });
}
