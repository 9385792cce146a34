/** Draws characters that no font of this machine has, for example emoji, as pictures. */
import sharp from 'sharp';
import { escapeXml, textWidth } from '../../framing/frameSvg.ts';
import { setBounded } from '../../lib/lru.ts';

declare global {
  namespace PDFKit {
    interface PDFDocument {
      /** Missing in the types of pdfkit. */
      openImage(source: Buffer): Mixins.ImageSrc;
    }
  }
}

export interface TextPicture {
  /** Opened once, so that the document contains its bytes once. */
  readonly image: PDFKit.Mixins.ImageSrc;
  /** In units of the font size. */
  readonly width: number;
  readonly height: number;
}

export type TextPictures = ReturnType<typeof createTextPictures>;

const MAX_KEPT = 500;
/** Pixels for each unit of the font size. */
const SCALE = 96;
const HEIGHT = 1.3;
const FONTS = 'Noto Color Emoji, Apple Color Emoji, Noto Sans, Noto Sans CJK SC, sans-serif';

export function createTextPictures(document: Pick<PDFKit.PDFDocument, 'openImage'>) {
  const kept = new Map<string, TextPicture>();
  const open = async (text: string): Promise<TextPicture> => {
    const { png, ...size } = await draw(text);
    return { image: document.openImage(png), ...size };
  };
  return {
    /** Draws these texts, so that `find` has them. */
    async prepare(texts: Iterable<string>): Promise<void> {
      for (const text of texts) if (!kept.has(text)) setBounded(kept, [text, await open(text)], MAX_KEPT);
    },
    find: (text: string) => kept.get(text),
  };
}

/** With Pango, because in an SVG the emoji lose their colors. */
async function draw(text: string): Promise<{ png: Buffer; width: number; height: number }> {
  const width = Math.max(0.5, textPictureWidth(text));
  const drawn = sharp({ text: { text: escapeXml(text), font: `${FONTS} ${SCALE}`, dpi: 72, rgba: true } });
  const box = { width: Math.ceil(width * SCALE), height: Math.ceil(HEIGHT * SCALE) };
  const png = await drawn
    .resize({ ...box, fit: 'contain', withoutEnlargement: true, background: '#0000' })
    .png()
    .toBuffer();
  return { png, width, height: HEIGHT };
}

/** Emoji of several code points are one picture wide. */
export function textPictureWidth(text: string): number {
  const segments = [...SEGMENTER.segment(text)].map(({ segment }) => segment);
  return segments.reduce((sum, segment) => sum + (/\p{RGI_Emoji}/v.test(segment) ? 1.25 : textWidth(segment)), 0);
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
