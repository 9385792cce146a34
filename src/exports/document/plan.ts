/** Plans a document: cover, summary, a section for each site, and the list of failures if it is wanted. */

import type { ExportPicture } from '../../core/exports/exportContent.ts';
import type { Logo } from '../../domain/branding.ts';
import { cutMiddle } from '../../domain/middle.ts';
import { formatDate } from '../../domain/time.ts';
import { textWidth } from '../../framing/frameSvg.ts';
import type { Box, DocumentContent, DocumentElement, DocumentPage, DocumentPlan } from './elements.ts';
import { siteName, siteTitle, textsIn } from './labels.ts';
import { fitInside, INK, layoutOf, PALE, type PageLayout } from './layout.ts';
import { pictureElement, sizeOf, stripPages, stripsOf, withRows } from './picturePages.ts';
import { failureTable, findingTable, summaryTable, tablePages } from './tablePages.ts';

const LOGO = { width: 240, height: 72 };
const LOGO_GAP = 36;

export function planDocument(content: DocumentContent): DocumentPlan {
  const layout = layoutOf(content);
  const pages: DocumentPage[] = [];
  const add = (section: string, made: readonly (readonly DocumentElement[])[]) => {
    for (const elements of made) pages.push({ section, elements });
  };
  const next = () => pages.length + 1;
  const { overview, failures, contact } = textsIn(content);
  add(overview, [coverPage(content, layout)]);
  const summary = summaryTable(content);
  if (summary.rows.length > 1) add(overview, tablePages(content, layout, { table: summary, number: next() }));
  for (const strip of withRows(content, layout, stripsOf(content.pictures))) {
    add(cutMiddle(siteTitle(strip.site), 80), stripPages(content, layout, { strip, number: next() }));
  }
  if (content.failures.length > 0) {
    add(failures, tablePages(content, layout, { table: failureTable(content), number: next() }));
  }
  if (content.findings.length > 0) {
    const table = findingTable(content);
    add(table.title, tablePages(content, layout, { table, number: next() }));
  }
  add(contact, [closingPage(content, layout)]);
  const { width, height } = layout;
  const [subject, language] = [textsIn(content).previews, content.options.language ?? 'en'];
  return { title: content.campaign, author: content.brandName, subject, language, width, height, pages };
}

/** Whole pages are too narrow strips there. */
const isForCover = ({ width, height }: ExportPicture) => height <= 2.6 * width;

/** The first picture is large on a panel in the accent color: at the right of a slide, and at the top of paper. */
function coverPage(content: DocumentContent, layout: PageLayout): DocumentElement[] {
  const { width, height, margin, isWide, accent } = layout;
  const { footer_text: footer, logo } = content.branding;
  const picture = content.pictures.find(isForCover);
  const isBeside = isWide || picture === undefined;
  const share = picture === undefined ? 0.02 : isWide ? 0.58 : 0.5;
  const panel = isBeside
    ? { x: width * (1 - share), y: 0, width: width * share, height }
    : { x: 0, y: 0, width, height: height * share };
  const area = { x: panel.x + margin, y: margin, width: panel.width - 2 * margin, height: panel.height - 2 * margin };
  const shown = picture && pictureElement(content, picture, fitInside(area, sizeOf(content, picture), 0.5));
  const x = margin;
  const top = isBeside ? 0 : panel.height;
  const inner = (isBeside ? panel.x : width) - 2 * margin;
  const free = height - top;
  const campaign = cutMiddle(content.campaign, 160);
  return [
    { kind: 'rectangle', box: panel, fill: accent },
    ...(shown ? [{ ...shown, ground: accent }] : []),
    ...logosAt({ x, y: top + margin, width: inner, height: LOGO.height }, [logo, content.clientLogo]),
    {
      kind: 'text',
      box: { x, y: top + free * 0.28, width: inner, height: free * 0.32 },
      anchor: 'bottom',
      isTitle: true,
      paragraphs: [
        { text: textsIn(content).previews, size: 14, color: PALE, after: 6, lines: 1 },
        { text: campaign, size: titleSize(campaign, inner), bold: true, color: INK, lines: 6 },
      ],
    },
    {
      kind: 'text',
      box: { x, y: top + free * 0.62, width: inner, height: free * 0.22 },
      paragraphs: [
        { text: cutMiddle(content.brandName, 120), size: 16, bold: true, color: INK, after: 4, lines: 3 },
        { text: datesOf(content), size: 13, color: INK, after: 4, lines: 2 },
        { text: countsOf(content), size: 13, color: PALE, lines: 2 },
      ],
    },
    {
      kind: 'text',
      box: { x, y: height - 70, width: inner, height: 46 },
      anchor: 'bottom',
      paragraphs: [
        ...(footer === null ? [] : [{ text: footer, size: 9, color: PALE, lines: 2 }]),
        { text: textsIn(content).disclaimer, size: 9, color: PALE, lines: 2 },
      ],
    },
  ];
}

/** The logos beside each other. */
function logosAt(area: Box, logos: readonly (Logo | null)[]): DocumentElement[] {
  const width = Math.min(LOGO.width, (area.width - LOGO_GAP) / 2);
  let { x } = area;
  return logos.flatMap((logo): DocumentElement[] => {
    if (logo === null) return [];
    const box = { ...fitInside({ ...area, width }, logo, 0.5), x };
    x += box.width + LOGO_GAP;
    return [{ kind: 'logo', key: logo.key, box, description: 'Logo' }];
  });
}

/** The last page names the sender, and says what the pictures are. */
function closingPage(content: DocumentContent, layout: PageLayout): DocumentElement[] {
  const { width, height, margin, accent } = layout;
  const x = margin + 24;
  const inner = width - 2 * margin - 24;
  const { footer_text: footer } = content.branding;
  return [
    { kind: 'rectangle', box: { x: 0, y: 0, width: 18, height }, fill: accent },
    ...logosAt({ x, y: height * 0.24, width: inner, height: LOGO.height }, [content.branding.logo]),
    {
      kind: 'text',
      box: { x, y: height * 0.4, width: inner, height: height * 0.34 },
      isTitle: true,
      paragraphs: [
        { text: cutMiddle(content.brandName, 120), size: 24, bold: true, color: INK, after: 10, lines: 2 },
        {
          text: `${textsIn(content).previews}: ${cutMiddle(content.campaign, 120)}`,
          size: 13,
          color: INK,
          after: 4,
          lines: 2,
        },
        { text: countsOf(content), size: 13, color: PALE, after: 10, lines: 2 },
        ...(footer === null ? [] : [{ text: footer, size: 11, color: INK, lines: 3 }]),
      ],
    },
    {
      kind: 'text',
      box: { x, y: height - 70, width: inner, height: 46 },
      anchor: 'bottom',
      paragraphs: [{ text: textsIn(content).about, size: 9, color: PALE, lines: 3 }],
    },
  ];
}

/** @returns the largest size at which the title takes at most three lines. */
function titleSize(title: string, width: number): number {
  return [34, 28, 24, 20].find((size) => textWidth(title) * size <= width * 2.4) ?? 16;
}

/** @returns the days on which the pictures were captured. */
function datesOf(content: DocumentContent): string {
  const { pictures, options } = content;
  const times = pictures.map(({ captured_at }) => captured_at.getTime());
  const day = (time: number) => formatDate(new Date(time), options.time_zone, options.language);
  // A set may have 10,000 pictures, too many for the arguments of Math.min.
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))].map(day);
  return textsIn(content).captured(first ?? '', last ?? '');
}

function countsOf(content: DocumentContent): string {
  const { pictures, parts, options } = content;
  const count = (of: (picture: ExportPicture) => string) => new Set(pictures.map(of)).size;
  const [sites, devices] = [count(({ site_url }) => siteName(site_url)), count(({ device }) => device)];
  const texts = textsIn(content);
  const counts = texts.counts(
    count(({ id }) => id),
    sites,
    devices,
  );
  return parts > 1 ? `${counts} · ${texts.part(options.part, parts)}` : counts;
}
