/** Sends deliveries and events again, with no tries counted. An event keeps its id, so receivers recognize a repetition. */
import { sql } from 'kysely';
import { type EventsReplay, eventUuid, REPLAYED_EVENTS_MAX, type ReplayRecord } from '../../contract/events.ts';
import type { Queryable } from '../../db/database.ts';
import { notifyAll } from '../../db/notifications.ts';
import { conflict, invalid, notFound } from '../../domain/failure.ts';
import { EVENT_DAYS } from '../../domain/retention.ts';
import { DEFAULT_TOPICS } from '../../domain/topics.ts';
import { deliveryChange, type OneDelivery } from './deliveryChanges.ts';
import { lockedEndpointFault } from './endpointDeliveries.ts';
import {
  havingDeliveries,
  insertMissingDeliveries,
  lockEvents,
  lockEventsOfPeriod,
  ofEvents,
  restartDeliveries,
} from './eventQueries.ts';
import { type EndpointRow, findEndpoint } from './webhookEndpointQueries.ts';
import { requireEnabledEndpoint } from './webhookEndpoints.ts';

const ENDPOINT_FAULTS = {
  disabled: 'names a disabled webhook endpoint: enable it first.',
  deleted: 'names a webhook endpoint that was deleted.',
} as const;

/**
 * Sends a delivery again, also while it waits for its next attempt.
 * @throws Failure 404, and 409 before its first attempt or if its webhook endpoint is disabled or deleted.
 */
export async function replayDelivery(tx: Queryable, deliveryId: string): Promise<void> {
  const fault = await lockedEndpointFault(tx, deliveryId);
  if (fault !== undefined) throw conflict('webhook_endpoint_id', ENDPOINT_FAULTS[fault]);
  const delivery = await tx
    .selectFrom('deliveries')
    .select(['status', 'tries'])
    .where('id', '=', deliveryId)
    .forUpdate()
    .executeTakeFirst();
  if (delivery === undefined) throw notFound('id', `There is no delivery ${deliveryId}.`);
  if (delivery.status === 'pending' && delivery.tries === 0)
    throw conflict('status', 'is pending: the service is about to send the delivery.');
  await announce(tx, await restartDeliveries(tx, sql<boolean>`id = ${deliveryId}`));
}

/** Tells the pages of deliveries, and wakes the senders. */
async function announce(tx: Queryable, deliveries: readonly OneDelivery[]): Promise<void> {
  await notifyAll(tx, [...deliveries.map(deliveryChange), { due: true }]);
}

type Extent = Pick<ReplayRecord, 'events' | 'deliveries'>;

/**
 * Sends the events of a request again.
 * @throws Failure: 422 for unknown ids, an unknown endpoint or too many events. 409 if the endpoint is disabled, or if the
 * receivers of a named event are no longer known.
 */
export async function replayEvents(tx: Queryable, organizationId: string, body: EventsReplay): Promise<Extent> {
  const { ids, webhook_endpoint_id: id } = body;
  const endpoint = id ? await requireReplayTarget(tx, organizationId, id.toLowerCase()) : undefined;
  const eventIds = ids
    ? await requireEvents(tx, organizationId, ids)
    : await requirePeriod(tx, { organizationId, endpoint, body });
  if (ids && endpoint === undefined) await requireReceivers(tx, eventIds);
  const isOnlyFailed = body.only_failed ?? false;
  const deliveries = await restartDeliveries(tx, ofEvents(eventIds), { endpointId: endpoint?.id, isOnlyFailed });
  if (endpoint !== undefined && !isOnlyFailed)
    deliveries.push(...(await insertMissingDeliveries(tx, eventIds, endpoint)));
  await announce(tx, deliveries);
  return { events: eventIds.length, deliveries: deliveries.length };
}

/** Locks the endpoint. @throws Failure: 422 if the organization has no such endpoint, 409 if it is disabled. */
async function requireReplayTarget(tx: Queryable, organizationId: string, id: string): Promise<EndpointRow> {
  if ((await findEndpoint(tx, { organizationId, id })) === undefined)
    throw invalid({ webhook_endpoint_id: ['is not the id of a webhook endpoint of this organization.'] });
  return requireEnabledEndpoint(tx, { organizationId, id });
}

/** @returns UUIDs. @throws Failure (422) for unknown ids. */
async function requireEvents(tx: Queryable, organizationId: string, ids: readonly string[]): Promise<string[]> {
  const given = ids.map((id) => eventUuid(id) ?? id);
  const known = new Set(await lockEvents(tx, organizationId, given));
  const unknown = given.flatMap((id, index) => (known.has(id) ? [] : [`ids.${index}`]));
  const text = `is not the id of an event of this organization. Events are removed after ${EVENT_DAYS} days.`;
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((path) => [path, [text]])));
  return [...known];
}

interface Period {
  readonly organizationId: string;
  readonly endpoint: EndpointRow | undefined;
  readonly body: EventsReplay;
}

/** @throws Failure (422) for too many events. */
async function requirePeriod(tx: Queryable, { organizationId, endpoint, body }: Period): Promise<string[]> {
  const from = body.from ?? undefined;
  const to = body.to ?? undefined;
  // An endpoint gets only its own topics, unless the request names others.
  const topics = body.topics ?? (endpoint && (endpoint.topics ?? DEFAULT_TOPICS));
  const eventIds = await lockEventsOfPeriod(tx, { organizationId, from, to, topics }, REPLAYED_EVENTS_MAX + 1);
  if (eventIds.length <= REPLAYED_EVENTS_MAX) return eventIds;
  const most = REPLAYED_EVENTS_MAX.toLocaleString('en');
  throw invalid({ from: [`begins a period with more than ${most} events: choose a shorter one, or topics.`] });
}

/** @throws Failure (409) if the receivers of an event are no longer known. */
async function requireReceivers(tx: Queryable, eventIds: readonly string[]): Promise<void> {
  const known = new Set(await havingDeliveries(tx, eventIds));
  const [first, ...others] = eventIds.filter((id) => !known.has(id));
  if (first === undefined) return;
  const which = `evt_${first}${others.length === 0 ? '' : ` and ${others.length} others`}`;
  throw conflict(
    'webhook_endpoint_id',
    `is needed: the deliveries of ${which} were removed with their set or ad, so the service does not know the receivers.`,
  );
}
