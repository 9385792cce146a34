/** Handlers for stored events. */
import { EventsReplay, eventUuid, type ReplayRecord } from '../../contract/events.ts';
import { EventsQuery } from '../../contract/queries.ts';
import { eventDetailRecord, eventRecord, findEvent, listEvents } from '../../core/webhooks/eventQueries.ts';
import { listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { replayEvents } from '../../core/webhooks/replayEvents.ts';
import { unknownId, unknownOrRemoved } from '../../domain/failure.ts';
import { type AuthorizedRequest, type JsonResponse, jsonResponse, readOrFail } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readJson } from './jsonBody.ts';
import { listAnswer, placeOf } from './listAnswer.ts';
import type { PublicApiOptions } from './options.ts';

type Handler = (call: AuthorizedRequest) => Promise<JsonResponse>;

/** An event has at most one delivery for each receiver and channel. */
const DELIVERIES_SHOWN = 200;

/** GET …/events: newest first. */
export function eventList({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const query = readOrFail(EventsQuery, request.query);
    const { ad_id: adId, screenshot_set_id: setId, webhook_endpoint_id: endpointId, topic, from, to } = query;
    const id = query.after === undefined ? undefined : eventUuid(query.after);
    const after = await placeOf(store.db, 'events', { organizationId, id });
    const filter = { organizationId, adId, setId, endpointId, topic, from, to, after };
    return listAnswer(query, (page) => listEvents(store.db, filter, page), eventRecord);
  };
}

/** @throws Failure (404) */
export function oneEvent({ store }: PublicApiOptions): Handler {
  return async (call) => {
    const { organizationId } = call;
    const row = await findEvent(store.db, { organizationId, id: eventIdOf(call) });
    if (row === undefined) throw unknownOrRemoved('event');
    const page = { page: 1, perPage: DELIVERIES_SHOWN };
    const { rows } = await listDeliveries(store.db, { organizationId, eventId: row.id }, page);
    return jsonResponse(200, eventDetailRecord(row, rows));
  };
}

/** POST …/events/replay: 202 with the number of deliveries. */
export function replayMany({ store }: PublicApiOptions): Handler {
  return async (call) => {
    const { request, organizationId } = call;
    const { value, sha256 } = await readJson(request);
    const body = readOrFail(EventsReplay, value);
    return answerOnce({ db: store.db, call, endpoint: 'events/replay', bodySha256: sha256 }, async (tx) => {
      const extent = await replayEvents(tx, organizationId, body);
      return jsonResponse(202, { type: 'replay', ...extent } satisfies ReplayRecord);
    });
  };
}

/** @throws Failure (404) if it is not the id of an event, because no object has such an id. */
function eventIdOf({ request }: AuthorizedRequest): string {
  const id = eventUuid(String(request.params['id']));
  if (id === undefined) throw unknownId();
  return id;
}
