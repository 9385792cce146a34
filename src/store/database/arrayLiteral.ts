/** Array parameters as text. pg converts an array at once, which holds the event loop if it is long. */
import { runInSlices } from '../../lib/slices.ts';

type Item = string | number | null;

/** Items that are converted between two looks at the clock. */
const STEP = 500;

/** @returns the literal of a PostgreSQL array, for a parameter with a cast such as `::text[]`. */
export function arrayLiteral<T>(items: readonly T[], value: (item: T) => Item): Promise<string> {
  return runInSlices(literalSteps(items, value));
}

function* literalSteps<T>(items: readonly T[], value: (item: T) => Item): Generator<undefined, string> {
  const parts: string[] = [];
  for (let start = 0; start < items.length; start += STEP) {
    parts.push(
      items
        .slice(start, start + STEP)
        .map((item) => element(value(item)))
        .join(','),
    );
    yield;
  }
  return `{${parts.join(',')}}`;
}

function element(value: Item): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
}
