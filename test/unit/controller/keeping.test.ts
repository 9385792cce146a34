import { expect, test } from 'vitest';
import { FirstSeenTracker } from '../../../src/controller/firstSeenTracker.ts';
import { Retention } from '../../../src/controller/retention.ts';

test('Of what is finished so many are kept, and the oldest goes for each that is one too many', () => {
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

test('Where none is kept each one goes at once', () => {
  expect(new Retention(0).keep('a')).toBe('a');
});

test('Nothing is judged before it has been known for two minutes, by a clock that nobody sets', () => {
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
