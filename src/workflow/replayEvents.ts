import { invalid } from '../domain/failure.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import { existingEvents, insertMissingDeliveries, restartDeliveriesOf } from '../store/deliveries/events.ts';
import { findEndpoint } from '../store/webhookEndpoints/webhookEndpoints.ts';
import { notifyOfDeliveries } from './deliveryNotifications.ts';
import { requireEnabledEndpoint } from './webhookEndpoints.ts';

export interface EventsToReplay {
  readonly organizationId: string;
  /** UUIDs. */
  readonly eventIds: readonly string[];
  /** Only to this webhook endpoint, also if it did not get the events before. */
  readonly endpointId: string | undefined;
}

/**
 * Sends events again, with no tries counted. @returns the number of deliveries.
 * @throws Failure: 422 for unknown ids, 409 if the endpoint is disabled.
 */
export async function replayEvents(
  tx: Queryable,
  { organizationId, eventIds, endpointId }: EventsToReplay,
): Promise<number> {
  const known = await existingEvents(tx, organizationId, eventIds);
  const unknown = eventIds.flatMap((id, index) => (known.includes(id) ? [] : [`event_ids.${index}`]));
  const text = 'is not the id of an event of this organization.';
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((path) => [path, [text]])));
  const endpoint = endpointId === undefined ? undefined : await enabledEndpoint(tx, organizationId, endpointId);
  const deliveries = await restartDeliveriesOf(tx, known, endpoint?.id);
  if (endpoint !== undefined) deliveries.push(...(await insertMissingDeliveries(tx, known, endpoint)));
  await notifyOfDeliveries(tx, deliveries);
  await notify(tx, { due: true });
  return deliveries.length;
}

async function enabledEndpoint(tx: Queryable, organizationId: string, id: string) {
  if ((await findEndpoint(tx, { organizationId, id })) === undefined)
    throw invalid({ webhook_endpoint_id: ['is not the id of a webhook endpoint of this organization.'] });
  return requireEnabledEndpoint(tx, { organizationId, id });
}
