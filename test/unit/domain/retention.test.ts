import { expect, test } from 'vitest';
import { maxRetention, NO_RETENTION, retentionDays } from '../../../src/domain/retention.ts';

test.each([
  [null, NO_RETENTION, null],
  [30, NO_RETENTION, 30],
  [null, { defaultDays: 90, maxDays: undefined }, 90],
  [365, { defaultDays: 90, maxDays: 100 }, 100],
  [null, { defaultDays: undefined, maxDays: 100 }, 100],
])('an organization that chose %j days has, with the limits %j, %j days', (chosen, limits, days) => {
  expect(retentionDays(chosen, limits)).toBe(days);
});

test('the maximum of the operator limits the choice', () => {
  expect([maxRetention(NO_RETENTION), maxRetention({ defaultDays: 10, maxDays: 35 })]).toEqual([36_500, 35]);
});
