/**
 * Sends deliveries. Each queue entry is one delivery attempt. One transaction stores its result and adds the queue entry
 * of the next attempt.
 */
import type { GuardedFetch } from '../egress/ports.ts';
import { type DeliveryToSend, readDeliveryToSend } from '../store/deliveries/deliveryToSend.ts';
import { type DeliveryAttemptResult, recordDeliveryAttempt } from '../workflow/deliveryAttempts.ts';
import { deliverToBucket } from './bucketDelivery.ts';
import type { DeliveryOptions } from './options.ts';
import { decideNext } from './schedule.ts';
import { createWebhookFetch, sendWebhook } from './webhook.ts';

const CONCURRENCY = 16;
const PER_TARGET = 4;

/**
 * Starts the workers of the queue `deliver`; they stop with the queue. If the process is killed before it stores the
 * result of an attempt, the attempt is repeated with the same webhook-id.
 */
export async function startDeliveries(options: DeliveryOptions): Promise<void> {
  const { concurrency = CONCURRENCY, perTarget = PER_TARGET } = options;
  const fetch = createWebhookFetch(options.guard);
  await options.queue.work(
    'deliver',
    { concurrency, groupConcurrency: Math.min(perTarget, concurrency) },
    async (payloads, signal) => {
      for (const { delivery_id } of payloads) await deliver(delivery_id, { ...options, fetch }, signal);
    },
  );
}

async function deliver(
  id: string,
  options: DeliveryOptions & { readonly fetch: GuardedFetch },
  signal: AbortSignal,
): Promise<void> {
  const { store, queue, log, observe } = options;
  const delivery = await readDeliveryToSend(store.db, id);
  if (delivery === undefined) return;
  const { made, retryAfterMs } = await attempt(delivery, options, signal);
  // A shutdown or a lost queue entry aborted the attempt, not the receiver. pg-boss repeats the queue entry.
  if (signal.aborted && made.outcome === 'retry') throw new Error('The delivery attempt was aborted.');
  const decide = (attempts: number) => decideNext({ outcome: made.outcome, attempts, retryAfterMs });
  const state = await store.db
    .transaction()
    .execute((tx) => recordDeliveryAttempt(tx, { deliveryId: id, result: made, decide }, queue));
  const { event_id, topic, channel, set_id, ad_id } = delivery;
  const { outcome, statusCode, error, durationMs } = made;
  observe?.attempted?.({ channel, outcome, seconds: durationMs / 1000 });
  if (state !== 'waiting' && state !== 'superseded') observe?.ended?.({ channel, outcome: state });
  const ids = { delivery_id: id, event_id, set_id, ad_id };
  log.info({ ...ids, topic, channel, state, statusCode, error, durationMs }, 'delivery attempted');
}

interface AttemptResult {
  readonly made: DeliveryAttemptResult;
  readonly retryAfterMs?: number | undefined;
}

async function attempt(
  delivery: DeliveryToSend,
  options: DeliveryOptions & { readonly fetch: GuardedFetch },
  signal: AbortSignal,
): Promise<AttemptResult> {
  if (delivery.channel === 's3') return { made: await deliverToBucket(delivery, options, signal) };
  const { outcome, statusCode, error, durationMs, responseSnippet, retryAfterMs } = await sendWebhook({
    url: delivery.target,
    eventId: `evt_${delivery.event_id}`,
    payload: delivery.body,
    secrets: delivery.secrets,
    fetch: options.fetch,
    now: options.now ?? (() => new Date()),
    signal,
  });
  return { made: { outcome, statusCode, error, durationMs, responseSnippet }, retryAfterMs };
}
