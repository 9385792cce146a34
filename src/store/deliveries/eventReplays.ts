/** Replays of all events of a period: what they ask for, and how far they came. */
import { type Selectable, sql } from 'kysely';
import { TEST_TOPIC } from '../../domain/topics.ts';
import type { Queryable } from '../database/database.ts';
import type { Place } from '../database/keyset.ts';
import { isAfter, type ListPage, type Page, readListPage } from '../database/listPage.ts';
import type { EventReplayTable } from '../database/schema.ts';
import { isInRange, type TimeRange } from '../database/search.ts';

export type EventReplayRow = Selectable<EventReplayTable>;

export interface ReplayedPeriod {
  readonly organizationId: string;
  readonly from: Date;
  readonly to: Date;
  /** Empty: all topics. */
  readonly topics: readonly string[];
}

const eventsOf = (db: Queryable, { organizationId, from, to, topics }: ReplayedPeriod) =>
  db
    .selectFrom('events')
    .where('organization_id', '=', organizationId)
    .where('topic', '!=', TEST_TOPIC)
    .$if(topics.length > 0, (q) => q.where(sql<boolean>`topic = any(${topics}::text[])`))
    .where(isInRange(sql`created_at`, { from, to }));

/** @returns the number of events, or `most` + 1 if there are more than `most`. */
export async function countEventsOf(db: Queryable, period: ReplayedPeriod, most: number): Promise<number> {
  const some = eventsOf(db, period)
    .select('id')
    .limit(most + 1);
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The next events behind the last step, oldest first. */
export async function nextEventsOf(
  db: Queryable,
  period: ReplayedPeriod,
  { after, most }: { after: { readonly at: Date; readonly id: string } | undefined; most: number },
): Promise<{ id: string; created_at: Date }[]> {
  return (
    eventsOf(db, period)
      .select(['id', 'created_at'])
      .$if(after !== undefined, (q) =>
        // Times of PostgreSQL have microseconds, and `at` has milliseconds, so the row itself gives the place. If it was removed,
        // events of the same millisecond are sent once more rather than left out.
        q.where(
          sql<boolean>`(created_at, id) > (coalesce((select created_at from events where id = ${after?.id}), ${after?.at}), ${after?.id})`,
        ),
      )
      .$if(after !== undefined, (q) => q.where('created_at', '>=', after?.at ?? period.from))
      .orderBy('created_at')
      .orderBy('id')
      .limit(most)
      // No event of the step is removed before the step ends.
      .forKeyShare()
      .execute()
  );
}

export async function insertEventReplay(
  tx: Queryable,
  values: Pick<
    EventReplayRow,
    'id' | 'organization_id' | 'range_from' | 'range_to' | 'topic' | 'endpoint_id' | 'only_failed' | 'events'
  >,
): Promise<void> {
  const ended = values.events === 0 ? { status: 'finished' as const, finished_at: sql<Date>`now()` } : {};
  await tx
    .insertInto('event_replays')
    .values({ ...values, ...ended })
    .execute();
}

export async function countRunningReplays(db: Queryable, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('event_replays')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** @returns undefined if the organization has no such replay. */
export async function findEventReplay(
  db: Queryable,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<EventReplayRow | undefined> {
  return db
    .selectFrom('event_replays')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Locks a replay that runs, so that two workers never make the same step. @returns undefined if it has ended. */
export async function lockRunningReplay(tx: Queryable, id: string): Promise<EventReplayRow | undefined> {
  return tx
    .selectFrom('event_replays')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'running')
    .forUpdate()
    .executeTakeFirst();
}

export async function saveReplayStep(
  tx: Queryable,
  id: string,
  step: { readonly events: readonly { id: string; created_at: Date }[]; readonly deliveries: number },
): Promise<void> {
  const last = step.events.at(-1);
  await tx
    .updateTable('event_replays')
    .set((eb) => ({
      events_done: eb('events_done', '+', step.events.length),
      deliveries: eb('deliveries', '+', step.deliveries),
      stepped_at: sql<Date>`now()`,
      ...(last !== undefined && { last_event_at: last.created_at, last_event_id: last.id }),
    }))
    .where('id', '=', id)
    .execute();
}

export async function endReplay(
  db: Queryable,
  id: string,
  { status, reason }: { status: 'finished' | 'failed'; reason: string | null },
): Promise<void> {
  await db
    .updateTable('event_replays')
    .set({ status, reason, finished_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
}

/** Replays that run and made no step for so long. */
export async function findStalledReplays(
  db: Queryable,
  { minutes, most }: { readonly minutes: number; readonly most: number },
): Promise<{ id: string; hours: number }[]> {
  return db
    .selectFrom('event_replays')
    .select(['id', sql<number>`extract(epoch from now() - created_at)::float8 / 3600`.as('hours')])
    .where('status', '=', 'running')
    .where(sql<boolean>`stepped_at < now() - make_interval(mins => ${minutes})`)
    .orderBy('stepped_at')
    .limit(most)
    .execute();
}

/** The replay counts as stalled only after a further wait. */
export async function touchReplay(db: Queryable, id: string): Promise<void> {
  await db.updateTable('event_replays').set({ stepped_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

/** Newest first. */
export async function listEventReplays(
  db: Queryable,
  { organizationId, status, after, ...range }: EventReplayFilter,
  page: Page,
): Promise<ListPage<EventReplayRow>> {
  const rows = db
    .selectFrom('event_replays')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(status !== undefined, (q) => q.where('status', '=', status ?? 'running'))
    .where(isInRange(sql`created_at`, range))
    .where(isAfter('event_replays', after))
    .orderBy('created_at', 'desc')
    .orderBy('id');
  return readListPage(db, rows, page);
}

export interface EventReplayFilter extends TimeRange {
  readonly organizationId: string;
  readonly status?: EventReplayRow['status'] | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}
