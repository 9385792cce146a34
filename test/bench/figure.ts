import { median } from './medians.ts';

/** One measured comparison. In each round, both sides were measured directly after each other, so drift of the machine cancels out. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  /** The floor or the peer; absent if there is no comparison. */
  readonly other?: { readonly name: string; readonly values: readonly number[] };
  /** How the two values of a round are compared; `ratio` (ours divided by other) unless given. */
  readonly compared?: 'ratio' | 'difference';
  /** For the median of the comparisons. */
  readonly aim?: { readonly at: 'least' | 'most'; readonly value: number };
}

export interface Verdict {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
  readonly met: boolean | undefined;
}

/** @returns undefined if there is no comparison. @throws Error if the sides have different numbers of rounds. */
export function judge({ name, ours, other, compared = 'ratio', aim }: Figure): Verdict | undefined {
  if (other === undefined) return undefined;
  if (other.values.length !== ours.length)
    throw new Error(`${name}: ${ours.length} rounds against ${other.values.length}.`);
  const comparisons = ours.map((value, round) => {
    const theirs = other.values[round] ?? Number.NaN;
    return compared === 'ratio' ? value / theirs : value - theirs;
  });
  const middle = median(comparisons);
  const met = aim === undefined ? undefined : aim.at === 'least' ? middle >= aim.value : middle <= aim.value;
  return { median: middle, min: Math.min(...comparisons), max: Math.max(...comparisons), rounds: ours.length, met };
}
