import { recordOf } from '../../contract/recordOf.ts';
import { ScheduleRecord } from '../../contract/schedules.ts';
import { type OrganizationLinks, schedulePage } from '../../domain/addresses.ts';
import { scheduleStatus } from '../../domain/schedules.ts';
import { timestamp } from '../../domain/time.ts';
import { nextRuns } from './rules.ts';
import type { ScheduleRow } from './scheduleQueries.ts';
import { timingOf } from './schedules.ts';

const NEXT_RUNS = 5;

/** @returns the next five runs; none if the schedule is paused or has ended. */
export function runsAhead(row: ScheduleRow): Date[] {
  return row.due_at === null ? [] : nextRuns(timingOf(row), new Date(row.due_at.getTime() - 1), NEXT_RUNS);
}

export function scheduleRecord(
  row: ScheduleRow & { readonly request?: string },
  place: OrganizationLinks,
): ScheduleRecord {
  const { request, outcome, reason } = row;
  const last = row.last_due_at;
  return recordOf(ScheduleRecord, row, {
    status: scheduleStatus(row),
    rule: { ...row.rule },
    from: timestamp(row.starts_at),
    to: timestamp(row.ends_at),
    paused: row.paused_at !== null,
    next_runs: runsAhead(row).map(timestamp),
    last_run: last && { due_at: timestamp(last), outcome, screenshot_set_id: row.set_id, reason },
    html_url: schedulePage(place, row.id),
    ...(request !== undefined && { request: JSON.parse(request) }),
  });
}
