/** The facts of a creative as captures report them, the settings of its check, and the answer of the API. */
import { z } from 'zod';
import { CHECK_LIMITS, RULE_IDS, SEVERITIES } from '../domain/creativeCheck.ts';
import { cutCodePoints, storable } from '../domain/text.ts';
import { OURS } from './schemaParts.ts';

/** Texts and lists come from a creative, which may make any. */
const text = z.string().transform((value) => cutCodePoints(storable(value), 500));
const list = <S extends z.ZodType>(item: S) => z.array(item).max(CHECK_LIMITS.listed);
const count = z.number().int().min(0);
const seconds = z.number().min(0).max(100_000);
const NotMeasured = z.object({ not_measured: text.describe('Why.') });

const PageFacts = z.object({
  load: z
    .object({ initial_bytes: count, total_bytes: count, initial_requests: count, requests: count })
    .describe('`initial`: until the load event. Text files of the zip count as compressed by gzip.'),
  hosts: list(text).describe('Hosts of files that are not in the zip.'),
  insecure: list(text).describe('Addresses with http.'),
  declared_size: z.object({ width: count, height: count }).nullable().describe('The `ad.size` meta element.'),
  errors: list(z.object({ message: text, file: text, second: seconds })),
  sound: list(text).describe('Media that begin with sound by themselves.'),
  system_fonts: list(text).describe('Fonts of the device in which the ad shows text.'),
  motion: z
    .union([z.object({ seconds }), NotMeasured])
    .describe('The picture changed at least until then. It is watched for 35 s.'),
  exit: z
    .union([
      z.object({
        address: text.nullable().describe('The address that a click opened, with a test value in place of `clickTag`.'),
        by: z.enum(['click_tag', 'library', 'hard_coded']).nullable(),
        new_window: z.boolean(),
      }),
      NotMeasured,
    ])
    .describe('The effect of a click.'),
  zip: z
    .object({
      files: count,
      unused: list(z.object({ file: text, bytes: count })),
      missing: list(text),
      backup_image: text.nullable(),
    })
    .nullable()
    .describe('Null for a creative that is no zip.'),
});

export const CreativeFacts = z
  .object({
    file_bytes: count.nullable().describe('Null for a tag.'),
    white_edge: z.number().min(0).max(1).nullable().describe('The share of the edge that is white or transparent.'),
    animation: z
      .object({ seconds, loops: count })
      .nullable()
      .describe('Null unless the ad is an animated image. `loops`: 0 without an end.'),
    page: z.union([PageFacts, NotMeasured]).nullable().describe('Null for images and videos.'),
  })
  .meta({
    id: 'CreativeFacts',
    description: `Facts about a creative that were measured when it was rendered. ${OURS}`,
  });

const kilobytes = z.number().int().min(1).max(CHECK_LIMITS.kilobytes).nullish();
export const CheckSettings = z
  .object({
    initial_load_kb: kilobytes.describe('Null: the figure of the IAB for the size.'),
    total_weight_kb: kilobytes.describe('Null: the figure of the IAB for the size.'),
    requests: z
      .number()
      .int()
      .min(1)
      .max(CHECK_LIMITS.requests)
      .nullish()
      .describe('Before the ad has loaded. Null: 10, as the IAB.'),
    switched_off: z.array(z.enum(RULE_IDS)).max(RULE_IDS.length).optional().describe('Rules that find nothing.'),
  })
  .meta({ id: 'CreativeCheckSettings', description: `Limits and rules of the creative check. ${OURS}` });

const Finding = z
  .object({
    rule: z.enum(RULE_IDS).describe('To switch it off in the settings. New rules may be added at any time.'),
    severity: z
      .enum(SEVERITIES)
      .describe(
        '`error`: ad servers reject it, or it does not work. `warning`: many publishers reject it. `note`: a hint.',
      ),
    message: z.string(),
    where: z.object({ file: z.string(), address: z.string(), second: z.number() }).partial(),
    why: z.string(),
    source: z.string(),
  })
  .meta({ id: 'CreativeFinding', description: `Something that an ad server will object to. ${OURS}` });

export const CreativeCheckRecord = z
  .object({
    type: z.literal('creative_check'),
    ad_id: z.uuid(),
    not_measured: z.string().nullable().describe('Why there are no facts, and how to get them. Null if there are.'),
    facts: CreativeFacts.nullable(),
    limits: z.object({ initial_load_kb: count, total_weight_kb: count, requests: count }),
    findings: z.array(Finding).describe('The worst first.'),
  })
  .meta({ id: 'CreativeCheck', description: `The objections of ad servers to the creative of an ad. ${OURS}` });
export type CreativeCheckRecord = z.infer<typeof CreativeCheckRecord>;
