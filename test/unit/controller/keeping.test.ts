import { expect, test } from 'vitest';
import { FirstSeenTracker, Retention } from '../../../src/controller/leaderContext.ts';

test('the oldest finished ScreenshotJob is deleted when there are too many', () => {
  const retention = new Retention(2);
  expect(['a', 'b', 'a', 'b'].map((name) => retention.keep(name))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(retention.keep('c')).toBe('a');
  expect(['a', 'b', 'c'].map((name) => retention.isExcess(name))).toEqual([true, false, false]);
  expect(retention.keep('a')).toBeUndefined();
  retention.forget('a');
  expect(retention.isExcess('a')).toBe(false);
});

test('a finished ScreenshotJob is deleted at once if none may be kept', () => {
  expect(new Retention(0).keep('a')).toBe('a');
});

test('an object is judged two minutes after it was first seen, on a monotonic clock', () => {
  let now = 0;
  const tracker = new FirstSeenTracker(() => now);
  expect(tracker.msUntilJudged('a')).toBe(120_000);
  now = 119_999;
  expect([tracker.msUntilJudged('a'), tracker.msUntilJudged('b')]).toEqual([1, 120_000]);
  now = 120_000;
  expect(tracker.msUntilJudged('a')).toBe(0);
  tracker.keepOnly(new Set(['b']));
  expect([tracker.msUntilJudged('a'), tracker.msUntilJudged('b')]).toEqual([120_000, 119_999]);
});
