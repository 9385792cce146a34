/** The section of docs/performance.md. */
import type { Measured } from './measure.ts';
import type { DatabaseSize } from './sizes.ts';

/** How many times as long a request may take with many rows. */
export const AIM = 1.5;

export interface RowsReport {
  readonly sets: number;
  readonly rounds: number;
  /** Load of the machine at the beginning and at the end. */
  readonly load: string;
  /** Seconds. */
  readonly filled: number;
  readonly measured: readonly Measured[];
  readonly size: DatabaseSize;
}

export function sectionOf({ sets, rounds, load, filled, measured, size }: RowsReport): string {
  const worst = measured.toSorted((a, b) => b.ratio - a.ratio);
  const missed = worst.filter(({ ratio }) => ratio > AIM).length;
  return `## Many stored rows

Two databases are in one PostgreSQL, each with an API process of its own. One has ${number(sets)} sets with
${number(sets * 10)} screenshots, and ads, campaigns, uploads, events, deliveries and audit log entries in proportion. One
organization holds eight tenths of them. The other database has 200 sets, so that its lists have full pages. Each value
that a filter looks for is common, or it is rare and occurs as often in both. Each request goes to both databases in
turn, ${rounds} times. Times end with the last byte. They are medians in milliseconds. The aim for the ratio is ${AIM}.
Steps of the controller and of background jobs run without an API.

${missed} of ${worst.length} exceed the aim. Load of the machine, which has two processors: ${load}. Other work makes short
times uncertain by some tenths.

${table(
  ['request', `${number(sets)} sets`, '200 sets', 'ratio', 'met'],
  worst.map(({ name, empty, full, ratio }) => [
    name,
    full.toFixed(1),
    empty.toFixed(1),
    ratio.toFixed(2),
    ratio <= AIM ? 'yes' : '**no**',
  ]),
)}

The large database takes ${gigabytes(size.bytes)}. Pictures are not in it. Filling it took ${filled.toFixed(0)} s,
\`analyze\` ${size.analyze.toFixed(0)} s, and \`vacuum\` without changes ${size.vacuum.toFixed(0)} s.

${table(
  ['table', 'rows', 'size', 'indexes'],
  size.tables.map(({ name, rows, table: bytes, indexes }) => [
    `\`${name}\``,
    number(rows),
    gigabytes(bytes),
    gigabytes(indexes),
  ]),
)}`;
}

const number = (value: number) => value.toLocaleString('en');
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
