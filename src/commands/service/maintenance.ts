import { removeFullBuckets } from '../../api/limits/requestLimits.ts';
import { deleteEntriesOfDeleted, deleteOldEntries } from '../../core/journal/auditLogQueries.ts';
import { OLD_ROWS } from '../../core/removal/oldRows.ts';
import { expireSets } from '../../core/removal/removal.ts';
import { sweepFiles } from '../../core/removal/removedFiles.ts';
import { wakeLateSchedules } from '../../core/schedules/runs.ts';
import { refreshWords } from '../../core/sets/changes.ts';
import type { Enqueuer } from '../../db/queue.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 60_000;
/** A task stops between two statements after this time, and its next run continues. */
const TASK_MS = 5 * 60_000;
/** The longest statement of a task, and some more. */
const GRACE_MS = 60_000;
const ROWS_TOGETHER = 500;
/** The words of a large set take long. */
const SETS_TOGETHER = 20;

type MaintenanceContext = Pick<ServiceContext, 'store' | 'artifacts' | 'metrics'> & {
  readonly queue: Enqueuer;
  readonly log: Log;
};

type Task = readonly [
  name: string,
  everyMinutes: number,
  /** @returns how many objects were removed, by kind. */
  run: (signal: AbortSignal) => Promise<Readonly<Record<string, number>>>,
];

export interface Retention {
  /** For sets of organizations that chose nothing; undefined: they stay. */
  readonly defaultSetDays: number | undefined;
  readonly auditLogDays: number;
}

/** Runs all tasks that are due, now and every minute. Each process of the API does so, with other rows. A task that fails does not stop the others. */
export function startMaintenance(context: MaintenanceContext, retention: Retention): Repetition {
  const tasks = maintenanceTasks(context, retention);
  for (const [name] of tasks) context.metrics.maintained(name);
  const stop = new AbortController();
  let minute = 0;
  const repetition = repeat(async () => {
    for (const task of tasks) if (minute % task[1] === 0) await runTask(context, task, stop.signal);
    minute += 1;
  }, EVERY_MS);
  return {
    stop: () => {
      stop.abort();
      return repetition.stop();
    },
  };
}

function maintenanceTasks(
  { store: { db }, artifacts, queue, log }: MaintenanceContext,
  { defaultSetDays, auditLogDays }: Retention,
): Task[] {
  const deletions = Object.entries(OLD_ROWS).map(
    ([kind, deleteOld]): Task => [
      `old rows: ${kind}`,
      10,
      async (signal) => ({ [kind]: await untilNone((most) => deleteOld(db, most), ROWS_TOGETHER, signal) }),
    ],
  );
  const writeWords = (signal: AbortSignal) => untilNone((most) => refreshWords(db, most), SETS_TOGETHER, signal);
  const wakeSchedules = async () => {
    const late = await wakeLateSchedules(db, queue);
    if (late > 0) log.warn({ late }, 'late schedules were added to the queue again');
  };
  const deleteEntries = async (signal: AbortSignal) => {
    const deleteOld = (most: number) => deleteOldEntries(db, { days: auditLogDays, most });
    const old = await untilNone(deleteOld, ROWS_TOGETHER, signal);
    return old + (await untilNone((most) => deleteEntriesOfDeleted(db, most), ROWS_TOGETHER, signal));
  };
  return [
    ['expired sets', 1, async (signal) => ({ set: await expireSets(db, defaultSetDays, signal) })],
    ...deletions,
    ['removed files', 1, async (signal) => ({ file: await sweepFiles({ db, artifacts }, signal) })],
    ['search words', 1, (signal) => writeWords(signal).then(() => ({}))],
    ['late schedules', 1, () => wakeSchedules().then(() => ({}))],
    ['audit log', 60, async (signal) => ({ audit_log_entry: await deleteEntries(signal) })],
    ['rate buckets', 60, () => removeFullBuckets(db).then(() => ({}))],
  ];
}

/** Repeats the work until it finds less than it may take. @returns how many it found in all. */
async function untilNone(work: (most: number) => Promise<number>, most: number, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (let found = most; found === most && !signal.aborted; total += found) found = await work(most);
  return total;
}

async function runTask(
  { log, metrics }: MaintenanceContext,
  [task, everyMinutes, run]: Task,
  stopped: AbortSignal,
): Promise<void> {
  if (stopped.aborted) return;
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(TASK_MS)]);
    const removed = await withDeadline(TASK_MS + GRACE_MS, run(signal));
    metrics.maintained(task);
    metrics.countRemoved(removed);
    if (Object.values(removed).some((count) => count > 0))
      log.info({ task, ...removed }, 'a maintenance task removed objects');
  } catch (error) {
    log.error({ task, err: error }, `a maintenance task failed; retrying in ${everyMinutes} minutes`);
  }
}
