/** Starts all that delivers events and pictures. Each channel has a worker, so that none takes the slots of another. */

import { shareToken } from '../../api/auth/shareTokens.ts';
import { createThumbnails } from '../../api/thumbnails/thumbnails.ts';
import { startConnectorChecks } from '../../core/buckets/connectorCheck.ts';
import {
  chatSender,
  mailSender,
  type NoticeOptions,
  startClientMails,
  startCollecting,
} from '../../core/notices/sending.ts';
import { deliverToBucket } from '../../core/webhooks/bucketDelivery.ts';
import { type DeliveryOptions, DeliveryWorker, type SendDelivery } from '../../core/webhooks/deliveryWorker.ts';
import { createWebhookFetch, sendWebhook } from '../../core/webhooks/webhook.ts';
import { finishPendingDeliveries } from '../../core/webhooks/webhookEndpoints.ts';
import type { Channel } from '../../domain/topics.ts';
import type { Repetition } from '../../lib/repeat.ts';

const LIMITS = {
  webhook: { total: 512, perOrganization: 64, perReceiver: 16 },
  s3: { total: 16, perOrganization: 2, perReceiver: 2 },
  email: { total: 8, perOrganization: 4, perReceiver: 4 },
  chat: { total: 32, perOrganization: 8, perReceiver: 8 },
} as const;

const NOTICE_POLL_MS = 2_000;

export interface Deliveries {
  /** Claims nothing more, and waits for running attempts, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/** Starts the workers of deliveries, and those of other queues, which stop with the queue. */
export async function startDeliveries(
  options: DeliveryOptions & {
    /** Without it, notices wait. */
    readonly notices?: NoticeOptions;
    /** How often due mails and chat messages are read. Default: every 2 s. */
    readonly noticePollMs?: number;
  },
): Promise<Deliveries> {
  await startConnectorChecks(options);
  await startEndpointUpdates(options);
  const { notices, store, noticePollMs = NOTICE_POLL_MS } = options;
  const start = (channel: Channel, send: SendDelivery, more: { readonly pollMs?: number } = {}) => {
    const limits = { ...LIMITS[channel], ...options.limits };
    const worker = new DeliveryWorker({ ...options, channel, limits, send, ...more });
    worker.start();
    return worker;
  };
  const woken = [start('webhook', webhookSender(options)), start('s3', bucketSender(options))];
  const workers = [...woken];
  // Nothing wakes these workers, so that webhooks do not cause useless queries.
  const seldom = { pollMs: noticePollMs };
  if (notices !== undefined) workers.push(start('chat', chatSender(options), seldom));
  let clients: Repetition | undefined;
  if (notices?.mailer !== undefined) {
    const drawPicture = createThumbnails(store.db, options.artifacts).draw;
    const { mailer, publicUrl, secret } = notices;
    const tokenOf = (id: string) => shareToken(secret, id);
    const means = { db: store.db, log: options.log, publicUrl, tokenOf, drawPicture };
    workers.push(start('email', mailSender(means, mailer, notices), seldom));
    clients = startClientMails(means, mailer);
  }
  const collecting = notices && (await startCollecting(options, notices));
  const unsubscribe = options.subscribe?.((change) => {
    // An empty change follows a lost connection.
    const isLost = Object.keys(change).length === 0;
    if (change.due === true || isLost) for (const worker of woken) worker.wake();
  });
  return {
    stop: async (timeoutMs) => {
      unsubscribe?.();
      await collecting?.stop();
      await clients?.stop();
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
