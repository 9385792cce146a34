/** A slot of a page, judged for one size of ads, as placements and failed screenshots show it. */
import { z } from 'zod';
import { SLOT_FORMATS } from '../domain/slotFormats.ts';
import { OURS } from './schemaParts.ts';

/** CSS pixels. */
export const cssSize = z.object({ width: z.number(), height: z.number() });

export const PlacementCandidate = z
  .object({
    element: z.string().describe('Id or name of the element.'),
    box: cssSize
      .extend({ x: z.number(), y: z.number() })
      .describe('CSS pixels, from the top left corner of the page. The same place in the picture.'),
    size: cssSize.describe('The size of the slot against which the ad was measured, CSS pixels.'),
    score: z.number().describe('The higher the score, the better the slot suits the ad.'),
    likelihood: z.number().describe('The probability that a person would choose this slot, from 0 to 1.'),
    evidence: z.array(z.string()).describe('Why the element counts as an ad slot, strongest first.'),
    reasons: z.array(z.string()).describe('Sentences about what raised and lowered the score.'),
    format: z
      .enum(SLOT_FORMATS)
      // Captures of earlier releases do not report it.
      .default('display')
      .describe(
        'The kind of ad that the slot takes. `in_stream` is a video player of the page, `video` an outstream unit.',
      ),
    problem: z.string().nullable().describe('Why the slot cannot hold an ad of this size; null if it can.'),
  })
  .meta({ id: 'PlacementCandidate', description: `A slot of the page, judged for one size. ${OURS}` });
export type PlacementCandidate = z.infer<typeof PlacementCandidate>;

/** As a provenance record has it. */
const Recorded = z.object({ ...PlacementCandidate.shape, size: z.tuple([z.number(), z.number()]) }).transform(
  ({ size: [width, height], ...candidate }): PlacementCandidate => ({
    ...candidate,
    size: { width, height },
  }),
);
const Record_ = z.object({ candidates: z.array(z.unknown()) });

/** @param record a provenance record. One of an older version of the service may lack facts, and then has no candidates. */
export function candidatesOf(record: object | undefined): PlacementCandidate[] {
  const all = Record_.safeParse(record).data?.candidates ?? [];
  return all.flatMap((candidate) => Recorded.safeParse(candidate).data ?? []);
}
