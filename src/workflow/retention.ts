/**
 * Removes what organizations no longer keep: deliveries, events, answers to requests, and creatives of
 * the page of a new request that no request used. Sets have steps of their own, see `removal.ts`.
 *
 * Each round makes one step for each organization and kind with something to remove. So an organization with a million old
 * events delays the others by one step only. A step is one transaction, so a process that is killed leaves nothing half done.
 */
import { type RetentionPolicy, retentionPeriods } from '../domain/retention.ts';
import type { Database } from '../store/database/database.ts';
import { listOrganizations } from '../store/organizations/organizations.ts';
import {
  deleteOldAnswers,
  deleteOldDeliveries,
  deleteOldEvents,
  type EventPlace,
  havingOld,
  markOldDrafts,
  type OldKind,
  type OldRowStep,
} from '../store/removal/oldRows.ts';

/** In this order, because an event is deleted after its deliveries. */
export const OLD_KINDS = ['delivery', 'event', 'stored_answer', 'draft'] as const satisfies OldKind[];
export type OldCounts = Readonly<Record<OldKind, number>>;

/** Rows of one step, so that no transaction takes long or holds many locks. */
const ROWS_TOGETHER = 500;

export interface RetentionRun {
  readonly policy: RetentionPolicy;
  /** Days after which a draft is removed. */
  readonly draftDays: number;
  /** Begins no further round after this time of `performance.now()`. */
  readonly until: number;
  readonly isStopped?: () => boolean;
  readonly together?: number;
  /** Called after each step that removed something. */
  readonly removed?: (step: { kind: OldKind; organizationId: string; count: number }) => void;
}

/** The steps for one organization and kind. */
interface Task {
  readonly kind: OldKind;
  readonly organizationId: string;
  step(): Promise<{ count: number; hasMore: boolean }>;
}

/** @returns how much was removed. The next run removes the rest. */
export async function removeOld(db: Database, run: RetentionRun): Promise<OldCounts> {
  const { isStopped = () => false, until } = run;
  const counts: Record<OldKind, number> = { delivery: 0, event: 0, stored_answer: 0, draft: 0 };
  for (let tasks = await findTasks(db, run); tasks.length > 0 && performance.now() < until; ) {
    const unfinished: Task[] = [];
    for (const task of tasks) {
      if (isStopped()) return counts;
      const { count, hasMore } = await task.step();
      counts[task.kind] += count;
      if (count > 0) run.removed?.({ kind: task.kind, organizationId: task.organizationId, count });
      if (hasMore) unfinished.push(task);
    }
    tasks = unfinished;
  }
  return counts;
}

async function findTasks(db: Database, run: RetentionRun): Promise<Task[]> {
  const { policy, draftDays } = run;
  const organizations = (await listOrganizations(db)).map((row) => {
    const periods = retentionPeriods(row, policy);
    const { event_retention_days: event, delivery_retention_days: delivery } = periods;
    const stored_answer = periods.request_retention_days;
    return { id: row.id, days: { event, delivery, stored_answer, draft: draftDays } };
  });
  const tasks: Task[] = [];
  for (const kind of OLD_KINDS) {
    const kept = organizations.map(({ id, days }) => ({ organizationId: id, days: days[kind], eventDays: days.event }));
    for (const one of await havingOld(db, kind, kept))
      tasks.push(taskOf(db, kind, { ...one, most: run.together ?? ROWS_TOGETHER }));
  }
  return tasks;
}

const SIMPLE = { stored_answer: deleteOldAnswers, draft: markOldDrafts };

function taskOf(db: Database, kind: OldKind, given: OldRowStep & { readonly eventDays: number }): Task {
  const { organizationId, most } = given;
  if (kind === 'event') return { kind, organizationId, step: eventSteps(db, given) };
  const work = kind === 'delivery' ? deleteOldDeliveries : SIMPLE[kind];
  const step = async () => {
    const count = await db.transaction().execute((tx) => work(tx, given));
    return { count, hasMore: count === most };
  };
  return { kind, organizationId, step };
}

/** Each step reads on behind the one before it, because events with deliveries stay. */
function eventSteps(db: Database, given: OldRowStep): Task['step'] {
  let after: EventPlace | undefined;
  return async () => {
    const { deleted, next } = await db.transaction().execute((tx) => deleteOldEvents(tx, { ...given, after }));
    after = next;
    return { count: deleted, hasMore: next !== undefined };
  };
}
