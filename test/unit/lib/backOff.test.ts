import { expect, test } from 'vitest';
import { backOffMs, doubledMs } from '../../../src/lib/repeat.ts';

test('the delay doubles with each failure up to its maximum', () => {
  const delays = [0, 1, 2, 3, 4, 100].map((failures) => doubledMs(failures, { firstMs: 100, maxMs: 500 }));
  expect(delays).toEqual([100, 100, 200, 400, 500, 500]);
});

test('jitter takes away at most half of the delay', () => {
  const range = { firstMs: 100, maxMs: 500 };
  expect([0, 0.5, 1].map((random) => backOffMs(2, range, () => random))).toEqual([100, 150, 200]);
});
