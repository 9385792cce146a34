/** Bodies and records of stored events, and all topics with the schemas of their events. */
import { z } from 'zod';
import { isUuid, UUID_PATTERN } from '../domain/slugs.ts';
import { ENDPOINT_TOPICS, EVENT_TOPICS, TEST_TOPIC, type WebhookTopic } from '../domain/topics.ts';
import { AdEvent, DeliveryRecord, ScreenshotSetEvent, time, uuid } from './records.ts';
import { OURS } from './schemaParts.ts';
import { ShareAnswerEvent } from './sharing.ts';
import { instant, text } from './textFields.ts';
import { TestEvent, WebhookEndpointEvent } from './webhookEndpoints.ts';

interface TopicDescription {
  readonly when: string;
  readonly event: z.ZodType;
}

export const TOPIC_DESCRIPTIONS: Readonly<Record<WebhookTopic, TopicDescription>> = {
  'ad.uploaded': { when: 'The preview of an ad exists. An ad ends once, so it has at most one event.', event: AdEvent },
  'ad.failed': {
    when: 'An ad could not be captured. `status` and `reason` show why. It has no preview.',
    event: AdEvent,
  },
  'screenshot_set.approved': {
    when: 'A set is ready: a reviewer approved it, or it ended and the organization approves sets automatically. It has at least one picture, and other screenshots may have failed.',
    event: ScreenshotSetEvent,
  },
  'screenshot_set.failed': {
    when: 'A set ended without any picture. Each screenshot has its own `status` and `reason`.',
    event: ScreenshotSetEvent,
  },
  'screenshot_set.rejected': {
    when: 'A reviewer rejected a set. `review_notes` contains the text.',
    event: ScreenshotSetEvent,
  },
  'screenshot_set.reopened': {
    when: 'A reviewer reopened an approved or rejected set, which is `in_review` again. The next decision has its own event.',
    event: ScreenshotSetEvent,
  },
  'screenshot_set.progress': {
    when: 'A quarter, a half or three quarters of the screenshots of a set have ended. Small sets skip steps.',
    event: ScreenshotSetEvent,
  },
  'share.answered': {
    when: 'A client with a share link approved pictures or requested changes. The event is removed with its set.',
    event: ShareAnswerEvent,
  },
  'webhook_endpoint.disabled': {
    when: 'The service disabled a webhook endpoint because every delivery attempt failed for days. It is sent only to other endpoints of the organization.',
    event: WebhookEndpointEvent,
  },
  [TEST_TOPIC]: {
    when: 'A person or a program requested a test event. It is sent once, only to the address or endpoint of that request.',
    event: TestEvent,
  },
};

export const REPLAYED_IDS_MAX = 1_000;
/** A replay of a period with more events is rejected. */
export const REPLAYED_EVENTS_MAX = 10_000;

/** @returns the UUID in `evt_<uuid>` or in a bare UUID, or undefined. */
export function eventUuid(id: string): string | undefined {
  const bare = id.replace(/^evt_/, '').toLowerCase();
  return isUuid(bare) ? bare : undefined;
}

export const EventId = text((value) =>
  eventUuid(value) === undefined ? 'must be the id of an event: evt_<uuid>.' : undefined,
).meta({ pattern: `^(evt_)?${UUID_PATTERN}$` });

const givenTime = instant('2026-11-21T09:30:00Z');

export const EventsReplay = z
  .object({
    ids: z
      .array(EventId)
      .min(1, 'must name at least one event.')
      .max(REPLAYED_IDS_MAX, `must have at most ${REPLAYED_IDS_MAX} entries: send several requests.`)
      .nullish()
      .describe('The events. Without it, `from` begins a period.'),
    from: givenTime.nullish().describe('Events that were recorded at this time or later.'),
    to: givenTime.nullish().describe('Events that were recorded at this time or earlier; now unless given.'),
    topics: z
      .array(z.enum(ENDPOINT_TOPICS))
      .min(1, 'must name at least one topic.')
      .nullish()
      .describe('Only events of the period with these topics.'),
    webhook_endpoint_id: z
      .uuid('must be a UUID.')
      .nullish()
      .describe(
        'Sends the events only to this webhook endpoint, including those that it has not received before. A period without `topics` then has the topics of the endpoint. Without it, events are sent again to all their receivers.',
      ),
    only_failed: z
      .boolean()
      .nullish()
      .describe('Sends again only deliveries that ended without success. `false` unless given.'),
  })
  .superRefine(({ ids, from, to, topics }, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (!ids && !from) fault('ids', 'is required, or from.');
    for (const [field, value] of Object.entries({ from, to, topics }))
      if (ids && value) fault(field, 'must be left out if ids is given.');
    if (from && to && from > to) fault('from', 'must not be after "to".');
  })
  .meta({
    id: 'EventsReplay',
    description: `Events to send again: \`ids\`, or a period. ${OURS}`,
    override: {
      oneOf: [
        {
          properties: {
            ids: { type: 'array' },
            from: { type: 'null' },
            to: { type: 'null' },
            topics: { type: 'null' },
          },
          required: ['ids'],
        },
        { properties: { from: { type: 'string' }, ids: { type: 'null' } }, required: ['from'] },
      ],
    },
  });

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
  data: z.record(z.string(), z.unknown()).describe('As sent to receivers.'),
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
export type EventsReplay = z.output<typeof EventsReplay>;
export type ReplayRecord = z.infer<typeof ReplayRecord>;
