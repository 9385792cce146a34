import { BitWriter, type WrittenBits } from './bits.ts';
import { type Runs, type Tokens, tokensOf } from './tokens.ts';
import { type BlockCode, blockCodeFor, costIn, idealCost, writeEnd, writeHead, writeRun } from './tokenWriter.ts';

/** Where an ad's bytes lie in the rows of a page. */
export interface Columns {
  readonly start: number;
  readonly length: number;
  /** Bytes from row to row. */
  readonly stride: number;
  readonly rows: number;
}

/** By how much more than needed an ad may cost before codes are made anew. */
const TOLERANCE = 0.1;

/**
 * Deflates rows of which an ad changes some columns, in one block, with zlib's own first level as the measure: an ad takes
 * half of its time, and no more bytes. What lies between the ad's columns, from the end of one row's to the beginning of
 * the next row's, is searched for repetitions once, and its codes are written once; they are kept for the ads that follow,
 * until one comes that would grow by them.
 */
export class BandDeflater {
  readonly #columns: Columns;
  readonly #between: Tokens;
  #code: BlockCode | undefined;
  #written: readonly WrittenBits[] = [];
  /** Of the ad that the codes were made for. */
  #excess = 0;

  /** @param rows with any bytes in the ad's columns. */
  constructor(rows: Buffer, columns: Columns) {
    this.#columns = columns;
    this.#between = tokensOf(between(rows, columns));
  }

  /** @param rows those of the constructor, with an ad in its columns. */
  deflate(rows: Buffer): Buffer {
    const { start, length, stride, rows: count } = this.#columns;
    const starts = Array.from({ length: count }, (_, row) => row * stride + start);
    const ad = tokensOf({ bytes: rows, starts, lengths: starts.map(() => length), reach: () => length });
    const code = this.#codeFor(ad);
    const writer = new BitWriter(rows.length >> 3);
    writeHead(writer, code);
    for (const [row, bits] of this.#written.entries()) {
      writer.append(bits);
      if (row < count) writeRun(writer, ad, row, code);
    }
    writeEnd(writer, code);
    return writer.bytes();
  }

  #codeFor(ad: Tokens): BlockCode {
    const excess = (code: BlockCode) => costIn(ad, code) / idealCost(ad) - 1;
    if (this.#code !== undefined && excess(this.#code) <= this.#excess + TOLERANCE) return this.#code;
    const code = blockCodeFor([this.#between, ad]);
    this.#written = this.#write(code);
    this.#excess = excess(code);
    this.#code = code;
    return code;
  }

  #write(code: BlockCode): WrittenBits[] {
    const writer = new BitWriter(1_024);
    return this.#between.ends.map((_, run) => {
      writeRun(writer, this.#between, run, code);
      return writer.take();
    });
  }
}

/** What is repeated from there may not reach into the ad's columns. */
function between(bytes: Buffer, { start, length, stride, rows }: Columns): Runs {
  const gap = stride - length;
  const starts = Array.from({ length: rows + 1 }, (_, row) => (row === 0 ? 0 : row * stride - gap + start));
  const lengths = starts.map((from, row) => (row === rows ? rows * stride - from : row * stride + start - from));
  const reach = (at: number) => gap - ((at - start - length + 2 * stride) % stride);
  return { bytes, starts, lengths, reach };
}
