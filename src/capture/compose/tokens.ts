/** What deflate writes codes for: bytes as they are, and repetitions of what came before. */

const LITERALS = 286;
const DISTANCES = 30;
export const END_OF_BLOCK = 256;

/** What the runs repeat, and about how often each symbol occurs in them; all else are bytes as they are. */
export interface Tokens {
  readonly runs: Runs;
  /** Pairs: where a repetition begins, and `length << 16 | distance`. */
  readonly repetitions: Int32Array;
  /** Where each run's pairs end. */
  readonly ends: readonly number[];
  readonly literals: Uint32Array;
  readonly distances: Uint32Array;
}

/** Runs of bytes, in order; what lies between them is not looked at. */
export interface Runs {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
  /** Of each run, by its place. */
  readonly lengths: readonly number[];
  /** How much may be repeated that begins there, at most. */
  readonly reach: (at: number) => number;
}

/** Shorter ones seldom pay: where bytes hardly repeat themselves, most are rather by chance and from far away. */
const SHORTEST = 8;
const LONGEST = 258;
const FARTHEST = 32_768;
const HASH_BITS = 13;
/** One byte in so many is counted: that tells enough of how often each occurs. */
const SAMPLE = 4;
/** So far apart are the places that are looked at, at most. */
const LONGEST_STEP = 32;

/** Where four bytes were last seen, by a hash of them, and which these were: the place itself is far away in memory. */
const seenAt = new Int32Array(1 << HASH_BITS);
const seenFour = new Int32Array(1 << HASH_BITS);

export function tokensOf(runs: Runs): Tokens {
  const { bytes, starts, lengths, reach } = runs;
  seenAt.fill(-FARTHEST);
  const repetitions: number[] = [];
  const ends: number[] = [];
  const literals = new Uint32Array(LITERALS);
  const distances = new Uint32Array(DISTANCES);
  let missed = 0;
  for (const [run, start] of starts.entries()) {
    const end = start + (lengths[run] ?? 0);
    let told = start;
    for (let at = start; at + SHORTEST <= end; ) {
      const from = seenBefore(bytes, at);
      const length = from < 0 ? 0 : alike(bytes, from, at, Math.min(LONGEST, end - at, reach(from)));
      if (length < SHORTEST) {
        // Photographs hardly repeat themselves: the longer nothing was found, the fewer places are looked at.
        at += Math.min(LONGEST_STEP, 1 + (missed++ >> 3));
        continue;
      }
      count(bytes, { from: told, to: at }, literals);
      repetitions.push(at, (length << 16) | (at - from));
      add(literals, lengthSymbol(length), 1);
      add(distances, distanceSymbol(at - from), 1);
      at += length;
      told = at;
      missed = 0;
    }
    count(bytes, { from: told, to: end }, literals);
    ends.push(repetitions.length);
  }
  return { runs, repetitions: Int32Array.from(repetitions), ends, literals, distances };
}

/** @returns where the four bytes that begin at `at` may have been before, or -1; remembers them. */
function seenBefore(bytes: Buffer, at: number): number {
  const four =
    (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
  const hash = Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS);
  const from = seenFour[hash] === four ? (seenAt[hash] ?? 0) : -1;
  seenAt[hash] = at;
  seenFour[hash] = four;
  return at - from < FARTHEST && bytes[from + SHORTEST - 1] === bytes[at + SHORTEST - 1] ? from : -1;
}

function alike(bytes: Buffer, from: number, at: number, most: number): number {
  let length = 0;
  while (length < most && bytes[from + length] === bytes[at + length]) length++;
  return length;
}

function count(bytes: Buffer, { from, to }: { from: number; to: number }, counts: Uint32Array): void {
  for (let at = from; at < to; at += SAMPLE) add(counts, bytes[at] ?? 0, SAMPLE);
}

function add(counts: Uint32Array, symbol: number, times: number): void {
  counts[symbol] = (counts[symbol] ?? 0) + times;
}

/** Of RFC 1951, 3.2.5: the shortest length and the nearest distance of each symbol, and the bits behind it. */
export const LENGTH_BASES = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
export const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
export const DISTANCE_BASES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
export const DISTANCE_EXTRA = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];

const SYMBOL_OF_LENGTH = Uint16Array.from(
  { length: LONGEST + 1 },
  (_, length) => 257 + LENGTH_BASES.findLastIndex((base) => base <= length),
);

export function lengthSymbol(length: number): number {
  return SYMBOL_OF_LENGTH[length] ?? 0;
}

/** Two symbols share each power of two. */
export function distanceSymbol(distance: number): number {
  if (distance <= 2) return distance - 1;
  const power = 31 - Math.clz32(distance - 1);
  return 2 * power + (((distance - 1) >> (power - 1)) & 1);
}
