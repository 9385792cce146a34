import { describe, expect, test } from 'vitest';
import { afterTry, MAX_TRIES, parseRetryAfter, type TryResult } from '../../../src/delivery/schedule.ts';

const START = new Date('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;

/** Fails every try until the schedule gives up, on a clock that jumps to when each is due. */
function failAll({ random, retryAfterMs }: { random: () => number; retryAfterMs?: number }): {
  waits: number[];
  state: string;
} {
  const waits: number[] = [];
  let at = START;
  for (let tries = 1; tries <= 100; tries++) {
    const next = afterTry({ outcome: 'retry', tries, at, retryAfterMs }, random);
    if (next.state !== 'waiting') return { waits, state: next.state };
    waits.push(next.dueAt.getTime() - at.getTime());
    at = next.dueAt;
  }
  throw new Error('The schedule never gave up.');
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe('a receiver that always fails', () => {
  test('is tried 14 times over about 24 hours', () => {
    const { waits, state } = failAll({ random: () => 0.5 });
    expect(waits).toHaveLength(MAX_TRIES - 1);
    expect(MAX_TRIES).toBe(14);
    expect(state).toBe('retries_exhausted');
    expect(sum(waits) / HOUR).toBeGreaterThan(23.5);
    expect(sum(waits) / HOUR).toBeLessThan(24.5);
  });

  test.each([0, 0.999])('is so with any luck (%d)', (luck) => {
    const { waits } = failAll({ random: () => luck });
    expect(sum(waits) / HOUR).toBeGreaterThan(21);
    expect(sum(waits) / HOUR).toBeLessThan(27);
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThan(waits[index - 1] ?? 0);
  });

  test('is not tried again at the same moment as its neighbours', () => {
    const due = [0, 0.3, 0.9].map((luck) => failAll({ random: () => luck }).waits[5]);
    expect(new Set(due).size).toBe(3);
  });
});

describe('Retry-After', () => {
  const wait = (tries: number, retryAfterMs: number) => {
    const next = afterTry({ outcome: 'retry', tries, at: START, retryAfterMs }, () => 0.5);
    return next.state === 'waiting' ? next.dueAt.getTime() - START.getTime() : undefined;
  };

  test('is waited for when it asks for more than the schedule', () => {
    expect(wait(1, 120_000)).toBe(120_000);
  });

  test('cannot ask for less', () => {
    expect(wait(5, 1)).toBe(wait(5, 0));
    expect(wait(5, -1e9)).toBe(wait(5, 0));
  });

  test.each([Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY])(
    'cannot hold a delivery back for ever (%d)',
    (ms) => {
      expect(wait(1, ms)).toBe(HOUR);
    },
  );

  test('cannot stretch all tries beyond a day and a half', () => {
    expect(sum(failAll({ random: () => 0.999, retryAfterMs: 1e15 }).waits) / HOUR).toBeLessThan(36);
  });

  test.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['-5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['', undefined],
    ['2026-01-01', undefined],
    [null, undefined],
  ])('%j is read as %j', (value, ms) => {
    expect(parseRetryAfter(value, START)).toBe(ms);
  });

  test.each(['9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])('%s is read as very long', (value) => {
    expect(parseRetryAfter(value, START)).toBeGreaterThan(HOUR * 24 * 365);
  });
});

test.each(['delivered', 'gone'] as const)('%s ends it at once', (outcome) => {
  const result: TryResult = { outcome, tries: 1, at: START, retryAfterMs: 1000 };
  expect(afterTry(result)).toEqual({ state: outcome });
});
