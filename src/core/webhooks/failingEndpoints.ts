/** Disables a webhook endpoint whose delivery attempts fail for days, and tells the organization. */

import type { Queryable } from '../../db/database.ts';
import type { Enqueuer } from '../../db/queuePayloads.ts';
import { changesBetween, SERVICE } from '../../domain/auditLog.ts';
import { timestamp } from '../../domain/time.ts';
import { FAILED_DELIVERIES_MIN } from '../../domain/webhookEndpoints.ts';
import { recordAction } from '../organizations/auditLogQueries.ts';
import { lockOrganizationById } from '../organizations/organizations.ts';
import { updatePendingDeliveries } from './endpointDeliveries.ts';
import { recordEndpointEvent } from './events.ts';
import { markEndpointFailed, readLongFailure } from './failingEndpointQueries.ts';
import { type EndpointRow, lockEndpoint, type OneEndpoint } from './webhookEndpointQueries.ts';
import { requireEndpoint } from './webhookEndpoints.ts';

/**
 * Disables the endpoint if every attempt failed for so many days, and enough deliveries failed. Its pending deliveries end.
 * The event goes to the other endpoints of the organization.
 * @returns the endpoint if it was disabled now.
 */
export async function disableFailingEndpoint(
  tx: Queryable,
  one: OneEndpoint,
  { days, queue }: { days: number; queue: Enqueuer },
): Promise<EndpointRow | undefined> {
  // Each transaction that disables an endpoint reads the others.
  await lockOrganizationById(tx, one.organizationId);
  if (!(await lockEndpoint(tx, one))) return undefined;
  const since = await readLongFailure(tx, one.id, { days, deliveries: FAILED_DELIVERIES_MIN });
  if (since === undefined) return undefined;
  const reason = `Every delivery attempt since ${timestamp(since)} failed, for more than ${days} ${days === 1 ? 'day' : 'days'}.`;
  await markEndpointFailed(tx, one.id, reason);
  await updatePendingDeliveries(tx, one.id, queue);
  const { organizationId, id } = one;
  const changes = changesBetween({ disabled: false }, { disabled: true, disabled_reason: reason });
  await recordAction(tx, SERVICE, { organizationId, action: 'webhook_endpoint.disabled', objectId: id, changes });
  const row = await requireEndpoint(tx, one);
  await recordEndpointEvent(tx, row);
  return row;
}
