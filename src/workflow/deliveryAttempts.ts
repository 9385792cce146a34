/** Records an attempt of a delivery, and enqueues the next one if there is one. */
import type { Enqueuer } from '../queue/payloads.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import { deliveryGroup } from '../store/deliveries/deliveryGroup.ts';
import { insertDeliveryAttempt, lockDelivery, updateDelivery } from '../store/deliveries/deliveryStatus.ts';

export interface DeliveryAttemptResult {
  readonly durationMs: number;
  readonly statusCode: number | undefined;
  readonly outcome: 'delivered' | 'retry' | 'gone';
  readonly error: string | undefined;
  readonly responseSnippet: string | undefined;
}

/** The end of a delivery, or the delay before its next try. */
export type NextStep =
  | { readonly state: 'delivered' | 'gone' | 'retries_exhausted' }
  | { readonly state: 'waiting'; readonly waitMs: number };

/**
 * Stores a delivery attempt and the next step. The same transaction adds the queue entry of the next attempt.
 * @param decide gets the number of attempts since the delivery was last started or replayed, including this one.
 */
export async function recordDeliveryAttempt(
  transaction: Queryable,
  {
    deliveryId,
    result,
    decide,
  }: { deliveryId: string; result: DeliveryAttemptResult; decide: (tries: number) => NextStep },
  queue: Enqueuer,
): Promise<NextStep['state'] | 'superseded'> {
  const delivery = await lockDelivery(transaction, deliveryId);
  if (delivery === undefined) throw new Error(`There is no delivery ${deliveryId}.`);
  await insertAttempt(transaction, { deliveryId, attempt: delivery.attempts + 1, result, now: delivery.now });
  const { set_id, ad_id } = delivery;
  await notify(transaction, { ...(set_id === null ? {} : { set: set_id }), ...(ad_id === null ? {} : { ad: ad_id }) });
  if (delivery.status !== 'pending') {
    await updateDelivery(transaction, deliveryId, { attempts: delivery.attempts + 1 });
    return 'superseded';
  }
  const next = decide(delivery.tries + 1);
  const counted = { attempts: delivery.attempts + 1, tries: delivery.tries + 1 };
  if (next.state !== 'waiting') {
    await updateDelivery(transaction, deliveryId, {
      ...counted,
      status: next.state,
      next_attempt_at: null,
      finished_at: delivery.now,
    });
    return next.state;
  }
  // On PostgreSQL's clock, as the queue's own.
  const dueAt = new Date(delivery.now.getTime() + next.waitMs);
  await updateDelivery(transaction, deliveryId, { ...counted, next_attempt_at: dueAt });
  const options = { startAfter: dueAt, group: deliveryGroup(delivery.target) };
  await queue.enqueue(transaction, 'deliver', { delivery_id: deliveryId }, options);
  return 'waiting';
}

async function insertAttempt(
  transaction: Queryable,
  {
    deliveryId,
    attempt,
    result,
    now,
  }: { deliveryId: string; attempt: number; result: DeliveryAttemptResult; now: Date },
): Promise<void> {
  await insertDeliveryAttempt(transaction, {
    delivery_id: deliveryId,
    attempt,
    started_at: new Date(now.getTime() - result.durationMs),
    duration_ms: result.durationMs,
    status_code: result.statusCode ?? null,
    outcome: result.outcome,
    error: result.error ?? null,
    response_snippet: result.responseSnippet ?? null,
  });
}
