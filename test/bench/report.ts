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

Written by \`make bench\`. Absolute figures belong to the machine below; what carries over to another are the comparisons: in
each round both sides are measured right after each other, so that a machine that is slow for a while is slow for both. Each value
is the median of the rounds; the span of the rounds stands in brackets.

${table(['machine', ''], machine)}

${table(['figure', 'ours', 'floor or peer', 'comparison', 'aim', 'met'], compared.map(row))}

${table(
  ['without comparison', 'median', 'span'],
  alone.map(({ name, unit, ours }) => [name, `${short(median(ours))} ${unit}`, span(ours)]),
)}

Of that, by phase of the capture program (phases overlap, and a program's own start is in none of them):
${Object.entries(phases)
  .filter(([, seconds]) => seconds > 0)
  .map(([phase, seconds]) => `\`${phase}\` ${seconds.toFixed(2)} s`)
  .join(', ')}.

## What is measured

- **Requests**: \`tearsheet api\` as it is compiled and configured, with authentication, validation, rate limit and log, against an
  express server that reads the same JSON and inserts the same three rows (ad, subscriber, queue job) in one transaction, nothing
  else. Same PostgreSQL, same load, which runs on the same machine.
- **Pictures**: different 300×250 photographs on a news page with scripts, photos and lazy slots. *Ours* is the page opened, settled
  and searched for slots, and each ad placed and encoded, as a capture does it. *Raw CDP* has the page loaded already, swaps an image's source and
  captures with \`optimizeForSpeed\`: a floor without slots, checks or record. *capture-website* is called once a picture with its
  defaults, but for the viewport and its blocker of ads, and puts the ad in before its screenshot. A picture counts only
  if every pixel of its ad is found in it; all of ours must.
- **Encoding**: the pixels of a page and of each ad are at hand, and one PNG of both is wanted. Ours compresses
  only the rows of the ad for each picture. sharp encodes the whole picture each time, which is the usual way to make a composition.
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
