/** Schedules: requests that repeat during a flight. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const;
/** In the order of cron, in which Sunday is 0. */
export const DAYS = ['sunday', ...WEEKDAYS, 'saturday'] as const;

/** Whether a run that the service missed is made once when it is back, or not at all. */
export const MISSED = ['skip', 'once'] as const;
export const RUN_OUTCOMES = ['requested', 'refused', 'skipped'] as const;
export const SCHEDULE_STATUSES = ['active', 'paused', 'ended'] as const;

/** A cron expression of five fields, or a time of each day between two times of the wall clock, as `08:00`. */
export type ScheduleRule =
  | { readonly cron: string }
  | { readonly days: readonly (typeof DAYS)[number][]; readonly start: string; readonly end: string };

/** Schedules of one organization. */
export const SCHEDULES_MAX = 50;
export const SCHEDULE_NAME_MAX = 100;
/** How far in the future a schedule may end: two years. */
export const SCHEDULE_DAYS_MAX = 731;
export const SCHEDULE_DAYS_DEFAULT = 90;
/** The shortest time between two runs. */
export const RUN_GAP_MINUTES = 15;
/** A longer window could choose times of two days that are closer than two runs may be. */
export const WINDOW_HOURS_MAX = 12;
/** After this many consecutive refused runs, the service pauses the schedule. */
export const REFUSED_RUNS_MAX = 10;
/** A run that begins later than this was missed. */
export const MISSED_AFTER_MINUTES = 15;
export const CRON_MAX = 100;

/** @returns minutes since midnight. @param clock as `08:30`. */
export function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

export function scheduleStatus(row: { readonly paused_at: Date | null; readonly due_at: Date | null }) {
  if (row.paused_at !== null) return 'paused';
  return row.due_at === null ? 'ended' : 'active';
}
