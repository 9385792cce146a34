/** The settings of an organization. */
import { z } from 'zod';
import { SET_DAYS } from '../domain/retention.ts';
import { REVIEW_MODES } from '../domain/reviews.ts';
import { OURS } from './descriptions.ts';

const review = z
  .enum(REVIEW_MODES)
  .describe(
    '`automatic`: finished sets approve themselves. `partial`: only complete ones do, and sets with failures wait for a review. `manual`: all sets wait for a review.',
  );

const SET_RETENTION =
  'Sets are removed this many days after their request, with pictures, reviews, share links and exports.';

export const SettingsBody = z
  .object({
    review: review.nullish(),
    set_retention_days: z
      .number()
      .int('must be a whole number of days.')
      .min(SET_DAYS.min, `must be at least ${SET_DAYS.min} day.`)
      .max(SET_DAYS.max, `must be at most ${SET_DAYS.max} days.`)
      .nullish()
      .describe(`${SET_RETENTION} Null: as the operator chose. Absent: no change.`),
  })
  .meta({ id: 'SettingsChange', description: `Settings to change. Absent ones stay. ${OURS}` });

const RetentionBounds = z
  .object({
    minimum: z.int(),
    maximum: z.int().describe('The operator may have set it.'),
    default: z.int().nullable().describe('Applies if the organization chose nothing. Null: the objects stay.'),
  })
  .meta({ id: 'RetentionBounds', description: `The days that the organization may choose. ${OURS}` });

export const SettingsRecord = z
  .object({
    type: z.literal('settings'),
    review,
    set_retention_days: z.int().nullable().describe(`${SET_RETENTION} Null: they stay until they are deleted.`),
    retention_bounds: z.object({ set_retention_days: RetentionBounds }),
    sending_addresses: z
      .array(z.string())
      .describe(
        'The addresses or ranges from which the service connects to webhooks, buckets, sites and creatives. Empty: the operator named none.',
      ),
  })
  .meta({ id: 'Settings', description: `Settings of the organization. ${OURS}` });

export type SettingsRecord = z.infer<typeof SettingsRecord>;
