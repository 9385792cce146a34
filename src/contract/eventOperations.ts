/** The paths of stored events in the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { OURS } from './descriptions.ts';
import { EventReplayRecord, NewEventReplay, REPLAYED_PERIOD_EVENTS_MAX } from './eventReplays.ts';
import {
  EventDetailRecord,
  EventId,
  EventRecord,
  EventReplay,
  EventsReplay,
  REPLAYED_EVENTS_MAX,
  ReplayRecord,
} from './events.ts';
import { REPLAYED_EVENTS, REPLAYED_PERIOD } from './examples.ts';
import { idempotent, type OperationParts } from './operationParts.ts';
import { EventReplaysQuery, EventsQuery } from './queries.ts';

const BODY_FAILURES = [400, 409, 413, 415, 422] as const;
const TAGS = ['Deliveries'];
const LEFT_OUT =
  'Leaves out deliveries that are about to be sent, and those of disabled or deleted endpoints. 409 if `webhook_endpoint_id` names a disabled endpoint.';

export function eventOperations({
  base,
  organization,
  withId,
  responses,
  list,
}: OperationParts): ZodOpenApiPathsObject {
  const path = z.object({ ...organization, id: EventId.describe('Id of the event.') });
  return {
    [`${base}/events`]: {
      get: { ...list('listEvents', 'List events, newest first', EventsQuery, EventRecord), tags: TAGS },
    },
    [`${base}/events/{id}`]: {
      get: {
        operationId: 'getEvent',
        summary: 'Read one event',
        description: `With its content and its deliveries. ${OURS}`,
        tags: TAGS,
        requestParams: { path },
        responses: responses(200, EventDetailRecord, []),
      },
    },
    [`${base}/events/{id}/replay`]: {
      post: {
        operationId: 'replayEvent',
        summary: 'Send an event again',
        description: `${LEFT_OUT} ${OURS}`,
        tags: TAGS,
        requestParams: { path, header: idempotent },
        requestBody: body(EventReplay, {}, false),
        responses: responses(202, ReplayRecord, BODY_FAILURES),
      },
    },
    [`${base}/events/replay`]: {
      post: {
        operationId: 'replayEvents',
        summary: 'Send several events again',
        description: `At most ${REPLAYED_EVENTS_MAX}. ${LEFT_OUT} ${OURS}`,
        tags: TAGS,
        requestParams: { path: z.object(organization), header: idempotent },
        requestBody: body(EventsReplay, REPLAYED_EVENTS),
        responses: responses(202, ReplayRecord, BODY_FAILURES),
      },
    },
    [`${base}/event_replays`]: {
      get: {
        ...list('listEventReplays', 'List replays of periods, newest first', EventReplaysQuery, EventReplayRecord),
        tags: TAGS,
      },
      post: {
        operationId: 'createEventReplay',
        summary: 'Send the events of a period again',
        description: `Runs in the background; \`GET …/event_replays/{id}\` shows the progress. At most ${REPLAYED_PERIOD_EVENTS_MAX.toLocaleString('en')} events. ${LEFT_OUT} Test events are left out too. ${OURS}`,
        tags: TAGS,
        requestParams: { path: z.object(organization), header: idempotent },
        requestBody: body(NewEventReplay, REPLAYED_PERIOD),
        responses: responses(202, EventReplayRecord, BODY_FAILURES),
      },
    },
    [`${base}/event_replays/{id}`]: {
      get: {
        operationId: 'getEventReplay',
        summary: 'Read the replay of a period',
        description: `It has ended when \`status\` is not \`running\`. ${OURS}`,
        tags: TAGS,
        requestParams: { path: withId('replay') },
        responses: responses(200, EventReplayRecord, []),
      },
    },
  };
}

function body(schema: z.ZodType, example: object, required = true) {
  return { required, content: { 'application/json': { schema, example } } };
}
