import { describe, expect, test } from 'vitest';
import { decideNext, MAX_ATTEMPTS } from '../../../../src/core/webhooks/schedule.ts';
import { parseRetryAfter } from '../../../../src/lib/retryAfter.ts';

const START = new Date('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;

/** Fails every attempt until there is no further one. */
function failAll({ random, retryAfterMs }: { random: () => number; retryAfterMs?: number }): {
  waits: number[];
  state: string;
} {
  const waits: number[] = [];
  for (let attempts = 1; attempts <= 100; attempts++) {
    const next = decideNext({ outcome: 'retry', attempts, retryAfterMs }, random);
    if (next.state !== 'waiting') return { waits, state: next.state };
    waits.push(next.waitMs);
  }
  throw new Error('The schedule never ended.');
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe('a receiver that always fails', () => {
  test('a receiver that always fails gets 14 attempts within about 24 hours', () => {
    const { waits, state } = failAll({ random: () => 0.5 });
    expect(waits).toHaveLength(MAX_ATTEMPTS - 1);
    expect(MAX_ATTEMPTS).toBe(14);
    expect(state).toBe('retries_exhausted');
    expect(sum(waits) / HOUR).toBeGreaterThan(23.5);
    expect(sum(waits) / HOUR).toBeLessThan(24.5);
  });

  test.each([0, 0.999])(
    'a receiver that always fails gets its attempts within 21 to 27 hours for the random number %d',
    (luck) => {
      const { waits } = failAll({ random: () => luck });
      expect(sum(waits) / HOUR).toBeGreaterThan(21);
      expect(sum(waits) / HOUR).toBeLessThan(27);
      for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThan(waits[index - 1] ?? 0);
    },
  );

  test('deliveries that fail at the same time are retried at different times', () => {
    const due = [0, 0.3, 0.9].map((luck) => failAll({ random: () => luck }).waits[5]);
    expect(new Set(due).size).toBe(3);
  });
});

describe('Retry-After', () => {
  const wait = (attempts: number, retryAfterMs: number) => {
    const next = decideNext({ outcome: 'retry', attempts, retryAfterMs }, () => 0.5);
    return next.state === 'waiting' ? next.waitMs : undefined;
  };

  test('Retry-After makes a wait longer', () => {
    expect(wait(1, 120_000)).toBe(120_000);
  });

  test('Retry-After cannot make a wait shorter', () => {
    expect(wait(5, 1)).toBe(wait(5, 0));
    expect(wait(5, -1e9)).toBe(wait(5, 0));
  });

  test.each([Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY])(
    'Retry-After of %d ms delays an attempt by at most an hour',
    (ms) => {
      expect(wait(1, ms)).toBe(HOUR);
    },
  );

  test('Retry-After cannot stretch all attempts beyond a day and a half', () => {
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
  ])('Retry-After %j is read as %j', (value, ms) => {
    expect(parseRetryAfter(value, START)).toBe(ms);
  });

  test.each(['9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'Retry-After %s is read as a very long wait',
    (value) => {
      expect(parseRetryAfter(value, START)).toBeGreaterThan(HOUR * 24 * 365);
    },
  );
});

test.each(['delivered', 'gone'] as const)('the outcome %s ends a delivery at once', (outcome) => {
  expect(decideNext({ outcome, attempts: 1, retryAfterMs: 1000 })).toEqual({ state: outcome });
});
