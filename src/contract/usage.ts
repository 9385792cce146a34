/** The use of an organization. */
import { z } from 'zod';
import { OURS } from './descriptions.ts';
import { time } from './records.ts';

export const USAGE_DAYS_MAX = 92;
const DAY_MS = 86_400_000;

const day = z.iso.date();

export const UsageQuery = z
  .object({
    from: day.optional().describe('The first day in UTC, for example `2026-11-01`. 29 days before `to` unless given.'),
    to: day.optional().describe('The last day in UTC. Today unless given.'),
  })
  .superRefine(({ from, to }, context) => {
    if (from === undefined || to === undefined) return;
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1) context.addIssue({ code: 'custom', path: ['from'], message: 'must not be after "to".' });
    if (days > USAGE_DAYS_MAX)
      context.addIssue({
        code: 'custom',
        path: ['from'],
        message: `must be at most ${USAGE_DAYS_MAX - 1} days before "to".`,
      });
  });

const UsageDay = z
  .object({
    day,
    pictures: z.int().describe('Screenshots that were requested, retakes included. Deleted sets count.'),
    creatives: z.int().describe('Ads that were created.'),
    deliveries: z.int().describe('Deliveries that were created and not deleted since.'),
  })
  .meta({ id: 'UsageDay', description: `The use of one day, in UTC. ${OURS}` });

export const UsageRecord = z
  .object({
    type: z.literal('usage'),
    days: z.array(UsageDay).describe('Each day of the range, oldest first.'),
    limits: z.object({
      pictures_per_day: z.int().nullable().describe('Null: no limit.'),
      running_captures: z.int().describe('Further captures wait until one ends.'),
    }),
    used: z.object({ pictures_today: z.int(), running_captures: z.int() }),
    left: z.object({ pictures_today: z.int().nullable().describe('Null: no limit.'), running_captures: z.int() }),
    day_ends_at: time.describe('Then `pictures_today` begins at 0 again.'),
  })
  .meta({ id: 'Usage', description: `The use of the organization, its limits and what is left of them. ${OURS}` });

export type UsageRecord = z.infer<typeof UsageRecord>;
