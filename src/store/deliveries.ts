/** Deliveries: what is to be sent to whom, and what came of each try. */
import { type Selectable, sql } from 'kysely';
import type { Queryable } from './database.ts';
import { deliveryGroup } from './deliveryGroup.ts';
import type { FollowUp } from './followUp.ts';
import { notify } from './notifications.ts';
import type { DeliveryTable, S3ConnectorTable } from './schema.ts';

export interface DueDelivery {
  readonly id: string;
  readonly organization_id: string;
  readonly event_id: string;
  readonly topic: string;
  /** The envelope, byte for byte. */
  readonly body: string;
  readonly channel: 'webhook' | 's3';
  readonly target: string;
  readonly ad_id: string | null;
  readonly set_id: string | null;
  /** Those that sign at this time. */
  readonly secrets: readonly string[];
  readonly bucket: string | null;
  readonly region: string | null;
  readonly keyPrefix: string;
}

/** @returns undefined for a delivery that is finished, unknown or not due yet. */
export async function readDueDelivery(db: Queryable, id: string): Promise<DueDelivery | undefined> {
  const row = await db
    .selectFrom('deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .innerJoin('organizations as o', 'o.id', 'd.organization_id')
    .innerJoin('subscribers as s', 's.id', 'd.subscriber_id')
    .select([
      'd.id',
      'd.organization_id',
      'd.event_id',
      'e.topic',
      'e.body',
      'd.channel',
      'd.target',
      'd.ad_id',
      'd.set_id',
      's.s3_bucket as bucket',
      's.s3_region as region',
      's.s3_key_prefix as prefix',
      'o.webhook_secret',
      sql<string | null>`case when o.webhook_secret_rotated_at > now() - interval '1 day'
        then o.previous_webhook_secret end`.as('previous_secret'),
    ])
    .where('d.id', '=', id)
    .where('d.status', '=', 'pending')
    // A stray second job of the same delivery finds it waiting for its next try.
    .where('d.next_attempt_at', '<=', sql<Date>`now() + interval '1 second'`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { prefix, webhook_secret, previous_secret, ...rest } = row;
  return {
    ...rest,
    keyPrefix: prefix ?? '',
    secrets: [webhook_secret, ...(previous_secret === null ? [] : [previous_secret])],
  };
}

export async function readConnector(
  db: Queryable,
  organizationId: string,
): Promise<Selectable<S3ConnectorTable> | undefined> {
  return db.selectFrom('s3_connectors').selectAll().where('organization_id', '=', organizationId).executeTakeFirst();
}

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
