import { expect, test } from 'vitest';
import { FirstSeenTracker } from '../../../src/controller/leaderContext.ts';

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
