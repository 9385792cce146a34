/** The figures of a bench, and how they are printed. */

/** One comparison. In each round, both sides are measured directly after each other, so drift of the machine cancels out. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  /** The floor; absent if there is no comparison. */
  readonly other?: { readonly name: string; readonly values: readonly number[] };
  /** How the two values of a round are compared; `ratio` (ours divided by other) unless given. */
  readonly compared?: 'ratio' | 'difference';
  /** For the median of the comparisons, or of our values if there is no comparison. */
  readonly aim?: { readonly at: 'least' | 'most'; readonly value: number };
}

/** The middle of the values; of an even number, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  if (middle === undefined) throw new Error('A median needs at least one value.');
  return middle;
}

/** How long the work took, in seconds, and its result. */
export async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const start = performance.now();
  const result = await work();
  return { seconds: (performance.now() - start) / 1000, result };
}

/** Measures the sides directly after each other in each round; another one starts in turn. @returns the values of each side. */
export async function inTurns<T>(rounds: number, sides: readonly (() => Promise<T>)[]): Promise<T[][]> {
  const values = sides.map((): T[] => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...sides.entries()];
    for (const [index, measure] of round % 2 === 0 ? order : order.reverse()) values[index]?.push(await measure());
  }
  return values;
}

/** The figures as a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const head = ['figure', 'ours', 'floor', 'comparison', 'aim', 'met'];
  return [head, head.map(() => '---'), ...figures.map(row)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function row({ name, unit, ours, other, compared = 'ratio', aim }: Figure): string[] {
  const isRatio = other !== undefined && compared === 'ratio';
  const values = other === undefined ? ours : ours.map((value, round) => compare(value, other.values[round], isRatio));
  const middle = median(values);
  const mark = (value: number) => (isRatio ? `${short(value)}×` : `${short(value)} ${unit}`);
  const span = `${mark(Math.min(...values))} to ${mark(Math.max(...values))}, ${values.length} rounds`;
  const isMet = aim?.at === 'least' ? middle >= aim.value : middle <= (aim?.value ?? 0);
  return [
    name,
    `${short(median(ours))} ${unit}`,
    other === undefined ? '–' : `${short(median(other.values))} ${unit} (${other.name})`,
    `${mark(middle)} (${span})`,
    aim === undefined ? '–' : `${aim.at === 'least' ? '≥' : '≤'} ${mark(aim.value)}`,
    aim === undefined ? '–' : isMet ? 'yes' : '**no**',
  ];
}

function compare(ours: number, other: number | undefined, isRatio: boolean): number {
  if (other === undefined) throw new Error('The two sides have different numbers of rounds.');
  return isRatio ? ours / other : ours - other;
}

/** Three digits that count. */
function short(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
