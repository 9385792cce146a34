/** Marks sets as removed, and finds the marked ones for the removal job. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';

/** Until then a ScreenshotJob may be in the cluster, and the controller looks for its row. */
const LAST_ROWS_DAYS = 8;
/** A process that takes longer for one step has ended, so another one repeats the step. */
export const STEP_SECONDS = 120;

/** Sets that nothing captures. */
const IS_IDLE = sql`s.status not in ('draft', 'capturing')
  and not exists (select from screenshot_jobs j where j.set_id = s.id and j.settled_at is null)`;

/**
 * Hides the set, its share links and its exports. The removal job removes them later.
 * @returns false if the organization has no such set, or if it is being captured.
 */
export async function markSetRemoved(
  db: Queryable,
  { organizationId, setId }: { readonly organizationId: string; readonly setId: string },
): Promise<boolean> {
  return (await mark(db, sql`s.id = ${setId} and s.organization_id = ${organizationId} and ${IS_IDLE}`)) > 0;
}

/** Hides the oldest sets of one organization that are older than `days`. @returns how many, at most `most`. */
export async function markExpiredSets(
  db: Queryable,
  { organizationId, days, most }: { readonly organizationId: string; readonly days: number; readonly most: number },
): Promise<number> {
  return mark(
    db,
    sql`s.id in (
      select s.id from screenshot_sets s
      where s.organization_id = ${organizationId} and s.removed_at is null
        and s.created_at < now() - make_interval(days => ${days}) and ${IS_IDLE}
      order by s.created_at limit ${most} for no key update skip locked)`,
  );
}

/** Hides finished sets of a campaign. @returns how many, at most `most`. */
export async function markSetsOfCampaign(db: Queryable, campaignId: string, most: number): Promise<number> {
  return mark(
    db,
    sql`s.id = any(array(
      select s.id from screenshot_sets s where s.campaign_id = ${campaignId} and s.removed_at is null and ${IS_IDLE}
      limit ${most} for no key update skip locked))`,
  );
}

async function mark(db: Queryable, isWanted: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with marked as (
      update screenshot_sets s set removed_at = now() where s.removed_at is null and ${isWanted}
      returning s.id, s.organization_id),
    ended as (
      update exports set status = 'expired' where set_id in (select id from marked) and status <> 'failed'),
    buried as (
      insert into tombstones (id, organization_id)
      select id, organization_id from marked
      union all select l.id, l.organization_id from share_links l where l.set_id in (select id from marked)
      on conflict do nothing)
    select count(*)::integer as count from marked`.execute(db);
  return rows[0]?.count ?? 0;
}

/** @param organizationId undefined: of all. */
export const isOf = (organizationId: string | undefined) =>
  organizationId === undefined ? sql`true` : sql`organization_id = ${organizationId}`;

export interface RemovedSet {
  readonly id: string;
  readonly organization_id: string;
  /** Only its row, that of its job and those of its exports are left. */
  readonly emptied: boolean;
}

/** Takes a removed set with something to do for one step, so that no other process does the same. */
export async function claimRemovedSet(db: Queryable, organizationId?: string): Promise<RemovedSet | undefined> {
  const { rows } = await sql<RemovedSet>`
    update screenshot_sets set removing_until = now() + make_interval(secs => ${STEP_SECONDS})
    where id = (
      select id from screenshot_sets
      where removed_at is not null and (removing_until is null or removing_until < now())
        and ${isOf(organizationId)} and (emptied_at is null or emptied_at < now() - make_interval(days => ${LAST_ROWS_DAYS}))
      order by removed_at limit 1 for no key update skip locked)
    returning id, organization_id, emptied_at is not null as emptied`.execute(db);
  return rows[0];
}

export async function releaseRemovedSet(db: Queryable, setId: string): Promise<void> {
  await db.updateTable('screenshot_sets').set({ removing_until: null }).where('id', '=', setId).execute();
}

/** Remembers an object that was deleted with its row. */
export async function noteRemoved(
  tx: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<void> {
  const values = { id, organization_id: organizationId };
  await tx
    .insertInto('tombstones')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** @returns whether the organization had an object with this id that was removed. */
export async function wasRemoved(
  db: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId?: string },
): Promise<boolean> {
  // The screenshots of a removed set have no tombstones until their rows are deleted.
  const { rows } = await sql`
    select 1 from tombstones where id = ${id} and organization_id = coalesce(${organizationId ?? null}::uuid, organization_id)
    union all
    select 1 from screenshots s join screenshot_sets t on t.id = s.set_id
    where s.id = ${id} and t.removed_at is not null
      and t.organization_id = coalesce(${organizationId ?? null}::uuid, t.organization_id)`.execute(db);
  return rows.length > 0;
}
