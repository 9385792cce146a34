/**
 * Makes the runs of schedules. One transaction locks the schedule, stores the run with its set, and adds the entry for the
 * next run. So a process that is killed leaves all of it or nothing, and one due time never makes two sets:
 *
 * - An entry of the queue counts only while its time is the next run of its schedule.
 * - If an entry is missing, maintenance adds one (`wakeLateSchedules`).
 * - If the clock goes back, the run waits until its time comes again.
 */
import { screenshotRequestParser } from '../../contract/readRequest.ts';
import type { Database, Queryable } from '../../db/database.ts';
import type { Enqueuer, Payloads, Queue } from '../../db/queue.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { type Actor, SERVICE } from '../../domain/auditLog.ts';
import { conflict, Failure, failureMessage, forbiddenAction } from '../../domain/failure.ts';
import { MISSED_AFTER_MINUTES, REFUSED_RUNS_MAX } from '../../domain/schedules.ts';
import type { SetStatus } from '../../domain/states.ts';
import { formatInstant } from '../../domain/time.ts';
import type { Log } from '../../lib/log.ts';
import { withSpan } from '../../observe/tracing.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { recordNotice } from '../journal/recordNotice.ts';
import { type AcceptanceContext, acceptScreenshotRequest } from '../requests/acceptScreenshotRequest.ts';
import { readProgress } from '../sets/readSet.ts';
import { nextRuns } from './rules.ts';
import {
  type DueSchedule,
  lockDue,
  type RunRow,
  type ScheduleRow,
  takeLate,
  updateSchedule,
} from './scheduleQueries.ts';
import { requireSchedule, timingOf, wake } from './schedules.ts';

export interface RunContext extends AcceptanceContext {
  readonly db: Database;
  readonly log: Log;
  /** Called for each attempt that counts. `failed`: the queue tries again. */
  readonly countRun: (outcome: Run['outcome'] | 'failed') => void;
}

type Entry = Payloads['run_schedule'];
type Run = Omit<RunRow, 'due_at'>;

/** Many schedules are due at the same minute, and each request takes a moment. */
const CONCURRENCY = 4;
const LATE_TOGETHER = 500;
/** A run that fails because of the service itself is tried for this time. */
const GIVE_UP_MS = 6 * 3_600_000;

/** Starts the workers of the queue `run_schedule`; they stop with the queue. */
export async function startSchedules(context: RunContext & { readonly queue: Queue }): Promise<void> {
  await context.queue.work('run_schedule', { concurrency: CONCURRENCY }, async (entries) => {
    for (const entry of entries) await runSchedule(entry, context);
  });
}

/** Makes the run of an entry, unless it is no longer the next one. @throws errors of PostgreSQL; the queue then tries again. */
export async function runSchedule(entry: Entry, context: RunContext): Promise<void> {
  // The set belongs to this trace, as that of a request to the API.
  const options = { kind: 'producer', attributes: { 'tearsheet.schedule': entry.schedule_id } } as const;
  const run = await withSpan('run schedule', options, async (span) => {
    const made = await tryRun(entry, context);
    span.set({ 'tearsheet.outcome': made?.outcome });
    return made;
  }).catch((error: unknown) => {
    context.countRun('failed');
    throw error;
  });
  if (run === undefined) return;
  context.countRun(run.outcome);
  context.log.info({ ...entry, ...run }, 'a run of a schedule was decided');
}

function tryRun(entry: Entry, context: RunContext): Promise<Run | undefined> {
  const { db, log } = context;
  return db
    .transaction()
    .execute((tx) => makeRun(tx, entry, context))
    .catch((error: unknown) => {
      const refused: Run = { outcome: 'refused', set_id: null, reason: reasonToRefuse(error, entry, log) };
      return db.transaction().execute(async (tx) => {
        const schedule = await lockDue(tx, entry.schedule_id, new Date(entry.due_at));
        return schedule && endRun(tx, schedule, refused, context.queue);
      });
    });
}

/** @throws errors that are no refusal, for some hours. */
function reasonToRefuse(error: unknown, entry: Entry, log: Log): string {
  if (error instanceof Failure) return failureMessage(error);
  if (Date.now() - Date.parse(entry.due_at) < GIVE_UP_MS) throw error;
  log.error({ ...entry, err: error }, 'a run of a schedule failed for hours, so it is not tried again');
  return 'The service failed. Its operator finds the cause in the log.';
}

/** @returns undefined for an entry that does not count. @throws Failure if the run is refused; then nothing is stored. */
async function makeRun(tx: Queryable, entry: Entry, context: RunContext): Promise<Run | undefined> {
  const { queue, limits, quotas } = context;
  const schedule = await lockDue(tx, entry.schedule_id, new Date(entry.due_at));
  if (schedule === undefined) return undefined;
  const { id: scheduleId, due_at, now, organization_id: organizationId } = schedule;
  if (now < due_at) {
    await wake(tx, queue, scheduleId, due_at);
    return undefined;
  }
  const reason = reasonToSkip(schedule);
  if (reason !== undefined) return endRun(tx, schedule, { outcome: 'skipped', set_id: null, reason }, queue);
  if (schedule.is_disabled) throw forbiddenAction('organization', 'The organization is disabled.');
  const parsed = screenshotRequestParser(limits)(JSON.parse(schedule.request));
  const set = await acceptScreenshotRequest(tx, { organizationId, parsed, scheduleId }, { queue, limits, quotas });
  return endRun(tx, schedule, { outcome: 'requested', set_id: set.id, reason: null }, queue);
}

/**
 * Makes a run at once, beside the planned ones, also of a paused schedule.
 * @throws Failure: 404, 409 while the pictures of its last run are being taken, and as {@link acceptScreenshotRequest}.
 */
export async function runNow(
  tx: Queryable,
  { ref, actor }: { readonly ref: ObjectRef; readonly actor: Actor },
  context: AcceptanceContext,
): Promise<ScheduleRow> {
  const { organizationId, id: scheduleId } = ref;
  const { request, set_id } = await requireSchedule(tx, ref, { lock: true });
  const last = set_id === null ? undefined : await readProgress(tx, { id: set_id, organizationId });
  if (last !== undefined && isBeingTaken(last.status))
    throw conflict('status', 'is that of a run whose pictures are still being taken: wait until they are finished.');
  const parsed = screenshotRequestParser(context.limits)(JSON.parse(request));
  const set = await acceptScreenshotRequest(tx, { organizationId, parsed, scheduleId, actor }, context);
  const run = { schedule_id: scheduleId, due_at: set.created_at, outcome: 'requested', set_id: set.id } as const;
  await tx.insertInto('schedule_runs').values(run).execute();
  return requireSchedule(tx, ref);
}

const isBeingTaken = (status: SetStatus) => status === 'draft' || status === 'capturing';

function reasonToSkip({ due_at, now, missed, open_run, time_zone }: DueSchedule): string | undefined {
  const lateMinutes = (now.getTime() - due_at.getTime()) / 60_000;
  if (missed === 'skip' && lateMinutes > MISSED_AFTER_MINUTES) return 'The service did not run at this time.';
  if (open_run === null) return undefined;
  return `The pictures of the run of ${formatInstant(open_run, time_zone)} were still being taken.`;
}

/** Stores the run and arms the next one. Those between, which were missed, are not made. */
async function endRun(tx: Queryable, schedule: DueSchedule, run: Run, queue: Enqueuer): Promise<Run> {
  const { id, due_at, now, organization_id: organizationId } = schedule;
  await tx
    .insertInto('schedule_runs')
    .values({ schedule_id: id, due_at, ...run })
    .execute();
  const refused_runs = { requested: 0, skipped: schedule.refused_runs, refused: schedule.refused_runs + 1 }[
    run.outcome
  ];
  if (refused_runs >= REFUSED_RUNS_MAX) {
    const paused_reason = `${refused_runs} runs in a row were refused. The last reason: ${run.reason}`;
    await updateSchedule(tx, id, { due_at: null, refused_runs, paused_at: now, paused_reason });
    const [from, to] = [{ paused: false }, { paused: true, reason: paused_reason }];
    await recordAction(tx, SERVICE, { action: 'schedule.updated', of: { organizationId, id }, from, to });
    const facts = { label: schedule.name, reason: paused_reason };
    await recordNotice(tx, { organizationId, kind: 'schedule_paused', subjectId: id, facts });
    return run;
  }
  const after = new Date(Math.max(due_at.getTime(), now.getTime()));
  const [next = null] = nextRuns(timingOf(schedule), after, 1);
  await updateSchedule(tx, id, { due_at: next, refused_runs });
  await wake(tx, queue, id, next);
  return run;
}

/** Adds an entry for each late run that has none, or whose entry the queue stopped retrying. @returns how many. */
export async function wakeLateSchedules(db: Database, queue: Enqueuer): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const late = await takeLate(tx, LATE_TOGETHER);
    for (const { id, due_at } of late) await wake(tx, queue, id, due_at);
    return late.length;
  });
}
