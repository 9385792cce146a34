import { z } from 'zod';
import { OURS } from '../../../contract/descriptions.ts';
import { EventReplayRecord, NewEventReplay, REPLAYED_PERIOD_EVENTS_MAX } from '../../../contract/eventReplays.ts';
import {
  EventDetailRecord,
  EventId,
  EventRecord,
  EventReplay,
  EventsReplay,
  REPLAYED_EVENTS_MAX,
  ReplayRecord,
} from '../../../contract/events.ts';
import { REPLAYED_EVENTS, REPLAYED_PERIOD } from '../../../contract/examples.ts';
import { EventReplaysQuery, EventsQuery } from '../../../contract/queries.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { createEventReplay, eventReplayList, oneEventReplay } from '../eventReplays.ts';
import { eventList, oneEvent, replayMany, replayOne } from '../events.ts';
import { BODY_FAILURES, idempotent, jsonBody, list, organization, responses, withId } from './operation.ts';

const TAGS = ['Deliveries'];
const LEFT_OUT =
  'Leaves out deliveries that are about to be sent, and those of disabled or deleted endpoints. 409 if `webhook_endpoint_id` names a disabled endpoint.';
const eventPath = z.object({ ...organization, id: EventId.describe('Id of the event.') });

export const eventRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/events',
    scope: 'read',
    cost: COST.list,
    operation: { ...list('listEvents', 'List events, newest first', EventsQuery, EventRecord), tags: TAGS },
    handler: eventList,
  },
  {
    method: 'get',
    path: '/events/{id}',
    scope: 'read',
    operation: {
      operationId: 'getEvent',
      summary: 'Read one event',
      description: `With its content and its deliveries. ${OURS}`,
      tags: TAGS,
      requestParams: { path: eventPath },
      responses: responses(200, EventDetailRecord),
    },
    handler: oneEvent,
  },
  {
    method: 'post',
    path: '/events/{id}/replay',
    scope: 'write',
    operation: {
      operationId: 'replayEvent',
      summary: 'Send an event again',
      description: `${LEFT_OUT} ${OURS}`,
      tags: TAGS,
      requestParams: { path: eventPath, header: idempotent },
      requestBody: jsonBody(EventReplay, {}, false),
      responses: responses(202, ReplayRecord, [...BODY_FAILURES, 409]),
    },
    handler: replayOne,
  },
  {
    method: 'post',
    path: '/events/replay',
    scope: 'write',
    cost: COST.heavy,
    operation: {
      operationId: 'replayEvents',
      summary: 'Send several events again',
      description: `At most ${REPLAYED_EVENTS_MAX}. ${LEFT_OUT} ${OURS}`,
      tags: TAGS,
      requestParams: { path: z.object(organization), header: idempotent },
      requestBody: jsonBody(EventsReplay, REPLAYED_EVENTS),
      responses: responses(202, ReplayRecord, [...BODY_FAILURES, 409]),
    },
    handler: replayMany,
  },
  {
    method: 'get',
    path: '/event_replays',
    scope: 'read',
    operation: {
      ...list('listEventReplays', 'List replays of periods, newest first', EventReplaysQuery, EventReplayRecord),
      tags: TAGS,
    },
    handler: eventReplayList,
  },
  {
    method: 'post',
    path: '/event_replays',
    scope: 'write',
    operation: {
      operationId: 'createEventReplay',
      summary: 'Send the events of a period again',
      description: `Runs in the background; \`GET …/event_replays/{id}\` shows the progress. At most ${REPLAYED_PERIOD_EVENTS_MAX.toLocaleString('en')} events. ${LEFT_OUT} Test events are left out too. ${OURS}`,
      tags: TAGS,
      requestParams: { path: z.object(organization), header: idempotent },
      requestBody: jsonBody(NewEventReplay, REPLAYED_PERIOD),
      responses: responses(202, EventReplayRecord, [...BODY_FAILURES, 409]),
    },
    handler: createEventReplay,
  },
  {
    method: 'get',
    path: '/event_replays/{id}',
    scope: 'read',
    operation: {
      operationId: 'getEventReplay',
      summary: 'Read the replay of a period',
      description: `It has ended when \`status\` is not \`running\`. ${OURS}`,
      tags: TAGS,
      requestParams: { path: withId('replay') },
      responses: responses(200, EventReplayRecord),
    },
    handler: oneEventReplay,
  },
];
