/** Writes a ZIP with the original pictures, their records and a manifest. */
import type { Readable } from 'node:stream';
import type { ExportPicture } from '../../core/exports/exportContent.ts';
import { safeWord } from '../../domain/exports.ts';
import { SCREENSHOT_LABELS } from '../../domain/screenshotLabels.ts';
import { timestamp } from '../../domain/time.ts';
import { withoutQuery } from '../../domain/webAddresses.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { DocumentContent } from '../document/elements.ts';
import { pageAddress, siteName } from '../document/labels.ts';
import { sizeOf } from '../document/picturePages.ts';
import type { PictureReader } from '../pictureReader.ts';
import { createZipStream } from './zipStream.ts';

const MAX_WORD = 48;

const BYTE_ORDER_MARK = '\uFEFF';
/** A cell that starts with one of these may run as a formula. Spreadsheets skip white space before them. */
const FORMULA = /^[\s\uFEFF]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

export interface ZipOptions {
  readonly content: DocumentContent;
  readonly reader: PictureReader;
  /** @returns the provenance records of screenshots by id. */
  readonly recordsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, object>>;
  /** Called after each picture. It throws if the export must stop. */
  readonly onPicture: () => Promise<void>;
}

const MIN_DIGITS = 3;

/** The manifest is the last file, so that it has the SHA-256 of the framed pictures. */
export async function writeZip({ content, reader, recordsOf, onPicture }: ZipOptions): Promise<Readable> {
  const { pictures, options } = content;
  const pages = pageNames(content);
  for (const key of pages.keys()) if (!(await reader.hasPage(key))) pages.delete(key);
  // From here on without a wait, because the stream may fail as soon as it has a file.
  const zip = createZipStream();
  const digits = Math.max(MIN_DIGITS, String(pictures.length).length);
  const framedSums = new Map<string, string>();
  const named = pictures.map((picture, at) => ({ picture, name: pictureName(picture, { at, digits }) }));
  for (const { picture, name } of named) {
    zip.addPicture(`pictures/${name}.png`, async () => {
      const png = await reader.original(picture);
      if (sha256Of(png) !== picture.sha256)
        throw new Error(`The stored picture of screenshot ${picture.id} was changed.`);
      await onPicture();
      return png;
    });
    for (const [ending, key] of animationFiles(picture))
      zip.addPicture(`animations/${name}.${ending}`, () => reader.file(key));
    if (options.frame !== 'none') {
      zip.addPicture(`framed/${name}.png`, async () => {
        const png = await reader.framed(picture);
        framedSums.set(picture.id, sha256Of(png));
        return png;
      });
    }
    if (options.audience === 'shared') continue;
    zip.addLater(`records/${name}.json`, async () => json(await recordFile(picture, recordsOf)));
  }
  zip.add('about.json', json(about(content)));
  for (const [key, name] of pages) zip.addPicture(name, () => reader.file(key));
  if (content.failures.length > 0) zip.add('failures.csv', Buffer.from(failureRows(content, pages)));
  zip.addLater('manifest.csv', async () => Buffer.from(csvText([...manifestRows(content, named, framedSums)])));
  return zip.end();
}

const animationFiles = ({ webp_key, gif_key }: ExportPicture) =>
  Object.entries({ webp: webp_key, gif: gif_key }).flatMap(([ending, key]) =>
    key === null ? [] : [[ending, key] as const],
  );

const json = (value: object) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** The record of the picture, and those of the other ads in it. After a retake, also that of the screenshot which it replaces. */
async function recordFile(
  { id, other_ids, retake_of }: ExportPicture,
  recordsOf: ZipOptions['recordsOf'],
): Promise<Record<string, unknown>> {
  const records = await recordsOf([id, ...other_ids, ...(retake_of === null ? [] : [retake_of])]);
  const recordOf = (one: string) => ({ screenshot_id: one, record: records.get(one) ?? null });
  const others = other_ids.length > 0 && { group: other_ids.map(recordOf) };
  return { ...recordOf(id), ...(retake_of !== null && { original: recordOf(retake_of) }), ...others };
}

function about({ campaign, brandName, pictures }: DocumentContent): object {
  return {
    kind: 'placement_previews',
    note: 'Tearsheet placed the ads into live pages for these pictures. They do not prove that a campaign ran.',
    campaign,
    organization: brandName,
    pictures: pictures.length,
  };
}

const MEDIA_EXTENSION = /\.(?:png|jpe?g|gif|webp|avif|svg|mp4|webm|mov|zip|html?|xml)$/i;

const HEADER = [
  ...['number', 'file', 'campaign', 'ad', 'ad_size', 'site', 'page_address', 'device', 'marker_seconds', 'captured_at'],
  ...['width', 'height', 'sha256'],
];
const RECORD_HEADER = ['screenshot_id', 'record', 'retake_of'];
const ANIMATION_HEADER = ['animation_webp', 'animation_gif'];
const FRAME_HEADER = ['framed_file', 'framed_width', 'framed_height', 'framed_sha256'];

function* manifestRows(
  { campaign, options }: DocumentContent,
  named: readonly { picture: ExportPicture; name: string }[],
  framedSums: ReadonlyMap<string, string>,
) {
  const isFramed = options.frame !== 'none';
  const moves = named.some(({ picture }) => picture.gif_key !== null);
  const hasRecords = options.audience !== 'shared';
  yield [
    ...HEADER,
    ...(hasRecords ? RECORD_HEADER : []),
    ...(moves ? ANIMATION_HEADER : []),
    ...(isFramed ? FRAME_HEADER : []),
  ];
  for (const [at, { picture, name }] of named.entries()) {
    const { ad_width, ad_height, marker_ms, width, height } = picture;
    const framed = sizeOf({ options }, picture);
    yield [
      ...[at + 1, `pictures/${name}.png`, campaign, picture.ad_name],
      ad_width === null || ad_height === null ? null : `${ad_width}x${ad_height}`,
      ...[
        hasRecords ? picture.site_url : withoutQuery(picture.site_url),
        pageAddress(picture),
        picture.device,
        marker_ms === null ? null : marker_ms / 1000,
      ],
      ...[timestamp(picture.captured_at), width, height, picture.sha256],
      ...(hasRecords ? [picture.id, `records/${name}.json`, picture.retake_of] : []),
      ...(moves
        ? ['webp', 'gif'].map((ending) => (picture.gif_key === null ? null : `animations/${name}.${ending}`))
        : []),
      ...(isFramed ? [`framed/${name}.png`, framed.width, framed.height, framedSums.get(picture.id) ?? null] : []),
    ];
  }
}

/** @returns the names of the pictures of the pages on which screenshots failed, by their keys. */
function pageNames({ failures }: DocumentContent): Map<string, string> {
  const byKey = new Map(failures.map(({ page_key, ...failure }) => [page_key, failure]));
  byKey.delete(null);
  return new Map(
    [...byKey].map(([key, { site_url, device }], at) => {
      const words = [siteName(site_url), device].map((text) => safeWord(text, MAX_WORD));
      return [key ?? '', `failures/${[String(at + 1).padStart(MIN_DIGITS, '0'), ...words].join('-')}.png`];
    }),
  );
}

function failureRows({ failures }: DocumentContent, pages: ReadonlyMap<string, string>): string {
  const rows = failures.map(({ site_url, device, ad_name, marker_ms, status, reason, page_key }) => {
    const marker = marker_ms === null ? null : marker_ms / 1000;
    const page = pages.get(page_key ?? '') ?? null;
    return [ad_name, site_url, device, marker, SCREENSHOT_LABELS[status], reason, page];
  });
  return csvText([['ad', 'site', 'device', 'marker_seconds', 'status', 'reason', 'page_file'], ...rows]);
}

/** CSV that spreadsheets read as text: with a byte order mark, CRLF, and without formulas. */
export function csvText(rows: readonly (readonly (string | number | null)[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  // A number is never a formula, also where it is negative.
  if (typeof value === 'number') return String(value);
  const text = value.replaceAll('\0', '');
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/**
 * @returns file names without extension that sort in the order of the pictures: `0012-news.example-iphone-Spring-2.5s`.
 *   @param digits of the number.
 */
export function pictureName(picture: ExportPicture, { at, digits }: { at: number; digits: number }): string {
  const { marker_ms: marker, device, ad_name, site_url } = picture;
  // An ad is often named after its file, and the picture is no such file.
  const words = [siteName(site_url), device, ad_name.replace(MEDIA_EXTENSION, '')]
    .map((text) => safeWord(text, MAX_WORD))
    .filter((word) => word !== '');
  const moment = marker === null ? [] : [`${marker / 1000}s`];
  return [String(at + 1).padStart(digits, '0'), ...words, ...moment].join('-');
}
