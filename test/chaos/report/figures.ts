/** The figures of one run. */
import type { Finding } from '../check/findings.ts';
import { OPERATIONS, type TimedEntry } from '../ledger.ts';
import type { ChaosOptions } from '../options.ts';

export interface RunFigures {
  readonly target: ChaosOptions['target'];
  readonly seed: number;
  readonly date: string;
  /** The environment of the run: MINUTES and KILLS, to repeat it. */
  readonly command: string;
  readonly minutes: number;
  readonly kills: Readonly<Record<string, number>>;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly acknowledged: Readonly<Record<string, number>>;
  /** Requests that were sent more than once, because an answer was lost. */
  readonly repeated: number;
  readonly webhooks: number;
  readonly events: number;
  readonly pictures: number;
  readonly failedPictures: number;
  /** The longest time without an answer of the public API. */
  readonly longestOutageSeconds: number;
  /** From the last fault until nothing was left to do; null if that did not happen in time. */
  readonly quietSeconds: number | null;
  readonly findings: readonly Finding[];
}

export type Measured = Pick<
  RunFigures,
  'minutes' | 'longestOutageSeconds' | 'quietSeconds' | 'pictures' | 'failedPictures' | 'events' | 'findings'
>;

export function figuresOf(
  { target, seed, minutes, kills }: ChaosOptions,
  entries: readonly TimedEntry[],
  measured: Measured,
): RunFigures {
  const count = (kind: 'kill' | 'disturbance') =>
    countBy(entries.flatMap((entry) => (entry.kind === kind && 'what' in entry ? [entry.what] : [])));
  const acknowledged = entries.flatMap((entry) => (entry.kind === 'acknowledged' ? [entry] : []));
  const counted = countBy(acknowledged.map(({ operation }) => operation));
  return {
    target,
    seed,
    date: (entries[0]?.at ?? '').slice(0, 10),
    command: `make chaos TARGET=${target} SEED=${seed} MINUTES=${minutes} KILLS=${kills}`,
    kills: count('kill'),
    disturbances: count('disturbance'),
    acknowledged: Object.fromEntries(OPERATIONS.map((operation) => [operation, counted[operation] ?? 0])),
    repeated: acknowledged.filter(({ sent }) => sent > 1).length,
    webhooks: entries.filter(({ kind }) => kind === 'webhook').length,
    ...measured,
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

export const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((all, count) => all + count, 0);
