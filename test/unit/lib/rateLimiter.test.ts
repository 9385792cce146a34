import { expect, test } from 'vitest';
import { createRateLimiter } from '../../../src/lib/rateLimiter.ts';

test('So much may be used at once, and so much more with each second, by each for itself', () => {
  let now = 0;
  const { take } = createRateLimiter({ perSecond: 2, burst: 3 }, () => now);
  expect([take('a'), take('a', 2), take('a'), take('b', 3)]).toEqual([true, true, false, true]);
  now = 500;
  expect([take('a'), take('a')]).toEqual([true, false]);
  now = 60_000;
  expect([take('a', 3), take('a')]).toEqual([true, false]);
  expect(take('a', 4)).toBe(false);
});

test('No more than ten thousand are remembered, so that names that are made up fill nothing', () => {
  const { take } = createRateLimiter({ perSecond: 0, burst: 1 }, () => 0);
  take('first');
  take('second');
  for (let i = 0; i < 9_999; i++) take(`x${i}`);
  expect([take('second'), take('first')]).toEqual([false, true]);
});
