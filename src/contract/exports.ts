/** The bodies, queries and records of exports and branding as zod schemas. */
import { z } from 'zod';
import { imageUrl } from '../domain/addresses.ts';
import {
  BRAND_NAME_MAX,
  type Branding,
  DEFAULT_ACCENT,
  DEFAULT_BRANDING,
  FOOTER_MAX,
  type Logo,
  PAGE_SIZES,
} from '../domain/branding.ts';
import {
  EXPORT_FORMATS,
  EXPORT_STATUSES,
  type ExportAudience,
  type ExportOptions,
  isTimeZone,
  MAX_DOCUMENT_PICTURES,
  PICTURE_QUALITIES,
} from '../domain/exports.ts';
import { FRAMES } from '../domain/frames.ts';
import { UUID_PATTERN } from '../domain/slugs.ts';
import { codePoints, textFault } from '../domain/text.ts';
import type { Language } from '../domain/texts/languages.ts';
import { uuid } from './queries.ts';
import { OURS } from './schemaParts.ts';

const MAX_PARTS = 1_000;

export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be the IANA name of a time zone, for example Europe/Berlin.')
  .meta({ minLength: 1, example: 'Europe/Berlin' })
  .describe('IANA name of the zone of all times in the file. The zone of the organization unless given.');

const choices = {
  frame: z
    .enum(['none', ...FRAMES])
    .describe(
      '`browser`: each picture in a browser window with the address of its page and the time. `device`: phones and tablets with their body, other pictures in a browser window. `none` unless given. In a ZIP, the framed pictures are beside the originals.',
    ),
  page_size: z.enum(PAGE_SIZES).describe('Size of slides and pages. The page size of the branding unless given.'),
  pictures: z
    .enum(PICTURE_QUALITIES)
    .describe(
      '`standard`: JPEG for screens and paper. `original`: the PNG files without loss, in a larger document. A ZIP always holds the original files. `standard` unless given.',
    ),
  time_zone: timeZone,
};
const format = z.enum(EXPORT_FORMATS).describe('Format of the file.');
const FAILURES =
  'Whether the file lists the screenshots without a picture, with their reasons, and the findings of the creative check. `false` unless given, because the file is for people outside of the organization.';
const LABEL = 'Whether frames carry the label "Placement preview". `true` unless given.';
const PART = `Which ${MAX_DOCUMENT_PICTURES.toLocaleString('en')} pictures of a larger set a PPTX or PDF holds. 1 unless given.`;

const CHOSEN =
  'Ids of the screenshots that the file shows, in this order. All screenshots of the set, by site, unless given.';

export const ExportBody = z
  .object({
    format,
    frame: choices.frame.nullish(),
    label: z.boolean().nullish().describe(LABEL),
    page_size: choices.page_size.nullish(),
    pictures: choices.pictures.nullish(),
    time_zone: timeZone.nullish(),
    failures: z.boolean().nullish().describe(FAILURES),
    part: z.number().int().min(1).max(MAX_PARTS).nullish().describe(PART),
    screenshots: z.array(z.uuid()).min(1).max(MAX_DOCUMENT_PICTURES).nullish().describe(CHOSEN),
  })
  .meta({
    id: 'ExportRequest',
    description: `The choices for one export. ${OURS}`,
  });

const once = 'must be given once.';
const queryFlag = z.enum(['true', 'false']).transform((value) => value === 'true');
const queryNumber = z
  .string(once)
  .refine((value) => /^[1-9]\d{0,3}$/.test(value), 'must be a whole number from 1 to 9,999.')
  .transform(Number);

const queryIds = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((each) => each.split(',')))
  .pipe(z.array(uuid).min(1).max(MAX_DOCUMENT_PICTURES));
const ID_LIST = `^${UUID_PATTERN}(?:,${UUID_PATTERN}){0,${MAX_DOCUMENT_PICTURES - 1}}$`;

/** The same choices as query parameters. */
export const ExportQuery = z.object({
  format: z.enum(EXPORT_FORMATS).describe('Format of the file.'),
  frame: choices.frame.optional(),
  label: queryFlag.optional().meta({ description: LABEL, override: { type: 'string', enum: ['true', 'false'] } }),
  page_size: choices.page_size.optional(),
  pictures: choices.pictures.optional(),
  time_zone: timeZone.optional(),
  failures: queryFlag.optional().meta({ description: FAILURES, override: { type: 'string', enum: ['true', 'false'] } }),
  part: queryNumber.optional().meta({ description: PART, override: { type: 'integer', minimum: 1, maximum: 9_999 } }),
  screenshots: queryIds
    .optional()
    .meta({ description: `${CHOSEN} Separated by commas.`, override: { type: 'string', pattern: ID_LIST } }),
});

/** For whom an export is, and whether they see only approved pictures. */
export interface ExportReaders {
  readonly audience: ExportAudience;
  readonly approvedOnly?: boolean;
  /** Only these screenshots, for a link that shows no others. */
  readonly ids?: readonly string[] | null | undefined;
}

type Choices = z.output<typeof ExportBody> | z.output<typeof ExportQuery>;

/** @returns all options, with the defaults for those that are missing. */
export function exportOptions(
  choice: Choices,
  branding: Pick<Branding, 'page_size'> & { readonly language?: Language; readonly time_zone?: string },
  { audience, approvedOnly = false, ids }: ExportReaders = { audience: 'organization' },
): ExportOptions {
  const isZip = choice.format === 'zip';
  const chosen = choice.screenshots?.filter((id) => ids?.includes(id) ?? true) ?? ids;
  const frame = choice.frame ?? 'none';
  const language = isZip && frame === 'none' ? 'en' : (branding.language ?? 'en');
  return {
    format: choice.format,
    frame,
    ...(frame !== 'none' && choice.label === false && { label: false }),
    // Choices that do not change the file are equal, so that it is built once.
    page_size: isZip ? '16:9' : (choice.page_size ?? branding.page_size),
    pictures: isZip ? 'original' : (choice.pictures ?? 'standard'),
    time_zone: choice.time_zone ?? branding.time_zone ?? 'UTC',
    ...(language !== 'en' && { language }),
    failures: choice.failures ?? false,
    part: isZip ? 1 : (choice.part ?? 1),
    audience,
    ...(approvedOnly && { approved_only: true }),
    ...(chosen && { screenshot_ids: [...new Set(chosen)] }),
  };
}

const time = z.iso.datetime({ offset: true }).meta({ example: '2026-11-21T09:30:00.000+00:00' });

export const ExportRecord = z
  .object({
    type: z.literal('export'),
    id: z.uuid(),
    screenshot_set_id: z.uuid().optional().describe('The set; absent for a campaign.'),
    campaign_id: z.uuid().optional().describe('The campaign; absent for a set.'),
    status: z
      .enum(EXPORT_STATUSES)
      .describe(
        '`pending`: waits. `building`: is being written. `ready`: `url` opens the file. `failed`: `reason` says why. `expired`: the file was removed; request it again.',
      ),
    format,
    options: z.object({
      ...choices,
      label: z.boolean().describe(LABEL),
      failures: z.boolean().describe(FAILURES),
      part: z.number().int().describe(PART),
    }),
    parts: z.number().int().describe('Number of parts of the whole set or campaign in this format.'),
    progress: z.object({
      done: z.number().int().describe('Pictures that are in the file.'),
      total: z.number().int().describe('Pictures of the file.'),
    }),
    file_name: z.string(),
    url: z
      .url()
      .nullable()
      .describe('Address of the file. It needs no key and cannot be guessed. Null unless `ready`.'),
    bytes: z.number().int().nullable(),
    sha256: z.string().nullable(),
    created_at: time,
    finished_at: time.nullable(),
    expires_at: time.nullable().describe('The file is removed at this time.'),
    reason: z.string().optional().describe('Only on failed exports.'),
  })
  .meta({ id: 'Export', description: `A PPTX, PDF or ZIP with the pictures of a set or a campaign. ${OURS}` });
export type ExportRecord = z.output<typeof ExportRecord>;

const text = (max: number) =>
  z
    .string()
    .superRefine((value, context) => {
      const length = codePoints(value);
      const message =
        textFault(value) ?? (length > max ? `must be at most ${max} characters, but has ${length}.` : undefined);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .transform((value) => (value.trim() === '' ? null : value.trim()))
    .meta({ maxLength: max });

export const BrandingBody = z
  .object({
    brand_name: text(BRAND_NAME_MAX)
      .nullish()
      .describe('Name on the cover. The slug of the organization unless given.'),
    accent_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #1f4e79.')
      .transform((value) => value.toLowerCase())
      .nullish()
      .describe(`Color of lines and table headings, \`#rrggbb\`. ${DEFAULT_ACCENT} unless given.`),
    footer_text: text(FOOTER_MAX).nullish().describe('Text at the bottom of each page. The brand name unless given.'),
    page_size: z.enum(PAGE_SIZES).nullish().describe('Page size of exports that name none. `16:9` unless given.'),
  })
  .meta({
    id: 'BrandingRequest',
    description: `Replaces the branding, except for the logo. ${OURS}`,
  });

/** @returns the branding with the defaults for what is missing. */
export function brandingOf(body: z.output<typeof BrandingBody>): Branding {
  return {
    brand_name: body.brand_name ?? null,
    accent_color: body.accent_color ?? DEFAULT_BRANDING.accent_color,
    footer_text: body.footer_text ?? null,
    page_size: body.page_size ?? DEFAULT_BRANDING.page_size,
  };
}

const logo = z
  .object({ url: z.url(), width: z.number().int(), height: z.number().int() })
  .nullable()
  .describe('The logo as a PNG. Width and height in pixels.');

/** @returns the logo as the API shows it. */
export const logoRecord = (row: Logo | null, publicUrl: string) =>
  row && { url: imageUrl(publicUrl, row.token), width: row.width, height: row.height };

export const BrandingRecord = z
  .object({
    type: z.literal('branding'),
    brand_name: z.string().nullable(),
    accent_color: z.string(),
    footer_text: z.string().nullable(),
    page_size: z.enum(PAGE_SIZES),
    logo,
  })
  .meta({ id: 'Branding', description: `The look of the organization in its exports. ${OURS}` });
export type BrandingRecord = z.output<typeof BrandingRecord>;

export const CampaignLogoRecord = z
  .object({ type: z.literal('campaign_logo'), campaign_id: z.uuid(), logo })
  .meta({ id: 'CampaignLogo', description: `The logo of the client of a campaign. ${OURS}` });
