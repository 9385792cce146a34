/**
 * When a schedule runs. Times are those of the wall clock of its zone:
 *
 * - A time that a change of the clock skips runs at the first time after the gap.
 * - A time that occurs twice runs at the first of both.
 * - A rule for every hour (`*` in the field of hours) follows the hours that pass, so it has 23 or 25 runs on such a day.
 */
import { createHash } from 'node:crypto';
import { Cron, CronPattern } from 'croner';
import { DAYS, minutesOf, RUN_GAP_MINUTES, type ScheduleRule } from '../../domain/schedules.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

/** All that the times of a schedule depend on. */
export interface Timing {
  /** The id of the schedule, which spreads the times in its window. */
  readonly id: string;
  readonly rule: ScheduleRule;
  readonly timeZone: string;
  readonly from: Date;
  /** Included. */
  readonly to: Date;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAY_MINUTES = 1_440;
/** Fields that mean the same whenever they are read; `?` and names such as `@daily` are none. */
const PLAIN_CRON = /^[\w*,/#-]+( [\w*,/#-]+){4}$/;
/** A window has one time each day, so a week has one on each of its days. */
const DAYS_AHEAD = 8;

/** @returns why a cron expression cannot be used; undefined if it can. */
export function cronFault(cron: string): string | undefined {
  if (!PLAIN_CRON.test(cron))
    return 'must have five fields, each after one space: minute, hour, day, month, day of the week.';
  try {
    const gap = shortestGap(new CronPattern(cron, undefined, { mode: '5-part' }));
    if (gap >= RUN_GAP_MINUTES) return undefined;
    return `would run ${gap} minutes after another run: there must be at least ${RUN_GAP_MINUTES}.`;
  } catch (error) {
    return `is no cron expression: ${errorMessage(error).replace(/^CronPattern: /, '')}`;
  }
}

/** The minutes between runs of one day, and of two days that follow each other. */
function shortestGap({ hour, minute }: CronPattern): number {
  const times = chosen(hour).flatMap((h) => chosen(minute).map((m) => h * 60 + m));
  const next = [...times.slice(1), (times[0] ?? 0) + DAY_MINUTES];
  return Math.min(...times.map((time, index) => (next[index] ?? 0) - time));
}

const chosen = (field: readonly number[]) => field.flatMap((isChosen, index) => (isChosen ? [index] : []));

/** @returns the next runs after this time, at most `most`, at least 15 minutes apart. */
export function nextRuns(timing: Timing, after: Date, most: number): Date[] {
  const next = 'cron' in timing.rule ? nextOfCron(timing, timing.rule.cron) : nextOfWindow(timing, timing.rule);
  const runs: Date[] = [];
  // A run at `from` counts.
  let last = Math.max(after.getTime(), timing.from.getTime() - 1);
  while (runs.length < most) {
    const run = next(new Date(last));
    if (run === undefined || run > timing.to) break;
    runs.push(run);
    last = run.getTime() + RUN_GAP_MINUTES * MINUTE_MS - 1;
  }
  return runs;
}

type Next = (after: Date) => Date | undefined;

function nextOfCron({ timeZone, to }: Timing, cron: string): Next {
  const [, ...others] = cron.split(' ');
  // A step such as */20 would make the library treat the times of a skipped hour as those of every hour.
  const minutes = chosen(new CronPattern(cron, undefined, { mode: '5-part' }).minute).join(',');
  const job = new Cron([minutes, ...others].join(' '), {
    timezone: timeZone,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    stopAt: new Date(to.getTime() + 1_000),
  });
  return (after) => job.nextRun(after) ?? undefined;
}

function nextOfWindow(
  { id, timeZone }: Timing,
  { days, start, end }: Extract<ScheduleRule, { readonly start: string }>,
): Next {
  const [first, width] = [minutesOf(start), minutesOf(end) - minutesOf(start)];
  const dates = datesIn(timeZone);
  return (after) => {
    // Midnight UTC stands for the day, whatever the zone.
    const today = Date.parse(`${dates.format(after)}T00:00:00Z`);
    for (let ahead = 0; ahead < DAYS_AHEAD; ahead += 1) {
      const day = new Date(today + ahead * DAY_MS);
      if (!days.some((name) => name === DAYS[day.getUTCDay()])) continue;
      const date = day.toISOString().slice(0, 10);
      const run = instantOf(date, first + (sumOf(`${id} ${date}`) % width), timeZone);
      if (run !== undefined && run > after) return run;
    }
    return undefined;
  };
}

const sumOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0);

/** Formats days of the wall clock as `2026-11-25`. To make one takes a while. */
export const datesIn = (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone });

/** @param date as `2026-11-25`. @returns the time at which the wall clock shows this; undefined if there is no such date. */
export function instantOf(date: string, minutes: number, timeZone: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) return undefined;
  const [year, month, day] = date.split('-').map(Number);
  const cron = `0 ${minutes % 60} ${Math.floor(minutes / 60)} ${day} ${month} * ${year}`;
  const before = new Date(Date.parse(`${date}T00:00:00Z`) - 2 * DAY_MS);
  return new Cron(cron, { timezone: timeZone, mode: '7-part' }).nextRun(before) ?? undefined;
}
