import { describe, expect, test } from 'vitest';
import {
  type ChosenRetention,
  DEFAULT_RETENTION,
  type RetentionPolicy,
  retentionFaults,
  retentionPeriods,
} from '../../../src/domain/retention.ts';

const NOTHING: ChosenRetention = {
  set_retention_days: null,
  event_retention_days: null,
  delivery_retention_days: null,
  request_retention_days: null,
};
const daysOf = (chosen: Partial<ChosenRetention>, policy: RetentionPolicy = DEFAULT_RETENTION) => {
  const { event_retention_days, delivery_retention_days } = retentionPeriods({ ...NOTHING, ...chosen }, policy);
  return [event_retention_days, delivery_retention_days];
};
const withMax = (maxDays: number): RetentionPolicy => ({
  ...DEFAULT_RETENTION,
  event_retention_days: { defaultDays: 90, maxDays },
  delivery_retention_days: { defaultDays: 90, maxDays },
});

describe('the days that apply', () => {
  test('an organization that chose nothing has the days of the operator', () => {
    expect(retentionPeriods(NOTHING, DEFAULT_RETENTION)).toEqual({
      set_retention_days: null,
      event_retention_days: 90,
      delivery_retention_days: 90,
      request_retention_days: 1,
    });
  });

  test('a delivery is kept at most as long as its event', () => {
    expect(daysOf({ event_retention_days: 30 })).toEqual([30, 30]);
    expect(daysOf({ delivery_retention_days: 7 })).toEqual([90, 7]);
    expect(daysOf({ event_retention_days: 30, delivery_retention_days: 60 })).toEqual([30, 30]);
  });

  test('the choice of more days for deliveries keeps events as long', () => {
    expect(daysOf({ delivery_retention_days: 365 })).toEqual([365, 365]);
  });

  test('the maximum of the operator limits an older choice', () => {
    expect(daysOf({ event_retention_days: 365, delivery_retention_days: 200 }, withMax(60))).toEqual([60, 60]);
  });
});

describe('a change of the days', () => {
  const faults = (
    changed: Partial<ChosenRetention>,
    before: Partial<ChosenRetention> = {},
    policy = DEFAULT_RETENTION,
  ) => retentionFaults({ changed, after: { ...NOTHING, ...before, ...changed } }, policy);

  test('deliveries cannot be kept longer than chosen events, and the message says what to do', () => {
    expect(faults({ event_retention_days: 30, delivery_retention_days: 60 })).toEqual({
      delivery_retention_days: [
        'must be at most event_retention_days, which is 30, because a delivery needs its event: shorten it, or set event_retention_days to at least 60.',
      ],
    });
    expect(Object.keys(faults({ event_retention_days: 30 }, { delivery_retention_days: 60 }))).toEqual([
      'delivery_retention_days',
    ]);
  });

  test('a choice that contradicts no other choice is accepted', () => {
    expect(faults({ event_retention_days: 30 })).toEqual({});
    expect(faults({ delivery_retention_days: 365 })).toEqual({});
    expect(faults({ delivery_retention_days: null }, { event_retention_days: 30 })).toEqual({});
  });

  test('more days than the maximum of the operator are rejected, but not those that stay as they were', () => {
    expect(faults({ event_retention_days: 61 }, {}, withMax(60))).toEqual({
      event_retention_days: ['must be at most 60: the operator set this maximum.'],
    });
    expect(faults({ request_retention_days: 2 }, { event_retention_days: 61 }, withMax(60))).toEqual({});
  });
});
