/** Bodies and records of stored events. */
import { z } from 'zod';
import { isUuid, UUID_PATTERN } from '../domain/slugs.ts';
import { EVENT_TOPICS } from '../domain/topics.ts';
import { OURS } from './descriptions.ts';
import { DeliveryRecord, time, uuid } from './records.ts';
import { text } from './requests.ts';

export const REPLAYED_EVENTS_MAX = 50;

/** @returns the UUID in `evt_<uuid>` or in a bare UUID, or undefined. */
export function eventUuid(id: string): string | undefined {
  const bare = id.replace(/^evt_/, '').toLowerCase();
  return isUuid(bare) ? bare : undefined;
}

export const EventId = text((value) =>
  eventUuid(value) === undefined ? 'must be the id of an event: evt_<uuid>.' : undefined,
).meta({ pattern: `^(evt_)?${UUID_PATTERN}$` });

const webhook_endpoint_id = z
  .uuid('must be a UUID.')
  .nullish()
  .describe(
    'Sends the events only to this webhook endpoint, also if it did not get them before. Without it, they go again to all receivers that had them.',
  );

export const EventReplay = z
  .object({ webhook_endpoint_id })
  .meta({ id: 'EventReplay', description: `How to send an event again. ${OURS}` });

export const EventsReplay = z
  .object({
    event_ids: z
      .array(EventId)
      .min(1, 'must name at least one event.')
      .max(REPLAYED_EVENTS_MAX, `must have at most ${REPLAYED_EVENTS_MAX} entries: send several requests.`),
    webhook_endpoint_id,
  })
  .meta({ id: 'EventsReplay', description: `Events to send again. ${OURS}` });

export const EventRecord = z
  .object({
    type: z.literal('event'),
    id: z.string().describe('`evt_<uuid>`, as in the envelope.'),
    topic: z.enum(EVENT_TOPICS),
    created_at: time,
    ad_id: uuid.nullable(),
    screenshot_set_id: uuid.nullable(),
  })
  .meta({ id: 'Event', description: `A stored event, without its content. ${OURS}` });

export const EventDetailRecord = EventRecord.extend({
  data: z.record(z.string(), z.unknown()).describe('As receivers get it.'),
  deliveries: z.array(DeliveryRecord),
}).meta({ id: 'EventDetail', description: `A stored event with its content and its deliveries. ${OURS}` });

export const ReplayRecord = z
  .object({
    type: z.literal('replay'),
    events: z.number().int(),
    deliveries: z.number().int().describe('The deliveries that are now sent again, or for the first time.'),
  })
  .meta({ id: 'Replay', description: `The extent of a replay. ${OURS}` });

export type EventRecord = z.infer<typeof EventRecord>;
export type EventDetailRecord = z.infer<typeof EventDetailRecord>;
export type ReplayRecord = z.infer<typeof ReplayRecord>;
