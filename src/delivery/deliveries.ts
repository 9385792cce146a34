/** Works off deliveries: one try a job, what came of it and the next try's job in one transaction. */
import type { GuardedFetch } from '../egress/ports.ts';
import { type DeliveryToSend, readDeliveryToSend } from '../store/deliveries/deliveryToSend.ts';
import { type DeliveryAttemptResult, type NextStep, recordDeliveryAttempt } from '../workflow/deliveryAttempts.ts';
import { deliverToBucket } from './bucketDelivery.ts';
import type { DeliveryOptions } from './options.ts';
import { afterTry, type TryOutcome } from './schedule.ts';
import { createWebhookFetch, sendWebhook } from './webhook.ts';

const CONCURRENCY = 16;
const PER_TARGET = 4;

/**
 * Begins to work off `deliver` jobs; they end with the queue. A try that was made but not stored (the process was killed
 * between) is made again, with the same webhook-id.
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
  // Ended by a shutdown or a lost job, not by the receiver: the job itself is tried again.
  if (signal.aborted && made.outcome === 'retry') throw new Error('The try was ended before it was over.');
  const decide = (tries: number) => verdict({ outcome: made.outcome, tries, retryAfterMs });
  const state = await store.db
    .transaction()
    .execute((tx) => recordDeliveryAttempt(tx, { deliveryId: id, result: made, decide }, queue));
  const { event_id, topic, channel, set_id, ad_id } = delivery;
  const { outcome, statusCode, error, durationMs } = made;
  observe?.tried?.({ channel, outcome, seconds: durationMs / 1000 });
  if (state !== 'waiting' && state !== 'superseded') observe?.ended?.({ channel, outcome: state });
  const ids = { delivery_id: id, event_id, set_id, ad_id };
  log.info({ ...ids, topic, channel, state, statusCode, error, durationMs }, 'delivery tried');
}

interface Made {
  readonly made: DeliveryAttemptResult;
  readonly retryAfterMs?: number | undefined;
}

async function attempt(
  delivery: DeliveryToSend,
  options: DeliveryOptions & { readonly fetch: GuardedFetch },
  signal: AbortSignal,
): Promise<Made> {
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

/** The schedule speaks of times, the store of waits: whose clock it is does not matter then. */
function verdict(made: { outcome: TryOutcome; tries: number; retryAfterMs: number | undefined }): NextStep {
  const next = afterTry({ ...made, at: new Date(0) });
  return next.state === 'waiting' ? { state: 'waiting', waitMs: next.dueAt.getTime() } : next;
}
