/** Bodies and records of share links. */
import { z } from 'zod';
import { expiryFault, SHARE_DAYS_DEFAULT, SHARE_DAYS_MAX, SHARE_LABEL_MAX } from '../domain/shareLinks.ts';
import { parseTimestamp } from '../domain/time.ts';
import { KeyReference, time } from './records.ts';
import { lengthFault, text } from './requests.ts';
import { OURS } from './schemaParts.ts';

const expiresAt = z
  .string()
  .transform((value, context) => {
    const parsed = parseTimestamp(value);
    const message =
      parsed === undefined
        ? 'must be an ISO 8601 time, for example 2026-12-24T18:00:00Z.'
        : expiryFault(parsed, new Date());
    if (parsed !== undefined && message === undefined) return parsed;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', format: 'date-time' } });

const DOWNLOADS =
  'Whether readers of the link may download the pictures as PPTX, PDF or ZIP, with the names of the ads.';

export const NewShare = z
  .object({
    label: text((value) => lengthFault(value, SHARE_LABEL_MAX))
      .meta({ maxLength: SHARE_LABEL_MAX })
      .nullish()
      .describe('For whom the link is. Readers of the link do not see it.'),
    expires_at: expiresAt
      .nullish()
      .describe(`In ${SHARE_DAYS_DEFAULT} days unless given, at most ${SHARE_DAYS_MAX} days from now.`),
    downloads: z.boolean().nullish().describe(`${DOWNLOADS} \`false\` unless given.`),
  })
  .meta({ id: 'NewShare', description: `A share link to create. ${OURS}` });

export const ShareRecord = z
  .object({
    type: z.literal('share'),
    id: z.uuid(),
    screenshot_set_id: z.uuid(),
    url: z
      .url()
      .describe('Everybody who has this address sees the pictures of the set until the link expires or is revoked.'),
    label: z.string(),
    downloads: z.boolean().describe(DOWNLOADS),
    status: z.enum(['active', 'expired', 'revoked']),
    created_at: time,
    created_by: KeyReference.nullable(),
    expires_at: time,
    revoked_at: time.nullable(),
    last_used_at: time.nullable().describe('To the minute.'),
    uses: z.number().int().describe('Minutes in which the link was opened.'),
  })
  .meta({ id: 'Share', description: `A share link of a set. ${OURS}` });

export type ShareRecord = z.infer<typeof ShareRecord>;
