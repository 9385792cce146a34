/** Bodies of reviews of screenshots, and of the settings of an organization. */
import { z } from 'zod';
import { RETENTION_DAYS_MAX } from '../domain/retention.ts';
import { COMMENT_MAX, DECISIONS, REVIEW_MODES } from '../domain/reviews.ts';
import { OURS } from './descriptions.ts';
import { lengthFault, text } from './requests.ts';
import { anyOf } from './schemaParts.ts';

export const ScreenshotReviewBody = z
  .object({
    decision: z.enum(DECISIONS).nullish().describe('`none` withdraws a decision. Absent: the present one stays.'),
    comment: text((value) => lengthFault(value, COMMENT_MAX))
      .meta({ maxLength: COMMENT_MAX })
      .nullish()
      .describe('Absent: the present one stays. Blank: it is removed.'),
  })
  .superRefine(({ decision, comment }, context) => {
    if ((decision ?? null) === null && (comment ?? null) === null)
      context.addIssue({ code: 'custom', path: ['decision'], message: 'is required, unless there is a comment.' });
  })
  .meta({
    id: 'ScreenshotReview',
    description: `A reviewer’s decision about one picture. ${OURS}`,
    override: anyOf({ decision: { type: 'string' }, comment: { type: 'string' } }),
  });

const review = z
  .enum(REVIEW_MODES)
  .describe(
    '`automatic`: finished sets approve themselves. `partial`: only complete ones do, and sets with failures wait for a review. `manual`: all sets wait for a review.',
  );

const retentionDays = z
  .number()
  .int('must be a whole number of days.')
  .min(1, 'must be at least 1 day.')
  .max(RETENTION_DAYS_MAX, `must be at most ${RETENTION_DAYS_MAX} days.`);

export const SettingsBody = z
  .object({
    review: review.nullish(),
    set_retention_days: retentionDays
      .nullish()
      .describe('Sets are removed this many days after their request. Null: as the operator chose. Absent: no change.'),
  })
  .meta({ id: 'SettingsChange', description: `Settings to change. Absent ones stay. ${OURS}` });

export const SettingsRecord = z
  .object({
    type: z.literal('settings'),
    review,
    set_retention_days: z
      .int()
      .nullable()
      .describe(
        'Sets are removed this many days after their request, with pictures, reviews, share links, exports and deliveries. Null: they stay until they are deleted.',
      ),
    sending_addresses: z
      .array(z.string())
      .describe(
        'The addresses or ranges from which the service connects to webhooks, buckets, sites and creatives. Empty: the operator named none.',
      ),
  })
  .meta({ id: 'Settings', description: `Settings of the organization. ${OURS}` });

export type SettingsRecord = z.infer<typeof SettingsRecord>;
