import { expect, test } from 'vitest';
import { createRateLimiter } from '../../../src/lib/rateLimiter.ts';

test('each key has its own bucket, which refills at its rate up to the burst', () => {
  let now = 0;
  const limiter = createRateLimiter({ perSecond: 2, burst: 3 }, () => now);
  const take = (key: string, amount?: number) => limiter.take(key, amount).allowed;
  expect([take('a'), take('a', 2), take('a'), take('b', 3)]).toEqual([true, true, false, true]);
  now = 500;
  expect([take('a'), take('a')]).toEqual([true, false]);
  now = 60_000;
  expect([take('a', 3), take('a')]).toEqual([true, false]);
  expect(take('a', 4)).toBe(false);
});

test('a call returns the tokens that remain, and a rejected call takes none', () => {
  const limiter = createRateLimiter({ perSecond: 2, burst: 3 }, () => 0);
  expect(limiter.take('a', 2)).toEqual({ allowed: true, remaining: 1 });
  expect(limiter.take('a', 2)).toEqual({ allowed: false, remaining: 1 });
});

test('the limiter remembers at most ten thousand keys, so that invented keys do not fill the memory', () => {
  const { take } = createRateLimiter({ perSecond: 0, burst: 1 }, () => 0);
  take('first');
  take('second');
  for (let i = 0; i < 9_999; i++) take(`x${i}`);
  expect([take('second').allowed, take('first').allowed]).toEqual([false, true]);
});

test('the remaining tokens of a key can be read without taking any', () => {
  const limiter = createRateLimiter({ perSecond: 2, burst: 3 }, () => 0);
  expect(limiter.remaining('a')).toBe(3);
  limiter.take('a', 2);
  expect([limiter.remaining('a'), limiter.remaining('a')]).toEqual([1, 1]);
});
