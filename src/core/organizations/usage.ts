/** The use of an organization by day, and its quotas. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { recordNotice } from '../journal/recordNotice.ts';

export interface WantedPictures {
  readonly organizationId: string;
  readonly pictures: number;
  /** The quota of organizations without an own one; undefined: none. */
  readonly defaultQuota: number | undefined;
}

/**
 * Counts screenshots as requested today. Requests of one organization wait here for each other, so make it the last statement.
 * @returns undefined if they are within the quota; otherwise it counts nothing.
 */
export async function countPictures(
  tx: Queryable,
  { organizationId, pictures, defaultQuota }: WantedPictures,
): Promise<{ used: number; quota: number; now: Date } | undefined> {
  const quota = sql`coalesce(o.pictures_per_day, ${defaultQuota ?? null}::integer)`;
  const today = sql`(now() at time zone 'utc')::date`;
  const { rows: counted } = await sql<{ pictures: number; quota: number | null }>`
    insert into usage_days as used (organization_id, day, pictures)
    select o.id, ${today}, ${pictures}::integer from organizations o
    where o.id = ${organizationId} and (${quota} is null or ${pictures}::integer <= ${quota})
    on conflict (organization_id, day) do update set pictures = used.pictures + excluded.pictures
    where (select ${quota} is null or used.pictures + excluded.pictures <= ${quota} from organizations o
      where o.id = excluded.organization_id)
    returning pictures, (select ${quota} from organizations o where o.id = used.organization_id) as quota`.execute(tx);
  const [now] = counted;
  if (now !== undefined) {
    await noticeQuota(tx, organizationId, { ...now, added: pictures });
    return undefined;
  }
  const { rows } = await sql<{ used: number; quota: number; now: Date }>`
    select coalesce(used.pictures, 0) as used, ${quota} as quota, now() as now from organizations o
    left join usage_days used on used.organization_id = o.id and used.day = ${today}
    where o.id = ${organizationId}`.execute(tx);
  return rows[0];
}

/** The count of a day only grows, so it passes each of these once. */
const NEAR = [0.8, 1];

async function noticeQuota(
  tx: Queryable,
  organizationId: string,
  { pictures: used, quota, added }: { pictures: number; quota: number | null; added: number },
): Promise<void> {
  if (quota === null || !NEAR.some((part) => used - added < part * quota && part * quota <= used)) return;
  await recordNotice(tx, { organizationId, kind: 'quota_near', facts: { used, quota } });
}

export interface UsageOfDay {
  /** `2026-11-21`. */
  readonly day: string;
  /** Screenshots that were requested. */
  readonly pictures: number;
  readonly creatives: number;
  readonly deliveries: number;
}

/** @param from first day, @param to last day, as `2026-11-21`. @returns each day, oldest first. */
export async function readUsageDays(
  db: Queryable,
  { organizationId, from, to }: { organizationId: string; from: string; to: string },
): Promise<UsageOfDay[]> {
  const counted = (table: 'ads' | 'deliveries') => sql`
    select (created_at at time zone 'utc')::date as day, count(*)::integer as count from ${sql.table(table)}
    where organization_id = ${organizationId} and created_at >= ${from}::date::timestamp at time zone 'utc'
      and created_at < (${to}::date + 1)::timestamp at time zone 'utc'
    group by 1`;
  const { rows } = await sql<UsageOfDay>`
    with creatives as (${counted('ads')}), sent as (${counted('deliveries')})
    select to_char(days.day, 'YYYY-MM-DD') as day, coalesce(used.pictures, 0) as pictures,
      coalesce(creatives.count, 0) as creatives, coalesce(sent.count, 0) as deliveries
    from (select generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day')::date as day) days
    left join usage_days used on used.organization_id = ${organizationId} and used.day = days.day
    left join creatives on creatives.day = days.day
    left join sent on sent.day = days.day
    order by days.day`.execute(db);
  return rows;
}

export interface CurrentUsage {
  readonly picturesToday: number;
  readonly runningCaptures: number;
  /** The quotas that the operator chose for this organization. */
  readonly pictures_per_day: number | null;
  readonly running_captures: number | null;
  readonly now: Date;
}

export async function readCurrentUsage(db: Queryable, organizationId: string): Promise<CurrentUsage> {
  const { rows } = await sql<CurrentUsage>`
    select o.pictures_per_day, o.running_captures, now() as now, coalesce((
        select pictures from usage_days where organization_id = o.id and day = (now() at time zone 'utc')::date
      ), 0) as "picturesToday", (
        select coalesce(sum(least(parallelism, indexes)), 0)::integer from screenshot_jobs
        where organization_id = o.id and settled_at is null
      ) as "runningCaptures"
    from organizations o where o.id = ${organizationId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('unreachable: the organization of a valid key exists');
  return row;
}
