import { conflict, invalid } from '../domain/failure.ts';
import { EVENT_DAYS } from '../domain/retention.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import {
  havingDeliveries,
  insertMissingDeliveries,
  lockEvents,
  restartDeliveriesOf,
} from '../store/deliveries/events.ts';
import { type EndpointRow, findEndpoint } from '../store/webhookEndpoints/webhookEndpoints.ts';
import { notifyOfDeliveries } from './deliveryNotifications.ts';
import { requireEnabledEndpoint } from './webhookEndpoints.ts';

export interface EventsToReplay {
  readonly organizationId: string;
  /** UUIDs. */
  readonly eventIds: readonly string[];
  /** Only to this webhook endpoint, also if it did not get the events before. */
  readonly endpointId: string | undefined;
  /** Only deliveries that ended without success. */
  readonly isOnlyFailed?: boolean;
}

/**
 * Sends events again, with no tries counted. @returns the number of deliveries.
 * @throws Failure: 422 for unknown ids, 409 if the endpoint is disabled, or without one if deliveries were removed.
 */
export async function replayEvents(tx: Queryable, given: EventsToReplay): Promise<number> {
  const { organizationId, eventIds } = given;
  const known = await lockEvents(tx, organizationId, eventIds);
  const unknown = eventIds.flatMap((id, index) => (known.includes(id) ? [] : [`event_ids.${index}`]));
  const text = `is not the id of an event of this organization. Events are removed after ${EVENT_DAYS} days.`;
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((path) => [path, [text]])));
  if (given.endpointId === undefined) await requireReceivers(tx, known);
  return sendAgain(tx, { ...given, eventIds: known });
}

/** @throws Failure (409) if the receivers of an event are not known any more. */
async function requireReceivers(tx: Queryable, eventIds: readonly string[]): Promise<void> {
  const known = await havingDeliveries(tx, eventIds);
  const [first, ...others] = eventIds.filter((id) => !known.includes(id));
  if (first === undefined) return;
  const which = `evt_${first}${others.length === 0 ? '' : ` and ${others.length} others`}`;
  throw conflict(
    'webhook_endpoint_id',
    `is needed: the deliveries of ${which} were removed with their set or ad, so the service does not know the receivers.`,
  );
}

/** As {@link replayEvents}, for ids that are known to be events of the organization. */
export async function sendAgain(tx: Queryable, given: EventsToReplay): Promise<number> {
  const { organizationId, eventIds, endpointId, isOnlyFailed = false } = given;
  const endpoint = endpointId === undefined ? undefined : await requireReplayTarget(tx, organizationId, endpointId);
  if (eventIds.length === 0) return 0;
  const deliveries = await restartDeliveriesOf(tx, eventIds, { endpointId: endpoint?.id, isOnlyFailed });
  if (endpoint !== undefined && !isOnlyFailed)
    deliveries.push(...(await insertMissingDeliveries(tx, eventIds, endpoint)));
  await notifyOfDeliveries(tx, deliveries);
  await notify(tx, { due: true });
  return deliveries.length;
}

/** Locks the endpoint. @throws Failure: 422 if the organization has no such endpoint, 409 if it is disabled. */
export async function requireReplayTarget(tx: Queryable, organizationId: string, id: string): Promise<EndpointRow> {
  if ((await findEndpoint(tx, { organizationId, id })) === undefined)
    throw invalid({ webhook_endpoint_id: ['is not the id of a webhook endpoint of this organization.'] });
  return requireEnabledEndpoint(tx, { organizationId, id });
}
