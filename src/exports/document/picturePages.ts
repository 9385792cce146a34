/** Pages with pictures: one picture with its facts, or the markers of one ad as a strip. */
import type { ExportPicture } from '../../core/exports/exportContent.ts';
import { type Frame, framedSize, frameShape } from '../../domain/frames.ts';
import { cutMiddle } from '../../domain/middle.ts';
import { formatInstant } from '../../domain/time.ts';
import type { Box, DocumentContent, DocumentElement, Paragraph, PictureElement } from './elements.ts';
import {
  describePicture,
  deviceIn,
  deviceLabel,
  linkOf,
  momentLabel,
  pageAddress,
  readableAddress,
  siteTitle,
  sizeLabel,
  textsIn,
} from './labels.ts';
import { fitInside, INK, PALE, type PageLayout, pageBasics } from './layout.ts';

interface Strip {
  readonly site: string;
  /** Pictures of one ad, site and device, by marker; in a row, of several ads or phones. */
  readonly pictures: readonly ExportPicture[];
  readonly isRow?: true;
}

const GAP = 16;
const CAPTION_HEIGHT = 28;

/** @returns the elements of each page of the strip. @param number of the first page. */
export function stripPages(
  content: DocumentContent,
  layout: PageLayout,
  { strip, number }: { strip: Strip; number: number },
): DocumentElement[][] {
  const { pictures } = strip;
  const [first] = pictures;
  if (first === undefined) return [];
  const title = siteTitle(strip.site);
  const right = [...new Set(pictures.map(({ device }) => deviceIn(content, device)))].join(', ');
  if (pictures.length === 1) {
    return [[...pageBasics(content, layout, { title, right, number }), ...onePicture(content, layout, first)]];
  }
  const { area, facts } = areasOf(layout, strip.isRow ? 'phones' : 'row');
  const grid = { count: pictures.length, size: sizeOf(content, first) };
  const { columns, rows } = strip.isRow ? { columns: pictures.length, rows: 1 } : gridOf(area, grid);
  const captionOf = strip.isRow ? adCaption : momentCaption;
  const perPage = columns * rows;
  const pages: DocumentElement[][] = [];
  for (let at = 0; at < pictures.length; at += perPage) {
    const shown = frames(content, area, { pictures: pictures.slice(at, at + perPage), columns, rows, captionOf });
    const end = Math.max(...shown.map(({ box }) => box.y + box.height));
    pages.push([
      ...pageBasics(content, layout, { title, right, number: number + pages.length }),
      ...shown,
      factsElement(below(facts, end), stripFacts(content, strip)),
    ]);
  }
  return pages;
}

/** The size of the picture with its frame, in device pixels. */
export function sizeOf({ options }: Pick<DocumentContent, 'options'>, picture: ExportPicture) {
  if (options.frame === 'none') return { width: picture.width, height: picture.height };
  return framedSize(picture, frameShape(options.frame satisfies Frame, picture.device));
}

function onePicture(content: DocumentContent, layout: PageLayout, picture: ExportPicture): DocumentElement[] {
  const size = sizeOf(content, picture);
  const { area, facts } = areasOf(layout, 'column');
  const box = fitInside(area, size);
  return [
    pictureElement(content, picture, box),
    factsElement(
      layout.isWide ? beside(layout, box) : below(facts, box.y + box.height),
      pictureFacts(content, picture),
    ),
  ];
}

/** Frames have an edge of their own. */
export function pictureElement(content: DocumentContent, picture: ExportPicture, box: Box): PictureElement {
  const hasEdge = content.options.frame === 'none';
  return { kind: 'picture', box, picture, hasEdge, description: describePicture(content, picture) };
}

/** A narrow picture is in the middle of its area, and the facts are at the edge of the page. */
function beside({ body }: PageLayout, picture: Box): Box {
  const x = Math.max(picture.x + picture.width + GAP + 6, body.x + body.width - 236);
  return { x, y: body.y, width: body.x + body.width - x, height: body.height };
}

/** Facts follow the picture, because a gap between them looks like a missing picture. @param end of the picture. */
function below(facts: Box, end: number): Box {
  return { ...facts, y: Math.min(facts.y, end + GAP) };
}

/** Points below the pictures. */
const FACTS_HEIGHT = { column: 190, row: 62, phones: 40 };

/** @returns where pictures go, and where their facts go: beside them on a slide, below them on paper and below strips. */
function areasOf({ body, isWide }: PageLayout, kind: keyof typeof FACTS_HEIGHT): { area: Box; facts: Box } {
  if (isWide && kind === 'column') {
    const width = body.width - 216 - GAP;
    return { area: { ...body, width }, facts: { ...body, x: body.x + width + GAP, width: 216 } };
  }
  const height = FACTS_HEIGHT[kind];
  return {
    area: { ...body, height: body.height - height - GAP },
    facts: { ...body, y: body.y + body.height - height, height },
  };
}

/** @returns the grid whose pictures are largest, with at most three rows. */
function gridOf(area: Box, { count, size }: { count: number; size: { width: number; height: number } }) {
  let best = { columns: 1, rows: 1, scale: 0 };
  for (let rows = 1; rows <= 3; rows += 1) {
    for (let columns = 1; columns <= 6; columns += 1) {
      if (columns * rows > count && (columns - 1) * rows >= count) continue;
      const { width, height } = cellOf(area, { columns, rows });
      const scale = Math.min(width / size.width, height / size.height);
      // More pictures on each page outweigh a smaller size, as long as each stays readable.
      const shown = count / Math.ceil(count / (columns * rows));
      const isReadable = Math.min(size.width * scale, size.height * scale) >= MIN_SIDE;
      const worth = isReadable ? scale * shown ** NUMBER_WEIGHT : scale * 0.01;
      if (worth > best.scale) best = { columns, rows, scale: worth };
    }
  }
  return best;
}

/** Decides between many small pictures on a page and few large ones. With it, five pictures of a desktop share a slide. */
const NUMBER_WEIGHT = 0.8;
/** A smaller picture is not readable, in points. */
const MIN_SIDE = 100;

function cellOf(area: Box, { columns, rows }: { columns: number; rows: number }) {
  return {
    width: (area.width - (columns - 1) * GAP) / columns,
    height: (area.height - (rows - 1) * GAP) / rows - CAPTION_HEIGHT,
  };
}

type Caption = readonly [title: string, text: string];

interface Grid {
  readonly pictures: readonly ExportPicture[];
  readonly columns: number;
  readonly rows: number;
  readonly captionOf: (content: DocumentContent, picture: ExportPicture) => Caption;
}

function momentCaption(content: DocumentContent, picture: ExportPicture): Caption {
  return [momentLabel(content, picture.marker_ms) ?? textsIn(content).defaultMoment, timeOf(content, picture)];
}

function adCaption(content: DocumentContent, picture: ExportPicture): Caption {
  const facts = [sizeLabel(picture), deviceIn(content, picture.device), timeOf(content, picture)];
  return [cutMiddle(picture.ad_name, 42), facts.filter((part) => part !== undefined).join(' · ')];
}

function frames(content: DocumentContent, area: Box, { pictures, columns, rows, captionOf }: Grid): DocumentElement[] {
  const cell = cellOf(area, { columns, rows });
  return pictures.flatMap((picture, at): DocumentElement[] => {
    const x = area.x + (at % columns) * (cell.width + GAP);
    const y = area.y + Math.floor(at / columns) * (cell.height + CAPTION_HEIGHT + GAP);
    const [title, text] = captionOf(content, picture);
    return [
      pictureElement(content, picture, fitInside({ x, y: y + CAPTION_HEIGHT, ...cell }, sizeOf(content, picture))),
      {
        kind: 'text',
        box: { x, y, width: cell.width, height: CAPTION_HEIGHT - 3 },
        align: 'center',
        anchor: 'bottom',
        paragraphs: [
          { text: title, size: 10, bold: true, color: INK, lines: 1 },
          { text, size: 8, color: PALE, lines: 1 },
        ],
      },
    ];
  });
}

function factsElement(box: Box, paragraphs: readonly Paragraph[]): DocumentElement {
  return { kind: 'text', box, paragraphs };
}

const timeOf = ({ options }: DocumentContent, { captured_at }: ExportPicture) =>
  formatInstant(captured_at, options.time_zone, options.language);

function fact(label: string, value: string | undefined, more: Partial<Paragraph> = {}): Paragraph[] {
  if (value === undefined) return [];
  return [
    { text: label, size: 8.5, color: PALE, lines: 1 },
    { text: value, size: 11, color: INK, after: 7, lines: 3, ...more },
  ];
}

function pictureFacts(content: DocumentContent, picture: ExportPicture): Paragraph[] {
  const address = pageAddress(picture);
  const link = linkOf(address);
  const texts = textsIn(content);
  return [
    ...fact(texts.columns.ad, cutMiddle(picture.ad_name, 140), { bold: true, lines: 4 }),
    ...fact(texts.size, sizeLabel(picture)),
    ...fact(texts.columns.page, cutMiddle(readableAddress(address), 160), {
      size: 10,
      lines: 5,
      ...(link !== undefined && { link }),
    }),
    ...fact(texts.columns.device, deviceLabel(content, picture.device)),
    ...fact(texts.moment, momentLabel(content, picture.marker_ms)),
    ...fact(texts.time, timeOf(content, picture)),
    ...fact(texts.slot, picture.slot_uncertain ? texts.slotUncertain : undefined),
    { text: texts.disclaimer, size: 8.5, color: PALE, lines: 3 },
  ];
}

/** In one block, because a strip needs the height of the page. */
function stripFacts(content: DocumentContent, { pictures, isRow }: Strip): Paragraph[] {
  const [first] = pictures;
  if (first === undefined) return [];
  const address = pageAddress(first);
  const link = linkOf(address);
  const texts = textsIn(content);
  const slot = pictures.some(({ slot_uncertain }) => slot_uncertain) ? texts.slotUncertain : undefined;
  const facts = [sizeLabel(first), deviceLabel(content, first.device), timeOf(content, first), slot];
  // In a row, the captions have them.
  const ofAd = [
    { text: cutMiddle(first.ad_name, 120), size: 11, bold: true, color: INK, lines: 1, after: 2 },
    { text: facts.filter((part) => part !== undefined).join(' · '), size: 10, color: INK, lines: 1, after: 2 },
  ];
  return [
    ...(isRow && slot !== undefined ? [{ text: slot, size: 10, color: INK, lines: 1, after: 2 }] : []),
    ...(isRow ? [] : ofAd),
    {
      text: cutMiddle(readableAddress(address), 130),
      size: 9,
      color: INK,
      lines: 1,
      after: 2,
      ...(link !== undefined && { link }),
    },
    { text: texts.disclaimer, size: 8.5, color: PALE, lines: 1 },
  ];
}

/** @param pictures in the order of `readExportPictures`, so that the pictures of a strip follow each other. */
export function stripsOf(pictures: readonly ExportPicture[]): Strip[] {
  const strips: { site: string; pictures: ExportPicture[] }[] = [];
  for (const picture of pictures) {
    const last = strips.at(-1);
    if (last !== undefined && isSameStrip(last.pictures[0], picture)) last.pictures.push(picture);
    else strips.push({ site: picture.site_url, pictures: [picture] });
  }
  return strips;
}

/** Phones on one slide. A single one would leave most of it empty. */
const ROW_MOST = 3;

/** @returns the strips, with single high pictures of one site beside each other if the page is wide. */
export function withRows(content: DocumentContent, { isWide }: PageLayout, strips: readonly Strip[]): Strip[] {
  const isHigh = ({ pictures: [picture, ...others] }: Strip) => {
    if (!isWide || picture === undefined || others.length > 0) return false;
    const { width, height } = sizeOf(content, picture);
    // A whole page needs all of the space.
    return height >= 1.4 * width && height <= 2.6 * width;
  };
  return strips.reduce<Strip[]>((rows, strip) => {
    const last = rows.at(-1);
    const joins = last !== undefined && last.site === strip.site && last.pictures.length < ROW_MOST && isHigh(strip);
    if (!joins || !(last.isRow || isHigh(last))) return [...rows, strip];
    return [...rows.slice(0, -1), { ...strip, pictures: [...last.pictures, ...strip.pictures], isRow: true }];
  }, []);
}

function isSameStrip(a: ExportPicture | undefined, b: ExportPicture): boolean {
  return a?.site_url === b.site_url && a.device === b.device && a.ad_id === b.ad_id;
}
