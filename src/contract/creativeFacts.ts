/** The facts of a creative that a capture measured. */
import { z } from 'zod';
import { cutCodePoints, storable } from '../domain/text.ts';
import { OURS } from './schemaParts.ts';

/** Items of a list of facts. */
export const LISTED_MAX = 50;
/** How long the picture is watched: 30 s, and the pause of a loop. */
export const MOTION_MS = 35_000;

/** Texts and lists come from a creative, which may make any. */
const text = z.string().transform((value) => cutCodePoints(storable(value), 500));
const list = <S extends z.ZodType>(item: S) => z.array(item).max(LISTED_MAX);
const count = z.number().int().min(0);
const seconds = z.number().min(0).max(100_000);

/** A part of the facts that is missing. */
const NotMeasured = z.object({ not_measured: text.describe('Why.') });
export type NotMeasured = z.infer<typeof NotMeasured>;

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
    .describe(`The picture changed at least until then. It is watched for ${MOTION_MS / 1000} s.`),
  processor_load: z
    .number()
    .min(0)
    .max(1_000)
    .optional()
    .describe('Seconds of processor time that the ad needs in each second of its own. Missing if it was not watched.'),
  exit: z
    .union([
      z.object({
        address: text.nullable().describe('The address that a click opened, with a test value in place of `clickTag`.'),
        // `click_tag`: the value of the ad server, or a literal that it replaces. `library`: by a library of the ad server.
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
export type PageFacts = z.infer<typeof PageFacts>;
export type Exit = Exclude<PageFacts['exit'], NotMeasured>;

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
export type CreativeFacts = z.infer<typeof CreativeFacts>;
