import {
  EventDetailRecord,
  EventId,
  EventRecord,
  EventsReplay,
  eventUuid,
  REPLAYED_EVENTS_MAX,
  REPLAYED_IDS_MAX,
  ReplayRecord,
} from '../../../contract/events.ts';
import { REPLAYED_PERIOD } from '../../../contract/examples.ts';
import { DeliveriesQuery, EventsQuery } from '../../../contract/queries.ts';
import { DeliveryDetailRecord, DeliveryRecord } from '../../../contract/records.ts';
import { deliveryDetailRecord, deliveryRecord } from '../../../core/webhooks/deliveryJson.ts';
import { eventDetailRecord, eventRecord, findEvent, listEvents } from '../../../core/webhooks/eventQueries.ts';
import { findDelivery, listDeliveries } from '../../../core/webhooks/listDeliveries.ts';
import { replayDelivery, replayEvents } from '../../../core/webhooks/replayEvents.ts';
import { unknownId, unknownOrRemoved } from '../../../domain/failure.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, foundResponse, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, placeOf } from '../listAnswer.ts';
import { jsonBody, list, route } from './operation.ts';

/** An event has at most one delivery for each receiver and channel. */
const DELIVERIES_SHOWN = 200;

const params = { id: EventId.describe('Id of the event.') };

export const eventRoutes: readonly Route[] = [
  route('get /events', 'read', {
    ...list('listEvents', 'List events, newest first', EventsQuery, EventRecord),
    handler: async ({ query, organizationId }, { store }) => {
      const { ad_id: adId, screenshot_set_id: setId, webhook_endpoint_id: endpointId, topic, from, to } = query;
      const id = query.after === undefined ? undefined : eventUuid(query.after);
      const after = await placeOf(store.db, 'events', { organizationId, id });
      const filter = { organizationId, adId, setId, endpointId, topic, from, to, after };
      return listAnswer(query, (page) => listEvents(store.db, filter, page), eventRecord);
    },
  }),
  route('get /events/{id}', 'read', {
    operationId: 'getEvent',
    summary: 'Read one event',
    description: 'With its content and its deliveries.',
    params,
    answer: EventDetailRecord,
    handler: async (call, { store }) => {
      const { organizationId } = call;
      const row = await findEvent(store.db, { organizationId, id: eventIdOf(call) });
      if (row === undefined) throw unknownOrRemoved('event');
      const page = { page: 1, perPage: DELIVERIES_SHOWN };
      const { rows } = await listDeliveries(store.db, { organizationId, eventId: row.id }, page);
      return jsonResponse(200, eventDetailRecord(row, rows));
    },
  }),
  route('post /events/replay', 'write', {
    cost: COST.heavy,
    operationId: 'replayEvents',
    summary: 'Send events again',
    description: `Takes at most ${REPLAYED_IDS_MAX.toLocaleString('en')} \`ids\`, or a period with at most ${REPLAYED_EVENTS_MAX.toLocaleString('en')} events. Skips deliveries that are about to be sent, those of disabled or deleted endpoints, and the test events of a period. 409 if \`webhook_endpoint_id\` names a disabled endpoint.`,
    idempotent: true,
    body: jsonBody(EventsReplay, REPLAYED_PERIOD),
    status: 202,
    answer: ReplayRecord,
    failures: [409],
    handler: async (call, { store }) => {
      const { organizationId } = call;
      const body = call.input;
      return answerOnce(store.db, { call, endpoint: 'events/replay' }, async (tx) => {
        const extent = await replayEvents(tx, organizationId, body);
        return jsonResponse(202, { type: 'replay', ...extent } satisfies ReplayRecord);
      });
    },
  }),
];

export const deliveryRoutes: readonly Route[] = [
  route('get /deliveries', 'read', {
    ...list('listDeliveries', 'List deliveries, newest first', DeliveriesQuery, DeliveryRecord),
    tags: ['Reading'],
    handler: async (call, { store: { db } }) => {
      const { organizationId, query } = call;
      const after = await placeOf(db, 'deliveries', { organizationId, id: query.after });
      const { screenshot_set_id: setId, ad_id: adId, webhook_endpoint_id: endpointId, status, topic, channel } = query;
      const { from, to } = query;
      const filter = { organizationId, setId, adId, endpointId, status, topic, channel, from, to, after };
      return listAnswer(query, (page) => listDeliveries(db, filter, page), deliveryRecord);
    },
  }),
  route('get /deliveries/{id}', 'read', {
    operationId: 'getDelivery',
    summary: 'Read one delivery',
    description: 'With all attempts, the start of each response, and the event.',
    answer: DeliveryDetailRecord,
    handler: async (call, { store: { db } }) => {
      const row = await findDelivery(db, refOf(call));
      if (row === undefined) throw unknownOrRemoved('delivery');
      return jsonResponse(200, deliveryDetailRecord(row));
    },
  }),
  route('post /deliveries/{id}/replay', 'write', {
    operationId: 'replayDelivery',
    summary: 'Send a delivery again',
    description:
      'Its attempts start again, even if it is waiting for its next attempt. 409 before its first attempt, and if its webhook endpoint is disabled or deleted.',
    idempotent: true,
    status: 202,
    answer: DeliveryRecord,
    failures: [409, 422],
    handler: async (call, { store }) => {
      const ref = refOf(call);
      return answerOnce(store.db, { call, endpoint: `deliveries/${ref.id}/replay` }, async (tx) => {
        const read = async () => (await listDeliveries(tx, ref, { page: 1, perPage: 1 })).rows[0];
        if ((await read()) === undefined) throw unknownOrRemoved('delivery');
        await replayDelivery(tx, ref.id);
        const row = await read();
        return foundResponse(202, row && deliveryRecord(row));
      });
    },
  }),
];

/** @throws Failure (404) if it is not the id of an event, because no object has such an id. */
function eventIdOf({ request }: Call): string {
  const id = eventUuid(String(request.params['id']));
  if (id === undefined) throw unknownId();
  return id;
}
