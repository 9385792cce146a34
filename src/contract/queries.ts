/** The query parameters of lists. Each value is text and may occur once. */
import { z } from 'zod';
import { isUuid } from '../domain/slugs.ts';
import { SET_STATUSES } from '../domain/states.ts';
import { textFault } from '../domain/text.ts';
import { parseTimestamp } from '../domain/time.ts';
import { OURS } from './descriptions.ts';

const PER_PAGE_MAX = 500;
export const PER_PAGE_DEFAULT = 100;
const PAGE_MAX = 1_000_000;

const wholeNumber = (max: number) =>
  z
    .string('must be given once.')
    .refine(
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= max,
      `must be a whole number from 1 to ${max.toLocaleString('en')}.`,
    )
    .transform(Number);

const time = z.string('must be given once.').transform((value, context) => {
  // In a query, a plus sign that was not encoded arrives as a space.
  const parsed = parseTimestamp(value.replace(/ (?=\d{2}:?\d{2}$)/, '+'));
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time, for example 2026-11-21T09:30:00Z.' });
  return z.NEVER;
});

const uuid = z.string('must be given once.').refine(isUuid, 'must be a UUID.');
const plain = z.string('must be given once.').superRefine((value, context) => {
  const message = textFault(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const paging = {
  page: wholeNumber(PAGE_MAX)
    .optional()
    .meta({ description: 'From 1.', override: { type: 'integer', minimum: 1 } }),
  per_page: wholeNumber(PER_PAGE_MAX)
    .optional()
    .meta({
      description: `${PER_PAGE_DEFAULT} unless given, at most ${PER_PAGE_MAX}.`,
      override: { type: 'integer', minimum: 1, maximum: PER_PAGE_MAX },
    }),
};

export const AdsQuery = z.object({
  ...paging,
  campaign_id: uuid.optional().describe(`Only from this campaign. ${OURS}`),
  lookup_key: plain.optional().describe(`Only with this lookup key. ${OURS}`),
});

export const CampaignsQuery = z.object({
  ...paging,
  name: plain.optional().describe(`Only campaigns with exactly this name. ${OURS}`),
});

export const SetsQuery = z.object({
  ...paging,
  campaign_id: uuid.optional().describe(`Only from this campaign. ${OURS}`),
  status: z.enum(SET_STATUSES).optional().describe(`Only with this status. ${OURS}`),
});

export const ScreenshotsQuery = z
  .object({
    ...paging,
    from: time.optional().meta({
      description: 'Approved at this time or later; 24 hours ago unless given.',
      override: { type: 'string', format: 'date-time' },
    }),
    to: time.optional().meta({
      description: 'Approved at this time or earlier; now unless given.',
      override: { type: 'string', format: 'date-time' },
    }),
    order: z.enum(['asc', 'desc']).optional().describe('By the time of approval; `desc` unless given.'),
    include: z.enum(['ad.creative']).optional().describe('`ad.creative`: with the media of the ads.'),
  })
  .superRefine(({ from, to }, context) => {
    if (from !== undefined && to !== undefined && from > to) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'must not be after "to".' });
    }
  });

export const DeliveriesQuery = z.object({
  ...paging,
  screenshot_set_id: uuid.optional().describe(`Only about this set. ${OURS}`),
  ad_id: uuid.optional().describe(`Only about this ad. ${OURS}`),
  status: z
    .enum(['pending', 'delivered', 'retries_exhausted', 'gone'])
    .optional()
    .describe(`Only with this status. ${OURS}`),
});
