/** Pages with a table: the summary, and the screenshots without a picture. */

import { cutMiddle } from '../../domain/middle.ts';
import { cutCodePoints } from '../../domain/text.ts';
import { textWidth } from '../../framing/frameSvg.ts';
import type { DocumentContent, DocumentElement, PlacedFile } from './elements.ts';
import { deviceIn, momentLabel, siteTitle, sizeLabel, textsIn } from './labels.ts';
import { type PageLayout, pageBasics } from './layout.ts';

interface Table {
  readonly title: string;
  readonly header: readonly string[];
  /** Shares of the width. */
  readonly shares: readonly number[];
  readonly rows: readonly (readonly string[])[];
  /** For each row, the picture of a page in its last column. */
  readonly pages?: readonly (Pick<PlacedFile, 'key' | 'description'> | undefined)[];
  /** The least height of a row, in points. */
  readonly rowHeight: number;
}

/** Points around the picture of a page. */
const GAP = 3;
const PAGE_WIDTH = 56;

const TEXT_SIZE = 9;
const HEADER_HEIGHT = 22;
const LINE_HEIGHT = TEXT_SIZE * 1.22;
/** Points beside and above the text of a cell, both sides together. */
const PADDING = { x: 10, y: 8 };
/** Lines break at words, so they are seldom full. */
const FILLED = 0.85;
/** Characters of a cell whose rest is cut, so that each row fits on a page. */
const MOST = 600;

/** @returns the elements of each page. @param number of the first page. */
export function tablePages(
  content: DocumentContent,
  layout: PageLayout,
  { table, number }: { table: Table; number: number },
): DocumentElement[][] {
  const { title, header, shares, rows, pages: seen = [], rowHeight } = table;
  const { body, accent, accentInk } = layout;
  const columns = shares.map((share) => share * body.width);
  const last = columns.at(-1) ?? 0;
  const pageBox = {
    x: body.x + body.width - last + GAP,
    width: Math.min(PAGE_WIDTH, last - 2 * GAP),
    height: rowHeight - 2 * GAP,
  };
  const most = body.height - HEADER_HEIGHT;
  const linesOf = (text: string, at: number) =>
    Math.ceil((textWidth(text) * TEXT_SIZE) / (FILLED * ((columns[at] ?? 0) - PADDING.x)));
  const heightOf = (row: readonly string[]) => Math.max(...row.map(linesOf)) * LINE_HEIGHT + PADDING.y;
  const pages: DocumentElement[][] = [];
  for (let at = 0, end = 0; at < rows.length; at = end) {
    const rowHeights = [HEADER_HEIGHT];
    const shown: PlacedFile[] = [];
    let top = HEADER_HEIGHT;
    for (; end < rows.length; end += 1) {
      const height = Math.min(most, Math.max(rowHeight, heightOf(rows[end] ?? [])));
      if (top + height > body.height) break;
      const page = seen[end];
      if (page !== undefined) shown.push({ kind: 'page', ...page, box: { ...pageBox, y: body.y + top + GAP } });
      rowHeights.push(height);
      top += height;
    }
    pages.push([
      ...pageBasics(content, layout, { title, number: number + pages.length }),
      {
        kind: 'table',
        box: { ...body, height: top },
        ...{ columns, header, rows: rows.slice(at, end), rowHeights, size: TEXT_SIZE },
        headerFill: accent,
        headerInk: accentInk,
      },
      ...shown,
    ]);
  }
  return pages;
}

/** One row for each ad on each site and device. */
export function summaryTable(content: DocumentContent): Table {
  const { pictures } = content;
  const { summary, columns } = textsIn(content);
  const groups = Map.groupBy(pictures, ({ site_url, device, ad_id }) => JSON.stringify([site_url, device, ad_id]));
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { site_url, ad_name, device } = first;
    return [
      [
        short(siteTitle(site_url)),
        short(ad_name),
        sizeLabel(first) ?? '',
        deviceIn(content, device),
        `${group.length}`,
      ],
    ];
  });
  return {
    title: summary,
    header: [columns.site, columns.ad, columns.size, columns.device, columns.pictures],
    shares: [0.34, 0.32, 0.1, 0.15, 0.09],
    rows,
    rowHeight: 22,
  };
}

export function failureTable(content: DocumentContent): Table {
  const { failures } = content;
  const texts = textsIn(content);
  const { site, ad, device: deviceColumn, status: statusColumn, reason: reasonColumn, page } = texts.columns;
  const hasPages = failures.some(({ page_key }) => page_key !== null);
  return {
    title: texts.failures,
    header: [site, ad, deviceColumn, statusColumn, reasonColumn, ...(hasPages ? [page] : [])],
    shares: hasPages ? [0.2, 0.18, 0.12, 0.12, 0.28, 0.1] : [0.22, 0.2, 0.13, 0.13, 0.32],
    pages: failures.map(({ page_key: key, site_url, device }) =>
      key === null ? undefined : { key, description: texts.thePage(siteTitle(site_url), deviceIn(content, device)) },
    ),
    rows: failures.map(({ site_url, ad_name, device, marker_ms, status, reason }) => {
      const moment = momentLabel(content, marker_ms);
      return [
        short(siteTitle(site_url)),
        short(moment === undefined ? ad_name : `${ad_name}, ${moment}`),
        deviceIn(content, device),
        texts.statuses[status],
        cutEnd(reason ?? ''),
        ...(hasPages ? [''] : []),
      ];
    }),
    rowHeight: 52,
  };
}

/** The texts of the findings are only in English. */
export function findingTable(content: DocumentContent): Table {
  const { findings, columns } = textsIn(content);
  return {
    title: findings,
    header: [columns.ad, columns.rule, columns.finding],
    shares: [0.28, 0.18, 0.54],
    rows: content.findings.map(({ ad_name, rule, message }) => [short(ad_name), rule, cutEnd(message)]),
    rowHeight: 22,
  };
}

const short = (text: string) => cutMiddle(text, 44);
const cutEnd = (text: string) => (text.length > MOST ? `${cutCodePoints(text, MOST - 1).trimEnd()}…` : text);
