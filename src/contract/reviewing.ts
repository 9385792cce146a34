/** Bodies of reviews of screenshots. */
import { z } from 'zod';
import { COMMENT_MAX, DECISIONS } from '../domain/reviews.ts';
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
