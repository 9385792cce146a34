/** Pages with a table: the summary, and the screenshots without a picture. */

import { shortDevice } from '../../domain/devices.ts';
import { cutMiddle } from '../../domain/middle.ts';
import { SCREENSHOT_LABELS } from '../../domain/screenshotLabels.ts';
import type { DocumentContent, DocumentElement } from './elements.ts';
import { momentLabel, siteTitle, sizeLabel } from './labels.ts';
import { type PageLayout, pageBasics } from './layout.ts';

interface Table {
  readonly title: string;
  readonly header: readonly string[];
  /** Shares of the width. */
  readonly shares: readonly number[];
  readonly rows: readonly (readonly string[])[];
  /** Height of a row in points. */
  readonly rowHeight: number;
}

const TEXT_SIZE = 9;

/** @returns the elements of each page. @param number of the first page. */
export function tablePages(
  content: DocumentContent,
  layout: PageLayout,
  { table, number }: { table: Table; number: number },
): DocumentElement[][] {
  const { title, header, shares, rows, rowHeight } = table;
  const { body, accent, accentInk } = layout;
  const perPage = Math.max(1, Math.floor(body.height / rowHeight) - 1);
  const columns = shares.map((share) => share * body.width);
  const pages: DocumentElement[][] = [];
  for (let at = 0; at < rows.length; at += perPage) {
    const shown = rows.slice(at, at + perPage);
    pages.push([
      ...pageBasics(content, layout, { title, number: number + pages.length }),
      {
        kind: 'table',
        box: { ...body, height: rowHeight * (shown.length + 1) },
        ...{ columns, header, rows: shown, rowHeight, size: TEXT_SIZE },
        headerFill: accent,
        headerInk: accentInk,
      },
    ]);
  }
  return pages;
}

/** One row for each ad on each site and device. */
export function summaryTable({ pictures }: DocumentContent): Table {
  const groups = Map.groupBy(pictures, ({ site_url, device, ad_id }) => JSON.stringify([site_url, device, ad_id]));
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { site_url, ad_name, device } = first;
    return [
      [short(siteTitle(site_url)), short(ad_name), sizeLabel(first) ?? '', shortDevice(device), `${group.length}`],
    ];
  });
  return {
    title: 'Summary',
    header: ['Site', 'Ad', 'Size', 'Device', 'Pictures'],
    shares: [0.34, 0.32, 0.1, 0.15, 0.09],
    rows,
    rowHeight: 22,
  };
}

export function failureTable({ failures }: DocumentContent): Table {
  return {
    title: 'Not captured',
    header: ['Site', 'Ad', 'Device', 'Status', 'Reason'],
    shares: [0.22, 0.2, 0.13, 0.13, 0.32],
    rows: failures.map(({ site_url, ad_name, device, marker_ms, status, reason }) => {
      const moment = momentLabel(marker_ms);
      return [
        short(siteTitle(site_url)),
        short(moment === undefined ? ad_name : `${ad_name}, ${moment}`),
        shortDevice(device),
        SCREENSHOT_LABELS[status],
        cutMiddle(reason ?? '', 150),
      ];
    }),
    rowHeight: 42,
  };
}

const short = (text: string) => cutMiddle(text, 44);
