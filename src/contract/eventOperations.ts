/** The paths of stored events in the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { OURS } from './descriptions.ts';
import {
  EventDetailRecord,
  EventId,
  EventRecord,
  EventsReplay,
  REPLAYED_EVENTS_MAX,
  REPLAYED_IDS_MAX,
  ReplayRecord,
} from './events.ts';
import { REPLAYED_PERIOD } from './examples.ts';
import { idempotent, type OperationParts } from './operationParts.ts';
import { EventsQuery } from './queries.ts';

const TAGS = ['Deliveries'];

export function eventOperations({ base, organization, responses, list }: OperationParts): ZodOpenApiPathsObject {
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
    [`${base}/events/replay`]: {
      post: {
        operationId: 'replayEvents',
        summary: 'Send events again',
        description: `Takes at most ${REPLAYED_IDS_MAX.toLocaleString('en')} \`ids\`, or a period with at most ${REPLAYED_EVENTS_MAX.toLocaleString('en')} events. Leaves out deliveries that are about to be sent, those of disabled or deleted endpoints, and the test events of a period. 409 if \`webhook_endpoint_id\` names a disabled endpoint. ${OURS}`,
        tags: TAGS,
        requestParams: { path: z.object(organization), header: idempotent },
        requestBody: {
          required: true,
          content: { 'application/json': { schema: EventsReplay, example: REPLAYED_PERIOD } },
        },
        responses: responses(202, ReplayRecord, [400, 409, 413, 415, 422]),
      },
    },
  };
}
