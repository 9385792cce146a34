import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BandDeflater, type Columns } from '../../../../src/capture/compose/bandDeflater.ts';
import { codeFor } from '../../../../src/capture/compose/huffman.ts';

/** An empty last block: what the deflater writes has no end. */
const END = Buffer.from([0x03, 0x00]);

type Drawing = (row: number, column: number) => number;

const NOISE: Drawing = (row, column) => Math.imul((row << 12) ^ column, 2_654_435_761) >>> 24;
const FLAT: Drawing = () => 0;
const STRIPES: Drawing = (_row, column) => (column % 90 < 30 ? 200 : 3);
const SOFT: Drawing = (row, column) => Math.round(4 * Math.sin(row / 9) * Math.cos(column / 7)) & 0xff;
const DRAWINGS: [string, Drawing][] = [
  ['noise', NOISE],
  ['one colour', FLAT],
  ['stripes', STRIPES],
  ['soft shades', SOFT],
];

function drawn(drawing: Drawing, { stride, rows }: Columns): Buffer {
  const bytes = Buffer.alloc(stride * rows);
  for (let at = 0; at < bytes.length; at++) bytes[at] = drawing(Math.floor(at / stride), at % stride);
  return bytes;
}

function withAd(page: Buffer, ad: Drawing, { start, length, stride, rows }: Columns): Buffer {
  const bytes = Buffer.from(page);
  for (let row = 0; row < rows; row++)
    for (let column = start; column < start + length; column++) bytes[row * stride + column] = ad(row, column);
  return bytes;
}

const PLACES: [string, Columns][] = [
  ['in the middle', { start: 601, length: 153, stride: 1_501, rows: 60 }],
  ['at the left edge', { start: 1, length: 153, stride: 1_501, rows: 60 }],
  ['at the right edge', { start: 1_348, length: 153, stride: 1_501, rows: 60 }],
  ['as wide as the rows', { start: 1, length: 300, stride: 301, rows: 60 }],
  ['of one pixel in one row', { start: 4, length: 3, stride: 31, rows: 1 }],
  ['in rows that are longer than deflate looks back', { start: 601, length: 153, stride: 40_001, rows: 5 }],
];

test.each(PLACES)('rows with an ad %s are found again as they were, one ad after the other', (_where, columns) => {
  for (const [, pageDrawing] of DRAWINGS) {
    const page = drawn(pageDrawing, columns);
    const deflater = new BandDeflater(page, columns);
    for (const [, adDrawing] of [...DRAWINGS, ...DRAWINGS]) {
      const rows = withAd(page, adDrawing, columns);
      const back = inflateRawSync(Buffer.concat([deflater.deflate(rows), END]));
      expect(back.equals(rows)).toBe(true);
    }
  }
});

test.each(DRAWINGS)(
  'an ad of %s takes about what it takes with zlib’s first level, whatever ad came before',
  (_name, ad) => {
    const columns: Columns = { start: 601, length: 753, stride: 3_001, rows: 200 };
    const page = drawn(SOFT, columns);
    for (const [, before] of DRAWINGS) {
      const deflater = new BandDeflater(page, columns);
      deflater.deflate(withAd(page, before, columns));
      const rows = withAd(page, ad, columns);
      const zlib = deflateRawSync(rows, { level: 1 }).length;
      expect(deflater.deflate(rows).length).toBeLessThan(1.35 * zlib);
    }
  },
);

test('a code is complete, and no longer than deflate has them, whatever occurs how often', () => {
  const fibonacci = [1, 1];
  while (fibonacci.length < 40) fibonacci.push((fibonacci.at(-1) ?? 0) + (fibonacci.at(-2) ?? 0));
  for (const counts of [fibonacci, [5, 0, 0, 0, 0], [1, 1, 1], new Array(286).fill(7)]) {
    const { lengths, bits } = codeFor(Uint32Array.from(counts));
    expect(lengths.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(15);
    const written = Array.from(bits, (code, symbol) => code.toString(2).padStart(lengths[symbol] ?? 0, '0'));
    expect(new Set(written).size).toBe(counts.length);
  }
});
