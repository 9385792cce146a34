/** Handlers for replays of a period. */
import { type EventReplayRecord, NewEventReplay } from '../../contract/eventReplays.ts';
import { EventReplaysQuery } from '../../contract/queries.ts';
import { unknownOrRemoved } from '../../domain/failure.ts';
import { findEventReplay, listEventReplays } from '../../store/deliveries/eventReplays.ts';
import { requestPeriodReplay } from '../../workflow/periodReplays.ts';
import { eventReplayRecord } from '../presenters/eventRecords.ts';
import { type AuthorizedRequest, idOf, type JsonResponse, jsonResponse, readOrFail } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readJson } from './jsonBody.ts';
import { listAnswer, placeOf } from './listAnswer.ts';
import type { PublicApiOptions } from './options.ts';

type Handler = (call: AuthorizedRequest) => Promise<JsonResponse>;

/** POST …/event_replays: 202 with the replay, which runs in the background. */
export function createEventReplay({ store, queue }: PublicApiOptions): Handler {
  return async (call) => {
    const { request, organizationId } = call;
    const { value, sha256 } = await readJson(request);
    const body = readOrFail(NewEventReplay, value);
    return answerOnce({ db: store.db, call, endpoint: 'event_replays', bodySha256: sha256 }, async (tx) => {
      const row = await requestPeriodReplay(tx, organizationId, { body, queue, now: new Date() });
      return jsonResponse(202, eventReplayRecord(row) satisfies EventReplayRecord);
    });
  };
}

/** GET …/event_replays: newest first. */
export function eventReplayList({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const query = readOrFail(EventReplaysQuery, request.query);
    const { status, from, to, after: id } = query;
    const after = await placeOf(store.db, 'event_replays', { organizationId, id });
    const filter = { organizationId, status, from, to, after };
    return listAnswer(query, (page) => listEventReplays(store.db, filter, page), eventReplayRecord);
  };
}

/** GET …/event_replays/{id} */
export function oneEventReplay({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const row = await findEventReplay(store.db, { organizationId, id: idOf(request) });
    if (row === undefined) throw unknownOrRemoved('replay');
    return jsonResponse(200, eventReplayRecord(row));
  };
}
