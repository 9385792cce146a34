/** The bodies that change ads, sets and campaigns, and review screenshots. Absent fields stay. */
import { z } from 'zod';
import { METADATA_VALUE_MAX, type MetadataChange } from '../domain/metadata.ts';
import { COMMENT_MAX, DECISIONS } from '../domain/reviews.ts';
import { isBlank } from '../domain/text.ts';
import { isAbsent, isObject, kindOf } from './faults.ts';
import { AdName, CampaignName, Instructions, SetName } from './requests.ts';
import { anyOf, OURS } from './schemaParts.ts';
import { textUpTo } from './textFields.ts';

export const ExpectedDecision = z
  .enum(DECISIONS)
  .nullish()
  .describe(
    'The decision that you know; `none` for a picture without one. If another reviewer has made a different decision since, the answer is 409 with the code `decision_changed`. Absent: the new decision replaces any other.',
  );

export const ScreenshotReviewBody = z
  .object({
    decision: z.enum(DECISIONS).nullish().describe('`none` withdraws a decision. Absent: the current one is kept.'),
    comment: textUpTo(COMMENT_MAX).nullish().describe('Absent: the current one is kept. Blank: it is removed.'),
    expected_decision: ExpectedDecision,
  })
  .refine(({ decision, comment }) => !isAbsent(decision) || !isAbsent(comment), {
    path: ['decision'],
    message: 'is required, unless there is a comment.',
  })
  .meta({
    id: 'ScreenshotReview',
    description: `A reviewer’s decision about one picture. ${OURS}`,
    override: anyOf({ decision: { type: 'string' }, comment: { type: 'string' } }),
  });

const metadataChange = z
  .unknown()
  .transform((value, context): MetadataChange => {
    if (isChange(value)) return value;
    context.addIssue({
      code: 'custom',
      message: isObject(value)
        ? 'must have only texts and null as values.'
        : `must be an object, but is ${kindOf(value)}.`,
    });
    return z.NEVER;
  })
  .meta({
    override: {
      type: 'object',
      additionalProperties: { type: ['string', 'null'], maxLength: METADATA_VALUE_MAX },
    },
    description: `Pairs to set. A value of null removes its pair, and pairs that are not named stay. Null instead of an object removes all. ${OURS}`,
  });

function isChange(value: unknown): value is MetadataChange {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string' || text === null);
}

const newAdName = AdName.refine((name) => !isBlank(name), 'must not be blank.');

export const AdChange = z
  .object({ name: newAdName.nullish().describe('The new name.'), metadata: metadataChange.nullable().optional() })
  .meta({ id: 'AdChange', description: `Fields of an ad to change. ${OURS}` });

export const SetChange = z
  .object({
    name: SetName.nullable().optional().describe('Null: the set has no custom name.'),
    instructions: Instructions.nullable().optional(),
    metadata: metadataChange.nullable().optional(),
  })
  .meta({ id: 'ScreenshotSetChange', description: `Fields of a set to change. ${OURS}` });

export const CampaignChange = z
  .object({ name: CampaignName.describe('The new name. Longer than 250 characters, it is truncated to 250.') })
  .meta({ id: 'CampaignChange', description: `The new name of a campaign. ${OURS}` });
