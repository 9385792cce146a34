/** The state of the webhook endpoint of a delivery, and changes of the deliveries that wait for an endpoint. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { EndpointRow } from './webhookEndpointQueries.ts';

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

export type EndpointState = Pick<EndpointRow, 'url' | 'deleted_at' | 'disabled_at' | 'disabled_reason'>;

/** The lock keeps the endpoint in this state until the end of the transaction. @returns undefined if it was removed with its organization. */
export async function readEndpointState(tx: Queryable, endpointId: string): Promise<EndpointState | undefined> {
  return tx
    .selectFrom('webhook_endpoints as e')
    .innerJoin('subscribers as s', 's.id', 'e.id')
    .select(['s.webhook_url as url', 'e.deleted_at', 'e.disabled_at', 'e.disabled_reason'])
    .$narrowType<{ url: string }>()
    .where('e.id', '=', endpointId)
    .forKeyShare('e')
    .executeTakeFirst();
}

/** Pending deliveries of an endpoint end, or go to another address. */
export type PendingChange = { readonly reason: string } | { readonly url: string };

/**
 * Changes at most `most` pending deliveries of an endpoint. It leaves out those that another transaction has locked, because to wait for
 * them could be a deadlock. @returns how many it changed, and whether others remain.
 */
export async function changePendingDeliveries(
  tx: Queryable,
  endpointId: string,
  { change, most }: { change: PendingChange; most: number },
): Promise<{ changed: number; isComplete: boolean }> {
  const isConcerned = 'url' in change ? sql<boolean>`target <> ${change.url}` : sql<boolean>`true`;
  const pending = tx
    .selectFrom('deliveries')
    .select('id')
    .where('subscriber_id', '=', endpointId)
    .where('status', '=', 'pending')
    .where(isConcerned);
  const { numUpdatedRows } = await tx
    .updateTable('deliveries')
    .set(
      'url' in change
        ? { target: change.url }
        : { status: 'gone', reason: change.reason, next_attempt_at: null, finished_at: sql<Date>`now()` },
    )
    .where('id', 'in', pending.limit(most).forUpdate().skipLocked())
    .executeTakeFirstOrThrow();
  const changed = Number(numUpdatedRows);
  return { changed, isComplete: (await pending.limit(1).executeTakeFirst()) === undefined };
}
