/** Since when the delivery attempts of a webhook endpoint fail, and the end of an endpoint that fails for days. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

/** Stores when an endpoint began to fail. */
export async function recordEndpointResult(tx: Queryable, id: string, isDelivered: boolean): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ failing_since: isDelivered ? null : sql<Date>`now()` })
    .where('id', '=', id)
    .where('failing_since', isDelivered ? 'is not' : 'is', null)
    .execute();
}

export interface FailureRule {
  readonly days: number;
  /** So many deliveries must have failed in this time. */
  readonly deliveries: number;
}

/**
 * @returns the time of the first failure if the endpoint is enabled and its attempts fail for as long as the rule says. The
 * caller has locked the endpoint.
 */
export async function readLongFailure(
  tx: Queryable,
  endpointId: string,
  { days, deliveries }: FailureRule,
): Promise<Date | undefined> {
  const { rows } = await sql<{ failing_since: Date }>`
    select e.failing_since from webhook_endpoints e
    where e.id = ${endpointId} and e.disabled_at is null and e.failing_since <= now() - make_interval(days => ${days})
      and ${deliveries} <= (
        select count(*) from (
          select from deliveries d
          where d.subscriber_id = e.id and d.status <> 'delivered' and d.attempts > 0
            and coalesce(d.finished_at, now()) >= e.failing_since
          order by d.created_at desc limit ${deliveries}) failed)`.execute(tx);
  return rows[0]?.failing_since;
}

/** Disables an endpoint with a reason, which people read. */
export async function markEndpointFailed(tx: Queryable, id: string, reason: string): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ disabled_at: sql<Date>`now()`, disabled_reason: reason, updated_at: new Date() })
    .where('id', '=', id)
    .execute();
}
