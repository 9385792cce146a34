import { expect, test } from 'vitest';
import { cronFault, instantOf, nextRuns } from '../../../../src/core/schedules/rules.ts';
import { type ScheduleRule, WEEKDAYS } from '../../../../src/domain/schedules.ts';

interface Wanted {
  readonly zone?: string;
  readonly after: string;
  readonly most?: number;
  readonly id?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The next runs, as the wall clock of the zone shows them. */
function runs(rule: ScheduleRule | string, { zone = 'UTC', after, most = 4, id = 'a', from, to }: Wanted): string[] {
  const timing = {
    id,
    rule: typeof rule === 'string' ? { cron: rule } : rule,
    timeZone: zone,
    from: new Date(from ?? 0),
    to: new Date(to ?? '2040-01-01T00:00Z'),
  };
  return nextRuns(timing, new Date(after), most).map((time) =>
    time.toLocaleString('sv-SE', { timeZone: zone }).slice(0, 16),
  );
}

test.each([
  ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29 03:00', '2026-03-30 02:30']],
  ['America/New_York', '30 2 * * *', '2026-03-07T12:00Z', ['2026-03-08 03:00', '2026-03-09 02:30']],
  ['Australia/Lord_Howe', '15 2 * * *', '2026-10-02T20:00Z', ['2026-10-04 02:30', '2026-10-05 02:15']],
  // Several times in the gap are one run.
  ['Europe/Berlin', '*/20 2 * * *', '2026-03-28T12:00Z', ['2026-03-29 03:00', '2026-03-30 02:00', '2026-03-30 02:20']],
  ['Europe/Berlin', '0 1-3 * * *', '2026-03-28T12:00Z', ['2026-03-29 01:00', '2026-03-29 03:00', '2026-03-30 01:00']],
])('in %s, %s runs once when its hour is skipped', (zone, cron, after, expected) => {
  expect(runs(cron, { zone, after, most: expected.length })).toEqual(expected);
});

test.each([
  ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
  ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
  ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T03:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
  [
    'Europe/Berlin',
    '*/30 2 * * *',
    '2026-10-24T12:00Z',
    ['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-26T01:00Z'],
  ],
])('in %s, %s runs once when its hour comes twice', (zone, cron, after, expected) => {
  const timing = { id: 'a', rule: { cron }, timeZone: zone, from: new Date(0), to: new Date('2030-01-01') };
  expect(nextRuns(timing, new Date(after), expected.length)).toEqual(expected.map((time) => new Date(time)));
});

test('a rule for every hour follows the hours that pass', () => {
  const day = (after: string) => {
    const timing = { id: 'a', rule: { cron: '0 * * * *' }, timeZone: 'Europe/Berlin', from: new Date(0) };
    const end = new Date(Date.parse(after) + 25.5 * 3_600_000);
    return nextRuns({ ...timing, to: end }, new Date(after), 100).filter(
      (time) => time.toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' }) === after.slice(0, 10),
    ).length;
  };
  expect([day('2026-10-25T00:00+02:01'), day('2026-03-29T00:00+01:01')]).toEqual([25, 23]);
});

test('days that a month or a year lacks have no run', () => {
  expect(runs('0 9 31 * *', { after: '2026-01-31T10:00Z', most: 3 })).toEqual([
    '2026-03-31 09:00',
    '2026-05-31 09:00',
    '2026-07-31 09:00',
  ]);
  expect(runs('0 9 29 2 *', { after: '2026-01-01T00:00Z', most: 2 })).toEqual(['2028-02-29 09:00', '2032-02-29 09:00']);
  expect(runs('0 9 29 2 *', { after: '2026-01-01T00:00Z', to: '2027-12-31T00:00Z' })).toEqual([]);
});

const WINDOW = { days: WEEKDAYS, start: '08:00', end: '10:00' };

test('a window has one run on each of its days, at a time that stays the same', () => {
  const wanted = { zone: 'Europe/Berlin', after: '2026-03-24T00:00Z', most: 9 };
  const first = runs(WINDOW, wanted);
  expect(first.map((time) => time.slice(0, 10))).toEqual(
    [24, 25, 26, 27, 30, 31].map((day) => `2026-03-${day}`).concat('2026-04-01', '2026-04-02', '2026-04-03'),
  );
  for (const time of first) expect(time.slice(11) >= '08:00' && time.slice(11) < '10:00').toBe(true);
  expect(new Set(first.map((time) => time.slice(11))).size).toBeGreaterThan(5);
  expect(runs(WINDOW, { ...wanted, after: '2026-03-27T21:00Z', most: 2 })).toEqual(first.slice(4, 6));
  expect(runs(WINDOW, { ...wanted, id: 'b' })).not.toEqual(first);
});

test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])(
  'in %s, a window that a change of the clock meets has one run a day for a year',
  (zone) => {
    const days = [...WEEKDAYS, 'saturday', 'sunday'] as const;
    const found = runs({ days, start: '01:00', end: '04:00' }, { zone, after: '2026-01-01T12:00Z', most: 365 });
    expect(new Set(found.map((time) => time.slice(0, 10))).size).toBe(365);
  },
);

test('runs are within the flight, its ends included', () => {
  const flight = { from: '2026-11-02T09:00Z', to: '2026-11-04T09:00Z' };
  expect(runs('0 9 * * *', { after: '2026-10-01T00:00Z', most: 9, ...flight })).toEqual([
    '2026-11-02 09:00',
    '2026-11-03 09:00',
    '2026-11-04 09:00',
  ]);
});

test('a window has no run after the end of the flight', () => {
  const window = { days: WEEKDAYS, start: '09:00', end: '11:00' };
  expect(runs(window, { after: '2026-11-23T00:00Z', to: '2026-11-24T12:00Z' })).toHaveLength(2);
});

test('a change of the clock brings no two runs closer together than 15 minutes', () => {
  // 02:10 and 02:30 are both at 03:00 on this day, and 03:10 would follow.
  const found = runs('10,30 2,3 * * *', { zone: 'Europe/Berlin', after: '2026-03-29T00:00Z', most: 2 });
  expect(found).toEqual(['2026-03-29 03:00', '2026-03-29 03:30']);
});

test.each([
  ['*/15 * * * *', undefined],
  ['0,30 8-10 * * MON-FRI', undefined],
  ['0 9 L * *', undefined],
  ['0 9 * * FRI#2', undefined],
  ['* * * * *', 'would run 1 minutes after another run'],
  ['0,50 * * * *', 'would run 10 minutes after another run'],
  ['0,59 0,23 * * *', 'would run 1 minutes after another run'],
  ['0 9 * *', 'must have five fields'],
  ['0 0 9 * * *', 'must have five fields'],
  ['@hourly', 'must have five fields'],
  ['? 9 * * *', 'must have five fields'],
  ['0 9 * * *\n', 'must have five fields'],
  ['61 9 * * *', 'is no cron expression'],
  ['0 25 * * *', 'is no cron expression'],
  ['0 9 0 * *', 'is no cron expression'],
  ['a b c d e', 'is no cron expression'],
])('the fault of the cron expression %j is %j', (cron, fault) => {
  if (fault === undefined) expect(cronFault(cron)).toBeUndefined();
  else expect(cronFault(cron)).toContain(fault);
});

test('a date that does not exist has no time', () => {
  expect(instantOf('2026-02-30', 0, 'Europe/Berlin')).toBeUndefined();
  expect(instantOf('2026-03-29', 0, 'Europe/Berlin')).toEqual(new Date('2026-03-28T23:00Z'));
});
