/**
 * Finds and deletes what organizations no longer keep: deliveries, events, answers to requests, and drafts.
 * Each function is one short step. Rows that another process has locked are left out, so several processes can make steps.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { markAds } from './removedAds.ts';

export type OldKind = 'delivery' | 'event' | 'stored_answer' | 'draft';

/** How many days an organization keeps one kind of object. */
export interface KeptDays {
  readonly organizationId: string;
  readonly days: number;
}

export interface OldRowStep extends KeptDays {
  /** Rows that the step reads. */
  readonly most: number;
}

const olderThan = (days: RawBuilder<unknown>) => sql`now() - make_interval(days => ${days})`;

/** The time of the oldest object of organization `w.id`. Each reads one entry of an index. */
const OLDEST: Readonly<Record<OldKind, RawBuilder<unknown>>> = {
  delivery: sql`select finished_at as at from deliveries
    where organization_id = w.id and finished_at is not null order by finished_at limit 1`,
  event: sql`select created_at as at from events where organization_id = w.id order by created_at limit 1`,
  stored_answer: sql`select created_at as at from idempotency_keys where organization_id = w.id order by created_at limit 1`,
  draft: sql`select created_at as at from ads
    where organization_id = w.id and source = 'draft' and removed_at is null order by created_at limit 1`,
};

/** @returns those of the organizations that may have something to remove, in the same order. */
export async function havingOld<K extends KeptDays>(db: Queryable, kind: OldKind, kept: readonly K[]): Promise<K[]> {
  if (kept.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select w.id from unnest(${kept.map(({ organizationId }) => organizationId)}::uuid[],
        ${kept.map(({ days }) => days)}::integer[]) as w(id, days)
      cross join lateral (${OLDEST[kind]}) oldest
    where oldest.at < ${olderThan(sql`w.days`)}`.execute(db);
  const found = new Set(rows.map(({ id }) => id));
  return kept.filter(({ organizationId }) => found.has(organizationId));
}

interface EndedDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly subscriber_id: string;
}

/**
 * Deletes the deliveries that ended first, with their attempts. Pending ones have no end.
 * @param eventDays younger events stay, and learn what their deliveries said: the ad or set.
 * @returns how many.
 */
export async function deleteOldDeliveries(
  tx: Queryable,
  { organizationId, days, most, eventDays }: OldRowStep & { readonly eventDays: number },
): Promise<number> {
  const { rows } = await sql<EndedDelivery>`
    select id, event_id, subscriber_id from deliveries
    where organization_id = ${organizationId} and finished_at < ${olderThan(sql`${days}::integer`)} and status <> 'pending'
    order by finished_at limit ${most} for update skip locked`.execute(tx);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await keepSubjects(tx, rows, eventDays);
  await sql`delete from delivery_attempts where delivery_id = any(${ids}::uuid[])`.execute(tx);
  await sql`delete from deliveries where id = any(${ids}::uuid[])`.execute(tx);
  await deleteTestSubscribers(tx, rows);
  return rows.length;
}

/** Locks the events in the order of their ids, so that two processes never wait for each other. */
async function keepSubjects(tx: Queryable, rows: readonly EndedDelivery[], eventDays: number): Promise<void> {
  const events = [...new Set(rows.map(({ event_id }) => event_id))];
  const young = sql`id = any(${events}::uuid[]) and ad_id is null and set_id is null
    and created_at >= ${olderThan(sql`${eventDays}::integer`)}`;
  await sql`select from events where ${young} order by id for no key update`.execute(tx);
  await sql`
    update events e set ad_id = d.ad_id, set_id = d.set_id from deliveries d
    where d.id = any(${rows.map(({ id }) => id)}::uuid[]) and d.event_id = e.id and coalesce(d.ad_id, d.set_id) is not null
      and e.id in (select id from events where ${young})`.execute(tx);
}

/** The receiver of a test event has one delivery. */
async function deleteTestSubscribers(tx: Queryable, rows: readonly EndedDelivery[]): Promise<void> {
  await sql`
    delete from subscribers s
    where s.id = any(${rows.map(({ subscriber_id }) => subscriber_id)}::uuid[]) and s.ad_id is null and s.set_id is null
      and not exists (select from webhook_endpoints w where w.id = s.id)
      and not exists (select from deliveries d where d.subscriber_id = s.id)`.execute(tx);
}

/** The event that a step read last. */
export interface EventPlace {
  /** As PostgreSQL writes it, with microseconds. */
  readonly at: string;
  readonly id: string;
}

/**
 * Reads the next old events, and deletes those without deliveries.
 * @returns how many were deleted, and the place from which the next step reads on, if there may be one.
 */
export async function deleteOldEvents(
  tx: Queryable,
  { organizationId, days, most, after }: OldRowStep & { readonly after: EventPlace | undefined },
): Promise<{ deleted: number; next: EventPlace | undefined }> {
  const behind =
    after === undefined
      ? sql`true`
      : sql`created_at >= ${after.at}::timestamptz and (created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<EventPlace>`
    select id, created_at::text as at from events
    where organization_id = ${organizationId} and created_at < ${olderThan(sql`${days}::integer`)} and ${behind}
    order by created_at, id limit ${most}`.execute(tx);
  const ids = rows.map(({ id }) => id);
  // A replay that adds a delivery locks its event first. So the second statement sees the delivery, or the replay no event.
  const isUnused = sql`e.id = any(${ids}::uuid[]) and not exists (select from deliveries d where d.event_id = e.id)`;
  const locked = await sql<{
    id: string;
  }>`select e.id from events e where ${isUnused} for update skip locked`.execute(tx);
  const unused = locked.rows.map(({ id }) => id);
  const { numAffectedRows } = await sql`
    delete from events e where e.id = any(${unused}::uuid[]) and ${isUnused}`.execute(tx);
  return { deleted: Number(numAffectedRows), next: rows.length < most ? undefined : rows.at(-1) };
}

/** Deletes answers that the API no longer repeats. @returns how many. */
export async function deleteOldAnswers(tx: Queryable, { organizationId, days, most }: OldRowStep): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys
      where organization_id = ${organizationId} and created_at <= ${olderThan(sql`${days}::integer`)}
      order by created_at limit ${most} for update skip locked))`.execute(tx);
  return Number(numAffectedRows);
}

/**
 * Marks ads of the page of a new request that no set ever showed, so that the steps of the removal delete them with their
 * files. @returns how many.
 */
export async function markOldDrafts(tx: Queryable, { organizationId, days, most }: OldRowStep): Promise<number> {
  const isNotShown = sql`not exists (select from screenshots s where s.ad_id = a.id)`;
  const { rows } = await sql<{ id: string }>`
    select a.id from ads a
    where a.organization_id = ${organizationId} and a.source = 'draft' and a.removed_at is null
      and a.created_at < ${olderThan(sql`${days}::integer`)} and a.status <> 'pending' and ${isNotShown}
    order by a.created_at limit ${most} for update of a skip locked`.execute(tx);
  if (rows.length === 0) return 0;
  // A request may have used one of them before it was locked.
  return markAds(tx, sql`a.id = any(${rows.map(({ id }) => id)}::uuid[]) and ${isNotShown}`);
}
