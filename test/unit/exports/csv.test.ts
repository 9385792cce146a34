import { expect, test } from 'vitest';
import { csvText } from '../../../src/exports/zip/writeZip.ts';

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', '\r\n=1'])(
  'the cell %j is text, not a formula',
  (text) => {
    expect(csvText([[text]])).toBe(`\uFEFF"'${text}"\r\n`);
  },
);

test('quotes are doubled, and separators and lines stay inside their cell', () => {
  expect(csvText([['a "b"', 'c,d', 'e\nf', null, -2.5]])).toBe('\uFEFF"a ""b""","c,d","e\nf",,-2.5\r\n');
});
