/** The settings of an organization. */
import { z } from 'zod';
import { RETENTION_BOUNDS, type RetentionSetting } from '../domain/retention.ts';
import { REVIEW_MODES } from '../domain/reviews.ts';
import { OURS } from './descriptions.ts';

const review = z
  .enum(REVIEW_MODES)
  .describe(
    '`automatic`: finished sets approve themselves. `partial`: only complete ones do, and sets with failures wait for a review. `manual`: all sets wait for a review.',
  );

/** Says which objects are removed, and when. */
const RETENTION: Readonly<Record<RetentionSetting, string>> = {
  set_retention_days:
    'Sets are removed this many days after their request, with pictures, reviews, share links, exports and deliveries.',
  event_retention_days:
    'Events are removed this many days after they were recorded, but never before their last delivery is removed.',
  delivery_retention_days:
    'Deliveries are removed this many days after they ended, with their attempts. Those that are pending stay.',
  request_retention_days: 'Answers to requests with an `Idempotency-Key` are kept and repeated for this many days.',
};

function newDays(setting: RetentionSetting) {
  const { min, max } = RETENTION_BOUNDS[setting];
  return z
    .number()
    .int('must be a whole number of days.')
    .min(min, `must be at least ${min} day${min === 1 ? '' : 's'}.`)
    .max(max, `must be at most ${max} days.`)
    .nullish()
    .describe(`${RETENTION[setting]} Null: as the operator chose. Absent: no change.`);
}

export const SettingsBody = z
  .object({
    review: review.nullish(),
    set_retention_days: newDays('set_retention_days'),
    event_retention_days: newDays('event_retention_days'),
    delivery_retention_days: newDays('delivery_retention_days').describe(
      `${RETENTION.delivery_retention_days} At most \`event_retention_days\`. Null: as the operator chose. Absent: no change.`,
    ),
    request_retention_days: newDays('request_retention_days'),
  })
  .meta({ id: 'SettingsChange', description: `Settings to change. Absent ones stay. ${OURS}` });

const days = (setting: RetentionSetting) => z.int().describe(RETENTION[setting]);

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
    set_retention_days: days('set_retention_days')
      .nullable()
      .describe(`${RETENTION.set_retention_days} Null: they stay until they are deleted.`),
    event_retention_days: days('event_retention_days'),
    delivery_retention_days: days('delivery_retention_days'),
    request_retention_days: days('request_retention_days'),
    retention_bounds: z.object({
      set_retention_days: RetentionBounds,
      event_retention_days: RetentionBounds,
      delivery_retention_days: RetentionBounds,
      request_retention_days: RetentionBounds,
    }),
    sending_addresses: z
      .array(z.string())
      .describe(
        'The addresses or ranges from which the service connects to webhooks, buckets, sites and creatives. Empty: the operator named none.',
      ),
  })
  .meta({ id: 'Settings', description: `Settings of the organization. ${OURS}` });

export type SettingsRecord = z.infer<typeof SettingsRecord>;
