import { z } from 'zod';
import { OURS } from '../../../contract/descriptions.ts';
import {
  EventDetailRecord,
  EventId,
  EventRecord,
  EventsReplay,
  REPLAYED_EVENTS_MAX,
  REPLAYED_IDS_MAX,
  ReplayRecord,
} from '../../../contract/events.ts';
import { REPLAYED_PERIOD } from '../../../contract/examples.ts';
import { EventsQuery } from '../../../contract/queries.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { eventList, oneEvent, replayMany } from '../events.ts';
import { BODY_FAILURES, idempotent, jsonBody, list, organization, responses } from './operation.ts';

const TAGS = ['Deliveries'];
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
    path: '/events/replay',
    scope: 'write',
    cost: COST.heavy,
    operation: {
      operationId: 'replayEvents',
      summary: 'Send events again',
      description: `Takes at most ${REPLAYED_IDS_MAX.toLocaleString('en')} \`ids\`, or a period with at most ${REPLAYED_EVENTS_MAX.toLocaleString('en')} events. Leaves out deliveries that are about to be sent, those of disabled or deleted endpoints, and the test events of a period. 409 if \`webhook_endpoint_id\` names a disabled endpoint. ${OURS}`,
      tags: TAGS,
      requestParams: { path: z.object(organization), header: idempotent },
      requestBody: jsonBody(EventsReplay, REPLAYED_PERIOD),
      responses: responses(202, ReplayRecord, [...BODY_FAILURES, 409]),
    },
    handler: replayMany,
  },
];
