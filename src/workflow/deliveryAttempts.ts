/** Records an attempt of a delivery, and enqueues the next one if there is one. */
import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import type { DeliveryTable } from '../store/database/schema.ts';
import { deliveryGroup } from '../store/deliveries/deliveryGroup.ts';
import type { FollowUp } from './eventContext.ts';

export interface Try {
  readonly durationMs: number;
  readonly statusCode: number | undefined;
  readonly outcome: 'delivered' | 'retry' | 'gone';
  readonly error: string | undefined;
  readonly responseSnippet: string | undefined;
}

/** What follows from a try: the end, or another try after so many milliseconds. */
export type Verdict =
  | { readonly state: 'delivered' | 'gone' | 'retries_exhausted' }
  | { readonly state: 'waiting'; readonly waitMs: number };

/**
 * Logs a try and what follows from it; the next try's job is enqueued in the same transaction.
 * @param judge gets the number of tries since the delivery was last begun, this one included.
 */
export async function recordTry(
  transaction: Queryable,
  { deliveryId, made, judge }: { deliveryId: string; made: Try; judge: (tries: number) => Verdict },
  queue: FollowUp,
): Promise<Verdict['state'] | 'superseded'> {
  const delivery = await transaction
    .selectFrom('deliveries')
    .select(['status', 'attempts', 'tries', 'target', 'set_id', 'ad_id', sql<Date>`now()`.as('now')])
    .where('id', '=', deliveryId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  await insertAttempt(transaction, { deliveryId, attempt: delivery.attempts + 1, made, now: delivery.now });
  const { set_id, ad_id } = delivery;
  await notify(transaction, { ...(set_id === null ? {} : { set: set_id }), ...(ad_id === null ? {} : { ad: ad_id }) });
  if (delivery.status !== 'pending') {
    await update(transaction, deliveryId, { attempts: delivery.attempts + 1 });
    return 'superseded';
  }
  const verdict = judge(delivery.tries + 1);
  const counted = { attempts: delivery.attempts + 1, tries: delivery.tries + 1 };
  if (verdict.state !== 'waiting') {
    await update(transaction, deliveryId, {
      ...counted,
      status: verdict.state,
      next_attempt_at: null,
      finished_at: delivery.now,
    });
    return verdict.state;
  }
  // On Postgres's clock, as the queue's own.
  const dueAt = new Date(delivery.now.getTime() + verdict.waitMs);
  await update(transaction, deliveryId, { ...counted, next_attempt_at: dueAt });
  const options = { startAfter: dueAt, group: deliveryGroup(delivery.target) };
  await queue.enqueue(transaction, 'deliver', { delivery_id: deliveryId }, options);
  return 'waiting';
}

async function insertAttempt(
  transaction: Queryable,
  { deliveryId, attempt, made, now }: { deliveryId: string; attempt: number; made: Try; now: Date },
): Promise<void> {
  await transaction
    .insertInto('delivery_attempts')
    .values({
      delivery_id: deliveryId,
      attempt,
      started_at: new Date(now.getTime() - made.durationMs),
      duration_ms: made.durationMs,
      status_code: made.statusCode ?? null,
      outcome: made.outcome,
      error: made.error ?? null,
      response_snippet: made.responseSnippet ?? null,
    })
    .execute();
}

interface Change {
  readonly attempts: number;
  readonly tries?: number;
  readonly status?: Selectable<DeliveryTable>['status'];
  readonly next_attempt_at?: Date | null;
  readonly finished_at?: Date;
}

async function update(transaction: Queryable, id: string, change: Change): Promise<void> {
  await transaction.updateTable('deliveries').set(change).where('id', '=', id).execute();
}
