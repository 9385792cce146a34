/** Since when the delivery attempts of a webhook endpoint fail, and the end of an endpoint that fails for days. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { Enqueuer } from '../../db/queue.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { SERVICE } from '../../domain/auditLog.ts';
import { timestamp } from '../../domain/time.ts';
import { ENDPOINT_DISABLED_TOPIC } from '../../domain/topics.ts';
import { DISABLE_AFTER_DAYS, FAILED_DELIVERIES_MIN } from '../../domain/webhookEndpoints.ts';
import { recordEvent } from '../events/recordEvent.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { recordNotice } from '../journal/recordNotice.ts';
import { webhookEndpointRecord } from './endpointJson.ts';
import { type EndpointRow, lockEndpoint } from './webhookEndpointQueries.ts';
import { requireEndpoint, updatePendingDeliveries } from './webhookEndpoints.ts';

/** Stores when an endpoint began to fail. */
export async function recordEndpointResult(tx: Queryable, id: string, isDelivered: boolean): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ failing_since: isDelivered ? null : sql<Date>`now()` })
    .where('id', '=', id)
    .where('failing_since', isDelivered ? 'is not' : 'is', null)
    .execute();
}

/**
 * @returns the time of the first failure if the endpoint is enabled, its attempts fail for that many days, and enough deliveries failed.
 * The caller has locked the endpoint.
 */
async function readLongFailure(tx: Queryable, endpointId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ failing_since: Date }>`
    select e.failing_since from webhook_endpoints e
    where e.id = ${endpointId} and e.disabled_at is null and e.failing_since <= now() - make_interval(days => ${DISABLE_AFTER_DAYS})
      and ${FAILED_DELIVERIES_MIN} <= (
        select count(*) from (
          select from deliveries d
          where d.subscriber_id = e.id and d.status <> 'delivered' and d.attempts > 0
            and coalesce(d.finished_at, now()) >= e.failing_since
          order by d.created_at desc limit ${FAILED_DELIVERIES_MIN}) failed)`.execute(tx);
  return rows[0]?.failing_since;
}

/**
 * Disables the endpoint if every attempt failed for so many days, and enough deliveries failed. Its pending deliveries end.
 * The event goes to the other endpoints of the organization.
 * @returns the endpoint if it was disabled now.
 */
export async function disableFailingEndpoint(
  tx: Queryable,
  one: ObjectRef,
  queue: Enqueuer,
): Promise<EndpointRow | undefined> {
  // Each transaction that disables an endpoint reads the others.
  await lockOrganizationById(tx, one.organizationId);
  if (!(await lockEndpoint(tx, one))) return undefined;
  const since = await readLongFailure(tx, one.id);
  if (since === undefined) return undefined;
  const reason = `Every delivery attempt since ${timestamp(since)} failed, for more than ${DISABLE_AFTER_DAYS} days.`;
  const disabled = { disabled_at: sql<Date>`now()`, disabled_reason: reason, updated_at: new Date() };
  await tx.updateTable('webhook_endpoints').set(disabled).where('id', '=', one.id).execute();
  await updatePendingDeliveries(tx, one.id, queue);
  const { organizationId, id } = one;
  const [from, to] = [{ disabled: false }, { disabled: true, disabled_reason: reason }];
  await recordAction(tx, SERVICE, { action: 'webhook_endpoint.disabled', of: one, from, to });
  const row = await requireEndpoint(tx, one);
  const event = { organizationId, topic: ENDPOINT_DISABLED_TOPIC } as const;
  await recordEvent(tx, event, async () => JSON.stringify(webhookEndpointRecord(row)));
  const facts = { label: new URL(row.url).host, reason };
  await recordNotice(tx, { organizationId, kind: 'endpoint_disabled', subjectId: id, facts });
  return row;
}
