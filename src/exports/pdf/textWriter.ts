/** Writes text of all scripts into a PDF: lines, directions, fonts, and pictures for characters without a font. */
import type PDFDocument from 'pdfkit';
import { setBounded } from '../../lib/lru.ts';
import type { Box, Paragraph, TextElement } from '../document/elements.ts';
import { cleanText, isRightToLeft } from '../document/labels.ts';
import type { FontFace, Fonts } from './fonts.ts';
import { type TextPictures, textPictureWidth } from './textPictures.ts';
import { breakLines, fontRuns, type TextRun, visualRuns } from './textRuns.ts';

/** Shares of the font size. */
const LINE_HEIGHT = 1.22;
const ASCENT = 0.93;
const MAX_WIDTHS = 5_000;

export type TextWriter = ReturnType<typeof createTextWriter>;
type WrittenText = Pick<TextElement, 'box' | 'paragraphs' | 'align' | 'anchor'>;

interface TextTools {
  readonly document: typeof PDFDocument;
  readonly fonts: Fonts;
  readonly pictures: TextPictures;
  readonly widths: Map<string, number>;
}

interface Line {
  readonly text: string;
  readonly paragraph: Paragraph;
  /** From the top of the block, in points. */
  readonly top: number;
}

export function createTextWriter(given: Omit<TextTools, 'widths'>) {
  const tools = { ...given, widths: new Map<string, number>() };
  return {
    async write({ box, paragraphs, align = 'left', anchor = 'top' }: WrittenText): Promise<void> {
      const { lines, height } = layOut(tools, paragraphs, box);
      const free = Math.max(0, box.height - height);
      const shift = anchor === 'top' ? 0 : anchor === 'middle' ? free / 2 : free;
      for (const line of lines) await writeLine(tools, line, { ...box, y: box.y + shift + line.top }, align);
    },
  };
}

/** @returns the lines that fit into the box. */
function layOut(tools: TextTools, paragraphs: readonly Paragraph[], box: Box): { lines: Line[]; height: number } {
  const lines: Line[] = [];
  let top = 0;
  for (const paragraph of paragraphs) {
    const { size, after = 0, lines: most = 20 } = paragraph;
    const measure = (text: string) => widthOf(tools, text, paragraph);
    for (const text of breakLines(cleanText(paragraph.text), { width: box.width, lines: most, measure })) {
      if (top + size > box.height + 1) return { lines, height: top };
      lines.push({ text, paragraph, top });
      top += size * LINE_HEIGHT;
    }
    top += after;
  }
  return { lines, height: top };
}

/** Remembers the width at size 1, because names and labels repeat on each page. */
function widthOf(tools: TextTools, text: string, { size, bold = false }: Paragraph): number {
  const key = `${bold}${text}`;
  const known = tools.widths.get(key);
  if (known !== undefined) return known * size;
  const width = fontRuns(text, bold, tools.fonts).reduce((sum, run) => sum + runWidth(tools, run, 1), 0);
  setBounded(tools.widths, [key, width], MAX_WIDTHS);
  return width * size;
}

function runWidth(tools: TextTools, { text, font }: Pick<TextRun, 'text' | 'font'>, size: number): number {
  if (font === undefined) return textPictureWidth(text) * size;
  return useFont(tools, font).fontSize(size).widthOfString(text, TEXT_OPTIONS);
}

/** `features` makes pdfkit shape a run as a whole instead of word by word, which matters for words from right to left. */
const TEXT_OPTIONS: PDFKit.Mixins.TextOptions = { lineBreak: false, features: [] };

function useFont({ document, fonts }: TextTools, { path, face }: FontFace): typeof PDFDocument {
  const name = `${path}#${face ?? ''}`;
  return document.registerFont(name, fonts.bytes(path), face).font(name);
}

async function writeLine(tools: TextTools, line: Line, box: Box, align: TextElement['align']): Promise<void> {
  const { paragraph, text } = line;
  const { size, bold = false, color = '#000000', link } = paragraph;
  const isReversed = isRightToLeft(paragraph.text);
  const runs = visualRuns(text, { bold, fonts: tools.fonts, isParagraphReversed: isReversed });
  await tools.pictures.prepare(runs.flatMap((run) => (run.font === undefined ? [run.text] : [])));
  const width = runs.reduce((sum, run) => sum + runWidth(tools, run, size), 0);
  const free = Math.max(0, box.width - width);
  // Text from right to left keeps the side of its block, so that it stays beside its label.
  const left = box.x + (align === 'right' ? free : align === 'center' ? free / 2 : 0);
  let x = left;
  for (const run of runs) {
    tools.document.fillColor(color);
    writeRun(tools, run, { x, y: box.y, size });
    x += runWidth(tools, run, size);
  }
  if (link !== undefined) tools.document.link(left, box.y, width, size * LINE_HEIGHT, link);
}

function writeRun(tools: TextTools, run: TextRun, { x, y, size }: { x: number; y: number; size: number }): void {
  const { document, pictures } = tools;
  if (run.font !== undefined) {
    useFont(tools, run.font)
      .fontSize(size)
      .text(run.text, x, y + ASCENT * size, { ...TEXT_OPTIONS, baseline: 'alphabetic' });
    return;
  }
  const picture = pictures.find(run.text);
  if (picture === undefined) return;
  // A reader that selects the picture copies the characters.
  document.markContent('Span', { actual: run.text });
  document.image(picture.image, x, y, { width: picture.width * size, height: picture.height * size });
  document.endMarkedContent();
}
