/** Writes a PDF as a stream, page by page. */
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { escaped, markDescription } from '../../lib/pictureMark.ts';
import { sleep } from '../../lib/sleep.ts';
import type { DocumentElement, DocumentPage, DocumentPlan, TableElement } from '../document/elements.ts';
import { cleanText } from '../document/labels.ts';
import type { DocumentOptions } from '../pictureReader.ts';
import { openFonts } from './fonts.ts';
import { createTextPictures } from './textPictures.ts';
import { createTextWriter, type TextWriter } from './textWriter.ts';

/** Bytes that wait for the receiver. No page is written while there are more. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const LOOK_AGAIN_MS = 10;

/** Fonts are read once for each process. */
let fonts: ReturnType<typeof openFonts> | undefined;

export function writePdf(options: DocumentOptions): Readable {
  const { id, plan } = options;
  fonts ??= openFonts();
  const document = new MarkedDocument({
    size: [plan.width, plan.height],
    margin: 0,
    autoFirstPage: false,
    lang: plan.language,
    displayTitle: true,
    // Screen readers need the tags, which PDF knows since version 1.4; pdfkit writes them from 1.5.
    pdfVersion: '1.7',
    tagged: true,
    info: {
      Title: cleanText(plan.title),
      Author: cleanText(plan.author),
      Subject: plan.subject,
      Creator: 'Tearsheet',
    },
  });
  document.appendXML(markDescription(id));
  const text = createTextWriter({ document, fonts, pictures: createTextPictures(document) });
  writePages(document, options, text).catch((error: unknown) => {
    document.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return document;
}

class MarkedDocument extends PDFDocument {
  /** pdfkit has written the texts at this point, and copies them into XML as they are. */
  override endMetadata(): void {
    const { Title = '', Author = '' } = this.info;
    Object.assign(this.info, { Title: escaped(Title), Author: escaped(Author) });
    super.endMetadata();
  }
}

type Document = InstanceType<typeof PDFDocument>;

async function writePages(document: Document, options: DocumentOptions, text: TextWriter): Promise<void> {
  const { plan } = options;
  const structure = document.struct('Document');
  document.addStructure(structure);
  for (const [at, page] of plan.pages.entries()) {
    while (document.readableLength > MAX_WAITING_BYTES && !document.destroyed) await sleep(LOOK_AGAIN_MS);
    if (document.destroyed) return;
    // Pages without pictures would otherwise block the process.
    await setImmediate();
    document.addPage();
    addToOutline(document, plan, { page, at });
    for (const element of page.elements) await writeElement(document, element, { options, text, structure });
  }
  structure.end();
  document.end();
}

function addToOutline(document: Document, { pages }: DocumentPlan, { page, at }: { page: DocumentPage; at: number }) {
  if (page.section !== pages[at - 1]?.section) document.outline.addItem(cleanText(page.section));
}

type Structure = ReturnType<Document['struct']>;

interface Tools {
  readonly options: DocumentOptions;
  readonly text: TextWriter;
  /** Where the tags of the elements are added. */
  readonly structure: Structure;
}

async function writeElement(document: Document, element: DocumentElement, tools: Tools): Promise<void> {
  const { options, text } = tools;
  const { x, y, width, height } = element.box;
  switch (element.kind) {
    case 'text':
      await tagged(document, tools.structure, element.isTitle ? 'H1' : 'P', () => text.write(element));
      return;
    case 'rectangle':
      decorate(document, () => document.rect(x, y, width, height).fill(element.fill));
      return;
    case 'table':
      await writeTable(document, element, tools);
      return;
    default: {
      const bytes = await options.reader.image(element);
      const alt = cleanText(element.description);
      await tagged(document, tools.structure, 'Figure', () => document.image(bytes, x, y, { width, height }), alt);
      if (element.kind !== 'picture') return;
      if (element.hasEdge)
        decorate(document, () => document.lineWidth(0.5).rect(x, y, width, height).stroke('#d5d9df'));
      if (element.ground === undefined) await options.onPicture();
    }
  }
}

/** Draws content with a tag, which says to a screen reader what it is. @param alt says in words what a figure shows. */
async function tagged(
  document: Document,
  parent: Structure,
  tag: string,
  draw: () => unknown,
  alt?: string,
): Promise<void> {
  const content = document.markStructureContent(tag);
  await draw();
  document.endMarkedContent();
  const element = document.struct(tag, alt === undefined ? {} : { alt }, [content]);
  parent.add(element);
  element.end();
}

/** Draws what a screen reader leaves out. */
function decorate(document: Document, draw: () => void): void {
  document.markContent('Artifact', { type: 'Layout' });
  draw();
  document.endMarkedContent();
}

const PADDING = 5;

async function writeTable(document: Document, table: TableElement, { text, structure }: Tools): Promise<void> {
  const { box, columns, header, rows, rowHeights, size, headerFill, headerInk } = table;
  const tag = document.struct('Table');
  structure.add(tag);
  decorate(document, () => document.rect(box.x, box.y, box.width, rowHeights[0] ?? 0).fill(headerFill));
  let { y } = box;
  for (const [at, row] of [header, ...rows].entries()) {
    const rowHeight = rowHeights[at] ?? 0;
    const top = y;
    decorate(document, () =>
      document
        .lineWidth(0.5)
        .moveTo(box.x, top + rowHeight)
        .lineTo(box.x + box.width, top + rowHeight)
        .stroke('#d5d9df'),
    );
    const rowTag = document.struct('TR');
    tag.add(rowTag);
    let { x } = box;
    for (const [column, content] of row.entries()) {
      const width = columns[column] ?? 0;
      const color = at === 0 ? headerInk : '#1f2328';
      const cell = {
        box: { x: x + PADDING, y: top + 2, width: width - 2 * PADDING, height: rowHeight - 4 },
        anchor: 'middle' as const,
        paragraphs: [
          { text: content, size, color, bold: at === 0, lines: Math.floor((rowHeight - 4) / (size * 1.22)) },
        ],
      };
      await tagged(document, rowTag, at === 0 ? 'TH' : 'TD', () => text.write(cell));
      x += width;
    }
    rowTag.end();
    y += rowHeight;
  }
  tag.end();
}
