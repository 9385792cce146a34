/** Bodies and records of replays of a period. */
import { z } from 'zod';
import { parseTimestamp } from '../domain/time.ts';
import { ENDPOINT_TOPICS } from '../domain/topics.ts';
import { OURS } from './descriptions.ts';
import { time, uuid } from './records.ts';

/** A replay of more events than these is rejected. */
export const REPLAYED_PERIOD_EVENTS_MAX = 100_000;
/** Replays of one organization that run at the same time. */
export const RUNNING_REPLAYS_MAX = 5;

const givenTime = z
  .string()
  .transform((value, context) => {
    const parsed = parseTimestamp(value);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time, for example 2026-11-21T09:30:00Z.' });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'date-time' } });

export const NewEventReplay = z
  .object({
    from: givenTime.describe('Events that were recorded at this time or later.'),
    to: givenTime.nullish().describe('Events that were recorded at this time or earlier; now unless given.'),
    topic: z.enum(ENDPOINT_TOPICS).nullish().describe('Only events of this topic.'),
    webhook_endpoint_id: z
      .uuid('must be a UUID.')
      .nullish()
      .describe(
        'Sends the events only to this webhook endpoint, also those that it did not get before. Without `topic`, these are the events of its own topics.',
      ),
    only_failed: z
      .boolean()
      .nullish()
      .describe('Sends again only deliveries that ended without success. `false` unless given.'),
  })
  .superRefine(({ from, to }, context) => {
    if (to && from > to) context.addIssue({ code: 'custom', path: ['from'], message: 'must not be after "to".' });
  })
  .meta({ id: 'NewEventReplay', description: `A period whose events are sent again. ${OURS}` });

export const EventReplayRecord = z
  .object({
    type: z.literal('event_replay'),
    id: uuid,
    status: z.enum(['running', 'finished', 'failed']),
    reason: z.string().nullable().describe('Why it failed.'),
    from: time,
    to: time,
    topic: z.enum(ENDPOINT_TOPICS).nullable(),
    webhook_endpoint_id: uuid.nullable(),
    only_failed: z.boolean(),
    events: z.number().int().describe('The events of the period at the time of the request.'),
    events_done: z.number().int().describe('Those that were looked at.'),
    deliveries: z.number().int().describe('The deliveries that are now sent again, or for the first time.'),
    created_at: time,
    finished_at: time.nullable(),
  })
  .meta({ id: 'EventReplayRun', description: `A replay of a period, which runs in the background. ${OURS}` });

export type NewEventReplay = z.output<typeof NewEventReplay>;
export type EventReplayRecord = z.infer<typeof EventReplayRecord>;
