import type { BitWriter } from './bits.ts';
import { type Code, codeFor, costOf } from './huffman.ts';
import {
  DISTANCE_BASES,
  DISTANCE_EXTRA,
  distanceSymbol,
  END_OF_BLOCK,
  LENGTH_BASES,
  LENGTH_EXTRA,
  lengthSymbol,
  type Tokens,
} from './tokens.ts';

type Counts = Pick<Tokens, 'literals' | 'distances'>;

/** The codes of one block. */
export interface BlockCode {
  readonly literals: Code;
  readonly distances: Code;
}

export function blockCodeFor(counts: readonly Counts[]): BlockCode {
  return {
    literals: codeFor(summed(counts.map(({ literals }) => literals))),
    distances: codeFor(summed(counts.map(({ distances }) => distances))),
  };
}

export function costIn({ literals, distances }: Counts, code: BlockCode): number {
  return costOf(literals, code.literals) + costOf(distances, code.distances);
}

/** With codes of its own, fractions of bits counted. */
export function idealCost({ literals, distances }: Counts): number {
  return entropyOf(literals) + entropyOf(distances);
}

/** A block's head: not the last one, and the lengths of its codes, each in four bits. */
export function writeHead(writer: BitWriter, { literals, distances }: BlockCode): void {
  writer.put(0b100, 3);
  writer.put(literals.lengths.length - 257, 5);
  writer.put(distances.lengths.length - 1, 5);
  writer.put(19 - 4, 4);
  // Lengths of the codes of lengths: repetitions, which are not used, then 0 to 15, all alike.
  for (let symbol = 0; symbol < 19; symbol++) writer.put(symbol < 3 ? 0 : 4, 3);
  for (const lengths of [literals.lengths, distances.lengths])
    for (const length of lengths) writer.put(reversedNibble(length), 4);
}

/** The end of the block, and an empty stored one, after which the next byte begins something new. */
export function writeEnd(writer: BitWriter, { literals }: BlockCode): void {
  writer.put(literals.bits[END_OF_BLOCK] ?? 0, literals.lengths[END_OF_BLOCK] ?? 0);
  writer.put(0, 3);
  writer.align();
  writer.put(0, 16);
  writer.put(0xffff, 16);
}

/** Writes one of the runs. */
export function writeRun(writer: BitWriter, { runs, repetitions, ends }: Tokens, run: number, code: BlockCode): void {
  const { bytes, starts, lengths } = runs;
  let from = starts[run] ?? 0;
  const to = from + (lengths[run] ?? 0);
  for (let pair = ends[run - 1] ?? 0; pair < (ends[run] ?? 0); pair += 2) {
    const at = repetitions[pair] ?? 0;
    const token = repetitions[pair + 1] ?? 0;
    writer.putCoded(bytes.subarray(from, at), code.literals);
    writeRepetition(writer, token, code);
    from = at + (token >> 16);
  }
  writer.putCoded(bytes.subarray(from, to), code.literals);
}

function writeRepetition(writer: BitWriter, token: number, { literals, distances }: BlockCode): void {
  const length = token >> 16;
  const distance = token & 0xffff;
  const symbol = lengthSymbol(length);
  writer.put(literals.bits[symbol] ?? 0, literals.lengths[symbol] ?? 0);
  writer.put(length - (LENGTH_BASES[symbol - 257] ?? 0), LENGTH_EXTRA[symbol - 257] ?? 0);
  const far = distanceSymbol(distance);
  writer.put(distances.bits[far] ?? 0, distances.lengths[far] ?? 0);
  writer.put(distance - (DISTANCE_BASES[far] ?? 0), DISTANCE_EXTRA[far] ?? 0);
}

/** Codes are written from their first bit on. */
function reversedNibble(value: number): number {
  return ((value & 1) << 3) | ((value & 2) << 1) | ((value & 4) >> 1) | ((value & 8) >> 3);
}

function summed(counts: readonly Uint32Array[]): Uint32Array {
  const sum = new Uint32Array(counts[0]?.length ?? 0);
  for (const one of counts) for (const [symbol, count] of one.entries()) sum[symbol] = (sum[symbol] ?? 0) + count;
  return sum;
}

function entropyOf(counts: Uint32Array): number {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((bits, count) => (count === 0 ? bits : bits + count * Math.log2(all / count)), 0);
}
