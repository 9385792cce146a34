import { expect, test } from 'vitest';
import { RetryDelays } from '../../../src/controller/workQueue.ts';

const OPTIONS = { firstMs: 100, maxMs: 1_000, retriesPerSecond: 10, burst: 1_000 };

function backOffAt(options: Partial<ConstructorParameters<typeof RetryDelays>[0]> = {}) {
  const time = { now: 0 };
  return { time, backOff: new RetryDelays({ ...OPTIONS, random: () => 1, clock: () => time.now, ...options }) };
}

test('the delay of a key doubles up to its maximum, and starts again after a success', () => {
  const { backOff } = backOffAt();
  expect(Array.from({ length: 6 }, () => backOff.failed('a'))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(backOff.failed('b')).toBe(100);
  backOff.forget('a');
  expect([backOff.failures('a'), backOff.failures('b'), backOff.failing]).toEqual([0, 1, 1]);
  expect(backOff.failed('a')).toBe(100);
});

test('a key that has failed for days still has a delay', () => {
  const { backOff } = backOffAt({ burst: Number.POSITIVE_INFINITY });
  const pauses = Array.from({ length: 5_000 }, () => backOff.failed('a'));
  expect(new Set(pauses.slice(4))).toEqual(new Set([1_000]));
});

test('keys that failed at the same time are retried at different times', () => {
  const random = [0, 0.5, 1];
  const { backOff } = backOffAt({ random: () => random.shift() ?? 0 });
  expect(['a', 'b', 'c'].map((key) => backOff.failed(key))).toEqual([50, 75, 100]);
});

test('many failures at once share one token bucket, which refills', () => {
  const { backOff, time } = backOffAt({ burst: 2 });
  expect(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => backOff.failed(key))).toEqual([100, 100, 100, 200, 300, 400]);
  time.now = 10_000;
  expect(['g', 'h', 'i', 'j'].map((key) => backOff.failed(key))).toEqual([100, 100, 100, 200]);
});
