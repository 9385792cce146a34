/** Sizes and places that all pages of a document share, in points. */
import { inkOn, PAGE_POINTS } from '../../domain/branding.ts';
import { cutMiddle } from '../../domain/middle.ts';
import type { Box, DocumentContent, DocumentElement } from './elements.ts';
import { textsIn } from './labels.ts';

export const INK = '#1f2328';
export const PALE = '#5f6670';
const LINE = '#d5d9df';

export interface PageLayout {
  readonly width: number;
  readonly height: number;
  readonly margin: number;
  readonly isWide: boolean;
  readonly accent: string;
  readonly accentInk: string;
  /** Between the heading and the footer. */
  readonly body: Box;
}

const HEADING_HEIGHT = 40;
const FOOTER_HEIGHT = 26;

export function layoutOf({ options, branding }: DocumentContent): PageLayout {
  const [width, height] = PAGE_POINTS[options.page_size];
  const margin = 36;
  const top = margin + HEADING_HEIGHT;
  const accent = branding.accent_color;
  return {
    ...{ width, height, margin, accent, accentInk: inkOn(accent) },
    isWide: width > height,
    body: { x: margin, y: top, width: width - 2 * margin, height: height - top - FOOTER_HEIGHT - 24 },
  };
}

/** The accent line, the heading of the page and its footer. */
export function pageBasics(
  content: DocumentContent,
  layout: PageLayout,
  { title, right = '', number }: { title: string; right?: string; number: number },
): DocumentElement[] {
  const { width, height, margin, accent } = layout;
  const inner = width - 2 * margin;
  const rightWidth = right === '' ? 0 : Math.min(220, inner * 0.35);
  const foot = { y: height - 34, height: 16 };
  const footer = content.branding.footer_text ?? content.brandName;
  const titleWidth = inner - rightWidth - 12;
  const size = title.length > titleWidth / 10.5 ? 15 : 20;
  // Presentations do not cut text, so a title must fit into its two lines.
  const most = Math.min(110, Math.floor((2 * titleWidth) / (size * 0.6)));
  return [
    { kind: 'rectangle', box: { x: 0, y: 0, width, height: 6 }, fill: accent },
    {
      kind: 'text',
      box: { x: margin, y: 24, width: titleWidth, height: HEADING_HEIGHT },
      anchor: 'middle',
      isTitle: true,
      paragraphs: [{ text: cutMiddle(title, most), size, bold: true, color: INK, lines: 2 }],
    },
    ...(right === ''
      ? []
      : [
          {
            kind: 'text' as const,
            box: { x: width - margin - rightWidth, y: 24, width: rightWidth, height: HEADING_HEIGHT },
            align: 'right' as const,
            anchor: 'middle' as const,
            paragraphs: [{ text: cutMiddle(right, 60), size: 11, color: PALE, lines: 2 }],
          },
        ]),
    { kind: 'rectangle', box: { x: margin, y: height - 40, width: inner, height: 0.75 }, fill: LINE },
    {
      kind: 'text',
      box: { x: margin, width: inner - 170, ...foot },
      anchor: 'middle',
      paragraphs: [{ text: cutMiddle(footer, 110), size: 8.5, color: PALE, lines: 1 }],
    },
    {
      kind: 'text',
      box: { x: width - margin - 160, width: 160, ...foot },
      align: 'right',
      anchor: 'middle',
      paragraphs: [{ text: `${textsIn(content).preview} · ${number}`, size: 8.5, color: PALE, lines: 1 }],
    },
  ];
}

/** @returns the largest box of this shape inside another one: centered across, and at the top or centered. */
export function fitInside(area: Box, { width, height }: { width: number; height: number }, anchor = 0): Box {
  const scale = Math.min(area.width / width, area.height / height);
  const box = { width: width * scale, height: height * scale };
  return { ...box, x: area.x + (area.width - box.width) / 2, y: area.y + (area.height - box.height) * anchor };
}
