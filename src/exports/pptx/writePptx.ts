/**
 * Writes a presentation as a stream. pptxgenjs keeps all pictures in memory, as base64 and in the ZIP. So it gets one small
 * stand-in for each picture. Its ZIP is then copied, and each stand-in is replaced by the picture, one at a time.
 */
import type { Readable } from 'node:stream';
import pptxgenjs from 'pptxgenjs';
import { fromBufferPromise } from 'yauzl';
import { COMPOSITE } from '../../lib/pictureMark.ts';
import type {
  Box,
  DocumentElement,
  DocumentPlan,
  Paragraph,
  PictureElement,
  PlacedPicture,
  TableElement,
  TextElement,
} from '../document/elements.ts';
import { cleanText, isRightToLeft } from '../document/labels.ts';
import type { DocumentOptions } from '../pictureReader.ts';
import { createZipStream } from '../zip/zipStream.ts';

const EMOJI = /(\p{RGI_Emoji}+)/v;

interface EmojiRun {
  readonly text: string;
  readonly isEmoji: boolean;
}

// The types describe the package as CommonJS with a default export, but Node loads an ES module.
const Presentation = 'default' in pptxgenjs ? pptxgenjs.default : pptxgenjs;

type Deck = InstanceType<typeof Presentation>;
type Slide = ReturnType<Deck['addSlide']>;
type Cell = Parameters<Slide['addTable']>[0][number][number];

type Alignment = NonNullable<TextElement['align']>;

/** Every computer has it, or one of the same widths. */
const FONT = 'Arial';
const EMOJI_FONT = 'Segoe UI Emoji';
const LAYOUT = 'TEARSHEET';
const EDGE = 'D5D9DF';
/** Points. */
const EDGE_WIDTH = 0.75;

interface StandIns {
  readonly standIns: Map<string, PlacedPicture>;
  readonly typeOf: PictureType;
}

type PictureType = (element: PictureElement) => 'png' | 'jpeg' | 'gif';

export async function writePptx({ id, plan, reader, extension, onPicture }: DocumentOptions): Promise<Readable> {
  const movingKey = ({ picture, ground }: PictureElement) =>
    ground === undefined ? reader.movingKey(picture) : undefined;
  const deck = await buildDeck(plan, (element) => (movingKey(element) === undefined ? extension : 'gif'));
  const bytesOf = async (element: PlacedPicture): Promise<Buffer> => {
    const moving = element.kind === 'picture' ? movingKey(element) : undefined;
    const bytes = await (moving === undefined ? reader.image(element) : reader.file(moving));
    if (element.kind === 'picture' && element.ground === undefined) await onPicture();
    return bytes;
  };
  const zip = createZipStream();
  for (const { name, bytes } of await readEntries(deck.file)) {
    const element = deck.standIns.get(bytes.toString('latin1'));
    if (element === undefined) zip.add(name, withProperties(name, bytes));
    else zip.addPicture(name, () => bytesOf(element));
  }
  zip.add('docProps/custom.xml', customProperties({ DigitalSourceType: COMPOSITE, Identifier: id }));
  return zip.end();
}

/** pptxgenjs writes no custom properties, so their part is announced here. */
function withProperties(name: string, bytes: Buffer): Buffer {
  if (name === '[Content_Types].xml') {
    const type = 'application/vnd.openxmlformats-officedocument.custom-properties+xml';
    return beforeEnd(bytes, `<Override PartName="/docProps/custom.xml" ContentType="${type}"/>`);
  }
  if (name === '_rels/.rels') {
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/custom-properties';
    return beforeEnd(bytes, `<Relationship Id="rIdCustom" Type="${type}" Target="docProps/custom.xml"/>`);
  }
  return bytes;
}

/** @returns the XML with one more child of its root. */
function beforeEnd(xml: Buffer, child: string): Buffer {
  return Buffer.from(xml.toString().replace(/<\/\w+>\s*$/, (end) => child + end));
}

function customProperties(values: Readonly<Record<string, string>>): Buffer {
  const properties = Object.entries(values).map(
    ([name, value], at) =>
      `<property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="${at + 2}" name="${name}"><vt:lpwstr>${value}</vt:lpwstr></property>`,
  );
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">${properties.join('')}</Properties>`,
  );
}

/** The entries of the presentation with its stand-ins: a few KB for each slide. */
async function readEntries(file: Buffer): Promise<{ name: string; bytes: Buffer }[]> {
  const zip = await fromBufferPromise(file);
  const entries: { name: string; bytes: Buffer }[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    entries.push({ name: entry.fileName, bytes: Buffer.concat(chunks) });
  }
  return entries;
}

/**
 * Builds a presentation with pptxgenjs in which a short text stands for the bytes of each picture.
 * @returns its file, and the elements by their texts.
 */
async function buildDeck(plan: DocumentPlan, typeOf: PictureType) {
  const deck = new Presentation();
  deck.defineLayout({ name: LAYOUT, width: plan.width / 72, height: plan.height / 72 });
  deck.layout = LAYOUT;
  deck.title = cleanText(plan.title);
  deck.author = cleanText(plan.author);
  deck.subject = plan.subject;
  deck.theme = { headFontFace: FONT, bodyFontFace: FONT };
  const standIns = new Map<string, PlacedPicture>();
  const sections = sectionTitles(plan);
  const layouts = new Set<string>();
  for (const [at, { elements }] of plan.pages.entries()) {
    const title = sections[at] ?? '';
    if (title !== sections[at - 1]) deck.addSection({ title });
    const slide = deck.addSlide({ sectionTitle: title, ...titleLayout(deck, elements, layouts) });
    for (const element of elements) addElement(slide, element, { standIns, typeOf });
  }
  const file = await deck.write({ outputType: 'nodebuffer', compression: false });
  if (!Buffer.isBuffer(file)) throw new Error('unreachable: pptxgenjs did not return a Buffer');
  return { file, standIns };
}

/**
 * Outlines and screen readers find a title only as a placeholder of a layout. pptxgenjs takes the place of a placeholder
 * from its layout. So each place of a title has a layout of its own.
 */
function titleLayout(deck: Deck, elements: readonly DocumentElement[], known: Set<string>): { masterName?: string } {
  const title = elements.find((element) => element.kind === 'text' && element.isTitle === true);
  if (title === undefined) return {};
  const { x, y, width, height } = title.box;
  const masterName = `TITLE ${[x, y, width, height].map(Math.round).join(' ')}`;
  if (!known.has(masterName)) {
    const placeholder = {
      options: { name: 'title', type: 'title' as const, ...placed(title.box), margin: 0 },
      text: '',
    };
    deck.defineSlideMaster({ title: masterName, objects: [{ placeholder }] });
    known.add(masterName);
  }
  return { masterName };
}

/** @returns the section of each page. Slides of one section must follow each other, so a repeated title gets a number. */
function sectionTitles({ pages }: DocumentPlan): string[] {
  const used = new Map<string, number>();
  const titles: string[] = [];
  for (const [at, { section }] of pages.entries()) {
    if (at > 0 && section === pages[at - 1]?.section) {
      titles.push(titles[at - 1] ?? '');
      continue;
    }
    const count = (used.get(section) ?? 0) + 1;
    used.set(section, count);
    titles.push(cleanText(count === 1 ? section : `${section} (${count})`));
  }
  return titles;
}

function addElement(slide: Slide, element: DocumentElement, given: StandIns): void {
  switch (element.kind) {
    case 'text':
      addText(slide, element);
      return;
    case 'rectangle':
      slide.addShape('rect', { ...placed(element.box), fill: { color: hex(element.fill) }, line: { type: 'none' } });
      return;
    case 'table':
      addTable(slide, element);
      return;
    default:
      addPicture(slide, element, given);
  }
}

function addPicture(slide: Slide, element: PlacedPicture, { standIns, typeOf }: StandIns): void {
  const content = `tearsheet picture ${standIns.size}`;
  standIns.set(content, element);
  const type = element.kind === 'picture' ? typeOf(element) : element.kind === 'logo' ? 'png' : 'jpeg';
  if (element.kind === 'picture' && element.hasEdge)
    slide.addShape('rect', { ...placed(around(element.box)), line: { color: EDGE, width: EDGE_WIDTH } });
  slide.addImage({
    ...placed(element.box),
    data: `image/${type};base64,${Buffer.from(content, 'latin1').toString('base64')}`,
    altText: cleanText(element.description),
  });
}

function addText(slide: Slide, element: TextElement): void {
  const { box, paragraphs, align = 'left', anchor = 'top', isTitle = false } = element;
  const texts = paragraphs.flatMap((paragraph) => {
    const options = paragraphOptions(paragraph, align);
    const runs = emojiRuns(cleanText(paragraph.text) || ' ');
    return runs.map(({ text, isEmoji }, at) => ({
      text,
      options: { ...options, ...(isEmoji && { fontFace: EMOJI_FONT }), breakLine: at === runs.length - 1 },
    }));
  });
  const placeholder = isTitle && { placeholder: 'title' };
  slide.addText(texts, { ...placed(box), ...placeholder, margin: 0, valign: anchor, fontFace: FONT, wrap: true });
}

function paragraphOptions(
  { text, size, bold = false, color = '#000000', link, after = 0 }: Paragraph,
  align: Alignment,
) {
  return {
    fontSize: size,
    bold,
    color: hex(color),
    paraSpaceAfter: after,
    align,
    ...(isRightToLeft(text) && { rtlMode: true }),
    ...(link !== undefined && { hyperlink: { url: link } }),
  };
}

function addTable(slide: Slide, element: TableElement): void {
  const { box, columns, header, rows, rowHeights, size, headerFill, headerInk } = element;
  const cell = (text: string, more: Cell['options'] = {}): Cell => {
    const runs = emojiRuns(cleanText(text));
    const isPlain = runs.every(({ isEmoji }) => !isEmoji);
    const parts = runs.map((run) => ({ text: run.text, options: run.isEmoji ? { fontFace: EMOJI_FONT } : {} }));
    return { text: isPlain ? cleanText(text) : parts, options: { ...more } };
  };
  const head = { bold: true, color: hex(headerInk), fill: { color: hex(headerFill) } };
  slide.addTable([header.map((text) => cell(text, head)), ...rows.map((row) => row.map((text) => cell(text)))], {
    ...placed(box),
    colW: columns.map((width) => width / 72),
    rowH: rowHeights.map((height) => height / 72),
    fontSize: size,
    fontFace: FONT,
    valign: 'middle',
    margin: [2, 5, 2, 5],
    border: { type: 'solid', pt: 0.5, color: EDGE },
  });
}

/** @returns the middle of a line that does not cover the box. */
function around({ x, y, width, height }: Box): Box {
  const half = EDGE_WIDTH / 2;
  return { x: x - half, y: y - half, width: width + 2 * half, height: height + 2 * half };
}

const placed = ({ x, y, width, height }: Box) => ({ x: x / 72, y: y / 72, w: width / 72, h: height / 72 });
const hex = (color: string) => color.slice(1).toUpperCase();

/** @returns the runs in the order of reading; one empty run for an empty text. */
export function emojiRuns(text: string): EmojiRun[] {
  const parts = text
    .split(EMOJI)
    .map((part, at) => ({ text: part, isEmoji: at % 2 === 1 && !/^[\p{ASCII}©®™]/u.test(part) }));
  const runs = parts.filter((part) => part.text !== '');
  return runs.length === 0 ? [{ text, isEmoji: false }] : runs;
}
