import { type Figure, judge } from './figure.ts';
import { median } from './medians.ts';

export interface Report {
  readonly machine: readonly (readonly [string, string])[];
  readonly figures: readonly Figure[];
  /** Seconds by phase. */
  readonly phases: Readonly<Record<string, number>>;
}

/** docs/performance.md. */
export function reportOf({ machine, figures, phases }: Report): string {
  const compared = figures.filter(({ other }) => other !== undefined);
  const alone = figures.filter(({ other }) => other === undefined);
  return `# Performance

Written by \`make bench\`. Absolute figures belong to the machine below. Only the comparisons apply to other machines. In
each round, both sides are measured directly after each other, so a slow phase of the machine affects both. Each value
is the median of the rounds, with their range in brackets.

${table(['machine', ''], machine)}

${table(['figure', 'ours', 'floor or peer', 'comparison', 'aim', 'met'], compared.map(row))}

${table(
  ['without comparison', 'median', 'span'],
  alone.map(({ name, unit, ours }) => [name, `${short(median(ours))} ${unit}`, span(ours)]),
)}

Time by phase of the capture program. Phases overlap, and no phase includes the start of the program.

${table(
  ['phase', 'median'],
  Object.entries(phases)
    .filter(([, seconds]) => seconds > 0)
    .map(([phase, seconds]) => [`\`${phase}\``, `${seconds.toFixed(2)} s`]),
)}

## What is measured

- **Requests**: \`tearsheet api\`, compiled and configured as usual, with authentication, validation, rate limit and log.
  The floor is an express server that reads the same JSON and inserts the same three rows (ad, subscriber, queue job) in
  one transaction. It does nothing else. Both use the same PostgreSQL and the same load, which runs on the same machine.
- **Webhooks**: stored deliveries to one local receiver, from the start of the workers to the last stored result. Two
  statements and a signature belong to each. The floor is a loop that posts the same bodies over 16 connections.
- **Pictures**: different 300×250 photographs on a news page with scripts, photos and lazy slots. *Ours* opens the page,
  lets it settle, searches it for slots, and places and encodes each ad, as a capture does. *Raw CDP* starts with a
  loaded page, swaps the source of an image and captures with \`optimizeForSpeed\`. It is a floor without slots, checks or
  record. *capture-website* is called once for each picture. It uses its defaults, except for the viewport and its ad
  blocker, and inserts the ad before its screenshot. A picture counts only if it has every pixel of its ad. All of ours
  must.
- **Pages**: one 300×250 ad on different pages of a local server with photos, lazy photos, a tag, late scripts and, on a
  quarter of them, a consent dialog. *Ours* is what a capture does with its default number of open pages. The floor is
  Playwright with as many open pages. For each page, it opens a new context, waits for the load event and takes a
  screenshot. It does not scroll, wait for lazy content, answer dialogs or place an ad. All our pictures must have every
  pixel of the ad.
- **Encoding**: the pixels of a page and of each ad are in memory, and the result is one PNG of both. Ours compresses
  only the rows of the ad for each picture. sharp encodes the whole picture each time, which is the usual way.
- **Markers**: a creative that moves by CSS and by script, rendered at 30 s and at 0 s by the same browser.
`;
}

function row(figure: Figure): string[] {
  const { name, unit, ours, other, compared = 'ratio', aim } = figure;
  const verdict = judge(figure);
  if (other === undefined || verdict === undefined) throw new Error(`${name} has nothing to compare with.`);
  const mark = (value: number) =>
    compared === 'ratio' ? `${short(value)}×` : `${value < 0 ? '' : '+'}${short(value)} ${unit}`;
  return [
    name,
    `${short(median(ours))} ${unit}`,
    `${short(median(other.values))} ${unit} (${other.name})`,
    `${mark(verdict.median)} (${mark(verdict.min)} – ${mark(verdict.max)}, ${verdict.rounds} rounds)`,
    aim === undefined
      ? '–'
      : `${aim.at === 'least' ? '≥' : '≤'} ${compared === 'ratio' ? `${aim.value}×` : `${aim.value} ${unit}`}`,
    verdict.met === undefined ? '–' : verdict.met ? 'yes' : '**no**',
  ];
}

function span(values: readonly number[]): string {
  return `${short(Math.min(...values))} – ${short(Math.max(...values))}, ${values.length} rounds`;
}

/** Three digits that count. */
function short(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
