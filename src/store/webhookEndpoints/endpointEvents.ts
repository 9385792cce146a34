/** The webhook endpoints that want an event, and changes of the deliveries that wait for one. */
import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import type { SubscriberTable } from '../database/schema.ts';

/**
 * The enabled endpoints of an organization. The lock makes a transaction that disables or deletes one wait for the
 * deliveries of this transaction, so that it ends these too.
 */
export async function readEnabledEndpoints(
  db: Queryable,
  organizationId: string,
): Promise<Pick<Selectable<SubscriberTable>, 'id' | 'webhook_url' | 'webhook_topics'>[]> {
  return db
    .selectFrom('webhook_endpoints as e')
    .innerJoin('subscribers as s', 's.id', 'e.id')
    .select(['s.id', 's.webhook_url', 's.webhook_topics'])
    .where('e.organization_id', '=', organizationId)
    .where('e.deleted_at', 'is', null)
    .where('e.disabled_at', 'is', null)
    .orderBy('e.created_at')
    .forKeyShare('e')
    .execute();
}

/**
 * @returns why this delivery must not be sent again, or undefined. The lock keeps its endpoint enabled until the end of
 * the transaction. Take it before the lock of the delivery, as a change of the endpoint does.
 */
export async function lockedEndpointFault(
  tx: Queryable,
  deliveryId: string,
): Promise<'disabled' | 'deleted' | undefined> {
  const endpoint = await tx
    .selectFrom('webhook_endpoints as e')
    .innerJoin('deliveries as d', 'd.subscriber_id', 'e.id')
    .select(['e.disabled_at', 'e.deleted_at'])
    .where('d.id', '=', deliveryId)
    .forKeyShare('e')
    .executeTakeFirst();
  if (endpoint === undefined) return undefined;
  if (endpoint.deleted_at !== null) return 'deleted';
  return endpoint.disabled_at === null ? undefined : 'disabled';
}

/** Ends the deliveries to this endpoint that are not delivered yet. Their queue entries then do nothing. */
export async function endPendingDeliveries(tx: Queryable, endpointId: string, reason: string): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ status: 'gone', reason, next_attempt_at: null, finished_at: sql<Date>`now()` })
    .where('subscriber_id', '=', endpointId)
    .where('status', '=', 'pending')
    .execute();
}

/** Sends waiting deliveries of this endpoint to its new address. */
export async function redirectPendingDeliveries(tx: Queryable, endpointId: string, url: string): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ target: url })
    .where('subscriber_id', '=', endpointId)
    .where('status', '=', 'pending')
    .execute();
}
