/** Creates, changes and deletes schedules. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ParsedSchedule, ScheduleChange } from '../../contract/schedules.ts';
import type { Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { Enqueuer } from '../../db/queue.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { type Actor, changesBetween } from '../../domain/auditLog.ts';
import { conflict, invalid, unknownId } from '../../domain/failure.ts';
import { RUN_GAP_MINUTES, SCHEDULE_DAYS_DEFAULT, SCHEDULE_DAYS_MAX, SCHEDULES_MAX } from '../../domain/schedules.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import type { AcceptanceContext } from '../requests/acceptScreenshotRequest.ts';
import { storeRepeatedRequest } from './repeatedRequest.ts';
import { cronFault, nextRuns, type Timing } from './rules.ts';
import { findSchedule, type ScheduleRow, updateSchedule } from './scheduleQueries.ts';

const DAY_MS = 86_400_000;

/** The columns that people choose. */
type Chosen = Pick<
  ScheduleRow,
  'id' | 'rule' | 'time_zone' | 'starts_at' | 'ends_at' | 'name' | 'missed' | 'paused_at'
>;

export const timingOf = ({ id, rule, time_zone, starts_at, ends_at }: Omit<Chosen, 'name' | 'missed' | 'paused_at'>) =>
  ({ id, rule, timeZone: time_zone, from: starts_at, to: ends_at }) satisfies Timing;

/** @throws Failure: 409 if the organization has too many, 422 with the faults of the rule, the times or the request. */
export async function createSchedule(
  tx: Queryable,
  { organizationId, given, source, actor }: ParsedSchedule & { readonly organizationId: string; readonly actor: Actor },
  context: AcceptanceContext,
) {
  const now = new Date();
  const { name, rule, time_zone, from, to, missed, paused } = given;
  const starts_at = from ?? now;
  const chosen: Chosen = {
    ...{ id: randomUUID(), name: name.trim(), rule, time_zone, missed: missed ?? 'skip', starts_at },
    ...{
      ends_at: to ?? new Date(starts_at.getTime() + SCHEDULE_DAYS_DEFAULT * DAY_MS),
      paused_at: paused ? now : null,
    },
  };
  const due_at = firstRun(chosen, now);
  await lockOrganizationById(tx, organizationId);
  const { rows } = await sql`select from schedules where organization_id = ${organizationId}`.execute(tx);
  if (rows.length >= SCHEDULES_MAX)
    throw conflict('name', `would be the name of one more than ${SCHEDULES_MAX} schedules: delete one first.`);
  const { campaignId, json: request } = await storeRepeatedRequest(tx, { organizationId, source }, context);
  const owner = { organization_id: organizationId, campaign_id: campaignId };
  const row = { ...chosen, ...owner, request, due_at, rule: JSON.stringify(rule) };
  await tx.insertInto('schedules').values(row).execute();
  await wake(tx, context.queue, chosen.id, due_at);
  return record(tx, { organizationId, id: chosen.id }, { actor, before: undefined });
}

/** @throws Failure: 404, and 422 with the faults of the rule or the times. */
export async function changeSchedule(
  tx: Queryable,
  ref: ObjectRef,
  { given, actor, queue }: { readonly given: ScheduleChange; readonly actor: Actor; readonly queue: Enqueuer },
) {
  const before = await requireSchedule(tx, ref, { lock: true });
  const now = new Date();
  const { rule, time_zone, from, to } = given;
  const isPaused = given.paused ?? before.paused_at !== null;
  const isResumed = !isPaused && before.paused_at !== null;
  const isMoved = [rule, time_zone, from, to].some((value) => (value ?? null) !== null);
  const chosen: Chosen = {
    ...{ id: ref.id, name: given.name?.trim() ?? before.name, missed: given.missed ?? before.missed },
    ...{ rule: rule ?? before.rule, time_zone: time_zone ?? before.time_zone },
    ...{ starts_at: from ?? before.starts_at, ends_at: to ?? before.ends_at },
    paused_at: isPaused ? (before.paused_at ?? now) : null,
  };
  // A change must not bring two runs closer together than a rule may.
  const last = (before.last_due_at?.getTime() ?? 0) + RUN_GAP_MINUTES * 60_000 - 1;
  const after = new Date(Math.max(now.getTime(), last));
  const due_at = isMoved || isResumed ? firstRun(chosen, after) : isPaused ? null : before.due_at;
  const reset = isPaused ? {} : { paused_reason: null, ...(isResumed && { refused_runs: 0 }) };
  const change = { ...chosen, ...reset, rule: JSON.stringify(chosen.rule), due_at, updated_at: now };
  await updateSchedule(tx, ref.id, change);
  if (due_at?.getTime() !== before.due_at?.getTime()) await wake(tx, queue, ref.id, due_at);
  return record(tx, ref, { actor, before });
}

/** Its sets stay. @throws Failure (404) */
export async function removeSchedule(tx: Queryable, ref: ObjectRef, actor: Actor): Promise<void> {
  const from = audited(await requireSchedule(tx, ref, { lock: true }));
  await tx.deleteFrom('schedules').where('id', '=', ref.id).execute();
  await recordAction(tx, actor, { action: 'schedule.deleted', of: ref, from });
}

/** @throws Failure (404) */
export async function requireSchedule(db: Queryable, ref: ObjectRef, options?: { readonly lock: boolean }) {
  const row = await findSchedule(db, ref, options);
  if (row === undefined) throw unknownId();
  return row;
}

/** Adds the entry that wakes a controller for the run, in the transaction that stores its time. */
export async function wake(tx: Queryable, queue: Enqueuer, id: string, dueAt: Date | null): Promise<void> {
  if (dueAt === null) return;
  const payload = { schedule_id: id, due_at: dueAt.toISOString() };
  await queue.enqueue(tx, 'run_schedule', payload, { startAfter: dueAt });
}

/** @returns null if the schedule is paused. @throws Failure (422) for a rule or times that cannot be. */
function firstRun(chosen: Chosen, after: Date): Date | null {
  const { rule, paused_at, ends_at } = chosen;
  const cron = 'cron' in rule ? cronFault(rule.cron) : undefined;
  const isFar = ends_at.getTime() - Date.now() > SCHEDULE_DAYS_MAX * DAY_MS;
  const to = isFar ? `must be at most ${SCHEDULE_DAYS_MAX} days from now.` : undefined;
  if (cron ?? to) throw invalid({ ...(cron && { 'rule.cron': [cron] }), ...(to && { to: [to] }) });
  const [first] = nextRuns(timingOf(chosen), after, 1);
  if (first === undefined) throw invalid({ rule: ['has no run between "from" and "to" from now on.'] });
  return paused_at === null ? first : null;
}

/** Stores the audit log's entry of a change. @returns the schedule as it is now. */
async function record(
  tx: Queryable,
  ref: ObjectRef,
  { actor, before }: { readonly actor: Actor; readonly before: ScheduleRow | undefined },
) {
  const after = await requireSchedule(tx, ref);
  const changes = changesBetween(before === undefined ? {} : audited(before), audited(after));
  const action = before === undefined ? 'schedule.created' : 'schedule.updated';
  if (changes.length > 0) await recordAction(tx, actor, { action, of: ref, changes });
  return after;
}

function audited({ name, rule, time_zone, starts_at: from, ends_at: to, missed, paused_at }: ScheduleRow) {
  const text = 'cron' in rule ? rule.cron : `${rule.days.join(', ')} ${rule.start}-${rule.end}`;
  return { name, rule: text, time_zone, from, to, missed, paused: paused_at !== null };
}
