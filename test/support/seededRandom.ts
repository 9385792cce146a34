/** Random numbers that a seed decides, so that a run can be repeated with the same schedule. */

export interface Random {
  /** @returns a number from 0 to below 1. */
  next(): number;
  /** @returns a whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  /** @throws Error for an empty list. */
  pick<T>(items: readonly T[]): T;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // The generator mulberry32: 32 bits of state are enough for a schedule.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
  };
}
