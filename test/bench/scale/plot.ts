/** Two lines over the number of settled jobs, each with its own scale, as SVG. */

export interface Line {
  readonly label: string;
  readonly colour: string;
  /** Upper end of the scale. */
  readonly most: number;
  readonly points: readonly (readonly [settled: number, value: number])[];
}

const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { left: 56, right: 64, top: 40, bottom: 40 };
const STEPS = 4;

export function plot(title: string, lines: readonly [Line, Line], total: number): string {
  const x = (settled: number) => MARGIN.left + (settled / total) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (share: number) => HEIGHT - MARGIN.bottom - share * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const text = (at: { x: number; y: number; anchor?: string; colour?: string }, words: string) =>
    `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}" text-anchor="${at.anchor ?? 'middle'}" fill="${at.colour ?? '#444'}">${words}</text>`;
  const steps = Array.from({ length: STEPS + 1 }, (_, index) => index / STEPS);
  const grid = steps.map((share) => `<path d="M${MARGIN.left} ${y(share)}H${WIDTH - MARGIN.right}" stroke="#ddd"/>`);
  const [left, right] = lines;
  const scales = steps.flatMap((share) => [
    text({ x: MARGIN.left - 8, y: y(share) + 4, anchor: 'end', colour: left.colour }, short(share * left.most)),
    text(
      { x: WIDTH - MARGIN.right + 8, y: y(share) + 4, anchor: 'start', colour: right.colour },
      short(share * right.most),
    ),
    text({ x: x(share * total), y: HEIGHT - MARGIN.bottom + 18 }, short(share * total)),
  ]);
  const drawn = lines.map(({ points, colour, most }) => {
    const path = points.map(
      ([settled, value]) => `${x(settled).toFixed(1)},${y(Math.min(1, value / most)).toFixed(1)}`,
    );
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${left.label} and ${right.label}, over the number of settled ScreenshotJobs</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...grid,
    ...scales,
    ...drawn,
    text({ x: MARGIN.left - 44, y: 28, anchor: 'start', colour: left.colour }, left.label),
    text({ x: WIDTH - 8, y: 28, anchor: 'end', colour: right.colour }, right.label),
    text({ x: WIDTH / 2, y: 14 }, title),
    text({ x: WIDTH / 2, y: HEIGHT - 6 }, 'settled ScreenshotJobs'),
    '</svg>',
    '',
  ].join('\n');
}

const short = (value: number) => (value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1));
