import type { ScheduleRecord } from '../../contract/schedules.ts';
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
  const { id, name, campaign_id, time_zone, missed, paused_reason, request, outcome, reason } = row;
  const last = row.last_due_at;
  return {
    type: 'schedule',
    ...{ id, name, status: scheduleStatus(row), campaign_id, rule: { ...row.rule }, time_zone },
    ...{ from: timestamp(row.starts_at), to: timestamp(row.ends_at), missed },
    ...{ paused: row.paused_at !== null, paused_reason, next_runs: runsAhead(row).map(timestamp) },
    last_run: last && { due_at: timestamp(last), outcome, screenshot_set_id: row.set_id, reason },
    html_url: schedulePage(place, id),
    ...{ created_at: timestamp(row.created_at), updated_at: timestamp(row.updated_at) },
    ...(request !== undefined && { request: JSON.parse(request) }),
  };
}
