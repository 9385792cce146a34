/** The SQL of schedules and their runs. */
import { sql, type Updateable } from 'kysely';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readSearchPage } from '../../db/list.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';

export type RunRow = Omit<Row<'schedule_runs'>, 'schedule_id' | 'ran_at'>;

/** A schedule without its request, which may be large, and with its last run. */
export interface ScheduleRow extends Omit<Row<'schedules'>, 'request'> {
  readonly campaign: string;
  /** Null if there was no run yet. */
  readonly last_due_at: Date | null;
  readonly outcome: RunRow['outcome'];
  readonly set_id: string | null;
  readonly reason: string | null;
}

const COLUMNS = sql`schedules.id, schedules.organization_id, schedules.name, schedules.campaign_id, schedules.rule,
  schedules.time_zone, schedules.starts_at, schedules.ends_at, schedules.missed, schedules.paused_at,
  schedules.paused_reason, schedules.due_at, schedules.woken_at, schedules.refused_runs, schedules.created_at,
  schedules.updated_at, campaigns.name as campaign, run.due_at as last_due_at, run.outcome, run.set_id, run.reason`;
const JOINS = sql`join campaigns on campaigns.id = schedules.campaign_id left join lateral (
  select * from schedule_runs where schedule_id = schedules.id order by due_at desc limit 1) as run on true`;

/** Oldest first. */
export async function listSchedules(
  db: Queryable,
  { organizationId, ...range }: { readonly organizationId: string } & TimeRange,
  page: Page,
): Promise<ListPage<ScheduleRow>> {
  const where = sql`schedules.organization_id = ${organizationId} and ${isInRange(sql`schedules.created_at`, range)}`;
  const order = sql`schedules.created_at, schedules.id`;
  const list = { table: 'schedules', columns: COLUMNS, joins: JOINS, where, order, words: undefined };
  return readSearchPage<ScheduleRow>(db, list, page);
}

/** @param lock keeps its runs from being made before the transaction ends. */
export async function findSchedule(
  db: Queryable,
  { id, organizationId }: ObjectRef,
  { lock = false } = {},
): Promise<(ScheduleRow & Pick<Row<'schedules'>, 'request'>) | undefined> {
  const { rows } = await sql<ScheduleRow & Pick<Row<'schedules'>, 'request'>>`
    select ${COLUMNS}, schedules.request from schedules ${JOINS} where schedules.id = ${id}
      and schedules.organization_id = ${organizationId} ${lock ? sql`for update of schedules` : sql``}`.execute(db);
  return rows[0];
}

export async function updateSchedule(tx: Queryable, id: string, change: Updateable<Schema['schedules']>) {
  await tx.updateTable('schedules').set(change).where('id', '=', id).execute();
}

/** A schedule whose run is due, and all that decides about the run. */
export interface DueSchedule extends Row<'schedules'> {
  readonly due_at: Date;
  readonly is_disabled: boolean;
  /** The clock of the database. */
  readonly now: Date;
  /** When the run was due whose set still waits or is captured; null if there is none. */
  readonly open_run: Date | null;
}

/** Locks the schedule. @returns undefined unless this is its next run: then an earlier entry made it, or the schedule changed. */
export async function lockDue(tx: Queryable, id: string, dueAt: Date): Promise<DueSchedule | undefined> {
  // A removal of the campaign locks it before its schedules, too.
  await sql`select from campaigns where id = (select campaign_id from schedules where id = ${id}) for key share`.execute(
    tx,
  );
  const { rows } = await sql<DueSchedule>`
    select s.*, o.disabled_at is not null as is_disabled, now() as now, (
      select max(r.due_at) from schedule_runs r join screenshot_sets t on t.id = r.set_id
      where r.schedule_id = s.id and t.status in ('draft', 'capturing')) as open_run
    from schedules s join organizations o on o.id = s.organization_id
    where s.id = ${id} and s.due_at = ${dueAt} for update of s`.execute(tx);
  return rows[0];
}

/** Newest first. */
export async function listRuns(db: Queryable, scheduleId: string, most: number): Promise<RunRow[]> {
  const runs = db.selectFrom('schedule_runs').select(['due_at', 'outcome', 'set_id', 'reason']);
  return runs.where('schedule_id', '=', scheduleId).orderBy('due_at', 'desc').limit(most).execute();
}

/** Finds schedules whose run is late, because nothing woke them, each once in ten minutes. */
export async function takeLate(tx: Queryable, most: number): Promise<{ readonly id: string; readonly due_at: Date }[]> {
  const { rows } = await sql<{ id: string; due_at: Date }>`
    update schedules set woken_at = now() where id = any(array(
      select id from schedules where due_at < now() - interval '1 minute'
        and (woken_at is null or woken_at < now() - interval '10 minutes')
      order by due_at limit ${most} for update skip locked))
    returning id, due_at`.execute(tx);
  return rows;
}

/** An ad on a site and a device, at a marker, in the set of one run. */
export interface PlacementPicture
  extends Pick<
    Row<'screenshots'>,
    'id' | 'ad_id' | 'site_url' | 'device' | 'marker_ms' | 'status' | 'decision' | 'image_token'
  > {
  readonly ad: string;
  readonly due_at: Date;
  readonly image_width: number | null;
  readonly image_height: number | null;
}

/** @returns the first placements of the newest set, each with its pictures in the newest runs, newest first. */
export async function readPlacements(
  db: Queryable,
  scheduleId: string,
  most: { readonly runs: number; readonly placements: number },
): Promise<PlacementPicture[][]> {
  const { rows } = await sql<PlacementPicture & { place: number }>`
    with runs as (
      select due_at, set_id from schedule_runs where schedule_id = ${scheduleId} and set_id is not null
      order by due_at desc limit ${most.runs}
    ),
    places as (
      select * from screenshots where set_id = (select set_id from runs order by due_at desc limit 1)
      order by seq limit ${most.placements}
    )
    select p.seq as place, a.name as ad, r.due_at, s.id, s.ad_id, s.site_url, s.device, s.marker_ms, s.status, s.decision,
      s.image_token, i.width as image_width, i.height as image_height
    from places p
    join ads a on a.id = p.ad_id
    cross join runs r
    join screenshots s on s.set_id = r.set_id and (s.ad_id, s.site_key, s.device) = (p.ad_id, p.site_key, p.device)
      and (s.marker_ms, s.options) is not distinct from (p.marker_ms, p.options)
    left join images i on i.token = s.image_token
    order by p.seq, r.due_at desc`.execute(db);
  return [...Map.groupBy(rows, ({ place }) => place).values()];
}
