/** Starts all that delivers events and pictures. Webhooks and S3 have a worker each, so that neither takes the slots of the other. */
import { deliverToBucket } from '../buckets/bucketDelivery.ts';
import { startConnectorChecks } from '../buckets/connectorCheck.ts';
import { type DeliveryOptions, DeliveryWorker, type SendDelivery } from './deliveryWorker.ts';
import { createWebhookFetch, sendWebhook } from './webhook.ts';
import { finishPendingDeliveries } from './webhookEndpoints.ts';

const LIMITS = {
  webhook: { total: 512, perOrganization: 64, perReceiver: 16 },
  s3: { total: 16, perOrganization: 2, perReceiver: 2 },
} as const;

export interface Deliveries {
  /** Claims nothing more, and waits for running attempts, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/** Starts the workers of deliveries, and those of other queues, which stop with the queue. */
export async function startDeliveries(options: DeliveryOptions): Promise<Deliveries> {
  await startConnectorChecks(options);
  await startEndpointUpdates(options);
  const send = { webhook: webhookSender(options), s3: bucketSender(options) };
  const workers = (['webhook', 's3'] as const).map((channel) => {
    const limits = { ...LIMITS[channel], ...options.limits };
    return new DeliveryWorker({ ...options, channel, limits, send: send[channel] });
  });
  for (const worker of workers) worker.start();
  const unsubscribe = options.subscribe?.((change) => {
    // An empty change follows a lost connection.
    const isLost = Object.keys(change).length === 0;
    if (change.due === true || isLost) for (const worker of workers) worker.wake();
  });
  return {
    stop: async (timeoutMs) => {
      unsubscribe?.();
      await Promise.all(workers.map((worker) => worker.stop(timeoutMs)));
    },
  };
}

function webhookSender({ guard, now = () => new Date() }: DeliveryOptions): SendDelivery {
  const fetch = createWebhookFetch(guard);
  return async ({ target: url, event_id, body: payload, open }, signal) =>
    sendWebhook({ url, eventId: `evt_${event_id}`, payload, ...open(), fetch, now, signal });
}

const bucketSender =
  (options: DeliveryOptions): SendDelivery =>
  (delivery, signal) =>
    deliverToBucket(delivery, options, signal);

async function startEndpointUpdates({ queue, store, log }: DeliveryOptions): Promise<void> {
  await queue.work('update_deliveries', { concurrency: 1 }, async (payloads, signal) => {
    for (const { endpoint_id: id } of payloads) {
      await finishPendingDeliveries(store.db, id, signal);
      log.info({ webhook_endpoint_id: id }, 'pending deliveries of a webhook endpoint updated');
    }
  });
}
