/** Placements: the picture of a page and its candidate slots, before an ad is placed. */
import { z } from 'zod';
import { IMAGE_RATIO_MAX, PLACEMENT_SIZES_MAX } from '../domain/placements.ts';
import { SCREENSHOT_STATUSES } from '../domain/states.ts';
import { isAbsent } from './faults.ts';
import { DeviceRecord, time, uuid } from './records.ts';
import { adSize, device, site } from './requests.ts';
import { OURS, oneOf } from './schemaParts.ts';
import { RuleReports } from './siteRules.ts';
import { PlacementCandidate, cssSize as size } from './slotCandidates.ts';

const PlacementAd = z
  .object({ id: uuid })
  .meta({ id: 'PlacementAd', description: 'An ad of the organization, whose size is used instead of `sizes`.' });

export const CreatePlacement = z
  .object({
    site,
    device,
    sizes: z
      .array(adSize)
      .min(1, 'must have at least one size.')
      .max(PLACEMENT_SIZES_MAX, `must have at most ${PLACEMENT_SIZES_MAX} sizes.`)
      .nullish()
      .describe('Sizes of ads, in CSS pixels. The page is opened once for all of them.'),
    ad: PlacementAd.nullish(),
    image_ratio: z
      .number()
      .int()
      .min(1)
      .max(IMAGE_RATIO_MAX)
      .nullish()
      .describe(
        'Pixels of the picture for each CSS pixel: 1 unless given. A page that is too long for 2 has as many as 16,000 pixels allow.',
      ),
  })
  .refine(({ sizes, ad }) => isAbsent(sizes) !== isAbsent(ad), {
    path: ['sizes'],
    message: 'or ad is required, but not both.',
  })
  .meta({
    id: 'CreatePlacement',
    override: oneOf({
      sizes: { type: 'array', minItems: 1, items: {} },
      ad: { $ref: '#/components/schemas/PlacementAd' },
    }),
    description: `Either \`sizes\` or \`ad\`. ${OURS}`,
  });

const SlotsForSize = z
  .object({
    width: z.number().int(),
    height: z.number().int(),
    chosen: z
      .number()
      .int()
      .nullable()
      .describe(
        'The number of the slot that a screenshot would use, from 1; null if no slot can hold the ad, or if `site_rule` chooses an element that is no candidate.',
      ),
    site_rule: z
      .object({ id: z.string(), selector: z.string() })
      .optional()
      .describe('The site rule that chooses the slot for this size, if there is one.'),
    candidates: z
      .array(PlacementCandidate)
      .describe(
        'The 20 best slots, in the order in which the service tries them. `options.slot.index` counts them from 1.',
      ),
    candidates_found: z.number().int().describe('The number of all slots of the page.'),
  })
  .meta({ id: 'PlacementSize', description: `The slots of the page for one size of ads. ${OURS}` });

/** A page and its slots. The capture protocol carries it, the database keeps it, and the API answers with it. */
export const SlotsRecord = z.object({
  final_url: z.string(),
  page: size,
  sizes: z.array(SlotsForSize).max(PLACEMENT_SIZES_MAX),
  // Captures of earlier releases do not report it.
  site_rules: RuleReports.optional(),
});
export type SlotsRecord = z.infer<typeof SlotsRecord>;

export const PlacementRecord = z
  .object({
    type: z.literal('placement'),
    id: uuid,
    status: z.enum(SCREENSHOT_STATUSES).describe('As in screenshots. It never changes after `pending`.'),
    reason: z.string().optional().describe('Why there is no picture, as a sentence. Only on failed placements.'),
    site: z.object({ url: z.string().describe('As in the request.') }),
    device: DeviceRecord,
    created_at: time,
    captured_at: time.nullable(),
    expires_at: time.describe('The service removes the placement and its picture afterwards.'),
    final_url: z.string().nullable().describe('After redirects.'),
    image_url: z
      .url()
      .nullable()
      .describe(
        'URL of the picture (PNG, 256 colors): the page from its top left corner, `image_ratio` pixels for each CSS pixel, at most 16,000 pixels wide and high. It needs no key and cannot be guessed. Null until the picture exists.',
      ),
    page: size.nullable().describe('The whole page in CSS pixels.'),
    sizes: z.array(SlotsForSize).describe('In the order of the request. Without candidates until `uploaded`.'),
    site_rules: RuleReports,
  })
  .meta({ id: 'Placement', description: `A page and its candidate slots, before an ad is placed. ${OURS}` });
export type PlacementRecord = z.infer<typeof PlacementRecord>;
