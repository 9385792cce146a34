/** Queries of the audit: work that waits, jobs by the name of their resource. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

/** Organizations of which sets or ads wait for a job. Reads one of each organization, however many wait behind it. */
export async function organizationsWithBacklog(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select o.id from organizations o cross join lateral (
      select 1 from screenshot_sets
      where organization_id = o.id and status = 'draft' and cancel_requested_at is null
      order by created_at, id limit 1
    ) first_set
    union
    select o.id from organizations o cross join lateral (
      select 1 from ads
      where organization_id = o.id and status = 'pending' and source <> 'screenshot_request' and not exists (
        select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id
        where c.ad_id = ads.id and j.set_id is null)
      order by created_at, id limit 1
    ) first_ad`.execute(db);
  return rows.map(({ id }) => id);
}

export interface KnownJob {
  readonly id: string;
  readonly name: string;
  readonly settled_at: Date | null;
  /** The generation of its current Job. */
  readonly generation: number;
}

/** @returns jobs by name, for those of the given names that exist. */
export async function knownJobs(db: Queryable, names: readonly string[]): Promise<Map<string, KnownJob>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('screenshot_jobs')
    .select(['id', 'name', 'settled_at', 'generation'])
    .where((eb) => eb('name', '=', eb.fn.any(eb.val([...names]))))
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}

interface WaitingCount {
  readonly count: number;
  /** 0 if none waits. */
  readonly oldest_seconds: number;
}

/** Sets and ads that wait for a job. */
export async function countWaiting(db: Queryable): Promise<Record<'sets' | 'ads', WaitingCount>> {
  const seconds = sql`coalesce(extract(epoch from now() - min(created_at)), 0)::float8`;
  const { rows } = await sql<WaitingCount>`
    select count(*)::integer as count, ${seconds} as oldest_seconds from screenshot_sets
    where status = 'draft' and cancel_requested_at is null
    union all
    select count(*)::integer, ${seconds} from ads
    where status = 'pending' and source <> 'screenshot_request' and not exists (
      select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id where c.ad_id = ads.id and j.set_id is null)`.execute(
    db,
  );
  const [sets = NONE_WAITING, ads = NONE_WAITING] = rows;
  return { sets, ads };
}

const NONE_WAITING: WaitingCount = { count: 0, oldest_seconds: 0 };
