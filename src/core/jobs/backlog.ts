/** Reads the backlog, counts captures that run, and finds jobs for the audit. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { MAX_CREATIVES, MAX_PICTURES } from '../../domain/batches.ts';
import type { Waiting } from '../../domain/fairness.ts';
import { PRIORITIES, type Priority } from '../../domain/priorities.ts';

export interface KnownJob {
  readonly id: string;
  readonly name: string;
  readonly settled_at: Date | null;
  /** The generation of its current Job. */
  readonly generation: number;
}

interface WaitingCount {
  readonly count: number;
  /** 0 if none waits. */
  readonly oldest_seconds: number;
}

const NONE_WAITING: WaitingCount = { count: 0, oldest_seconds: 0 };

/** A set, a placement, or up to 20 ads of create-ad that arrived together. */
export interface WaitingItem extends Waiting {
  readonly setId?: string;
  readonly placementId?: string;
  readonly adIds?: readonly string[];
  /** Its work takes so little that starting a capture for it would cost most. */
  readonly small: boolean;
}

/** A small set has at most this much work. */
const SMALL_SET = { pages: 4, pictures: 12 };

/** Read at once for each organization. The rest is read at the next admission. */
const HEADS = { sets: 20, placements: 20, ads: 10 * MAX_CREATIVES };

/** Rows that wait for a job, by table. */
const WAITING = {
  sets: sql`screenshot_sets where status = 'draft' and cancel_requested_at is null`,
  placements: sql`placements where status = 'pending' and not exists (
    select from screenshot_jobs j where j.id = placements.id)`,
  ads: sql`ads where status = 'pending' and source <> 'screenshot_request' and not exists (
    select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id where c.ad_id = ads.id and j.set_id is null)`,
} as const;

/** The oldest rows of each organization that wait, as a query; of sets, the oldest of each priority. */
function headsOf(kind: keyof typeof WAITING, most: number) {
  const [priorities, priority, ofPriority] =
    kind === 'sets'
      ? [sql.val([...PRIORITIES]), sql.ref('priority'), sql`and priority = p.priority`]
      : [sql.val(['normal']), sql`p.priority`, sql``];
  return sql<WaitingRow>`
    select head.*, o.running_captures as quota from organizations o
    cross join unnest(${priorities}::text[]) as p(priority) cross join lateral (
      select id, organization_id, created_at, ${priority} as priority from ${WAITING[kind]}
        and organization_id = o.id ${ofPriority}
      order by created_at, id limit ${most}
    ) head order by created_at, id`;
}

/** The oldest sets, placements and ads of each organization that wait without a job. */
export async function readBacklog(db: Queryable, parallelism: number): Promise<WaitingItem[]> {
  return [...(await waitingSets(db, parallelism)), ...(await waitingPlacements(db)), ...(await waitingAds(db))];
}

interface WaitingRow {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: Date;
  readonly priority: Priority;
  /** The running captures that the operator allows to the organization; null: as to all. */
  readonly quota: number | null;
}

const waitingOf = ({ organization_id, created_at, quota }: WaitingRow) => ({
  organizationId: organization_id,
  since: created_at,
  maxPodsOfOrganization: quota,
});

async function waitingSets(db: Queryable, parallelism: number): Promise<WaitingItem[]> {
  const { rows } = await sql<WaitingRow & { batches: number; pictures: number }>`
    with heads as (${headsOf('sets', HEADS.sets)})
    select heads.*, size.*
    from heads cross join lateral (
      select coalesce(sum(ceil(page.pictures / ${MAX_PICTURES}::numeric)), 0)::integer as batches,
        coalesce(sum(page.pictures), 0)::integer as pictures
      from (
        select count(*) as pictures from screenshots where set_id = heads.id
        group by site_key, device, options->>'other_ads', options->>'location', page_access_id, options->>'group',
          page_upload_id
      ) page
    ) size`.execute(db);
  return rows.map((row) => ({
    ...waitingOf(row),
    priority: row.priority,
    pods: Math.max(1, Math.min(parallelism, row.batches)),
    setId: row.id,
    small: row.batches <= SMALL_SET.pages && row.pictures <= SMALL_SET.pictures,
  }));
}

async function waitingPlacements(db: Queryable): Promise<WaitingItem[]> {
  const { rows } = await headsOf('placements', HEADS.placements).execute(db);
  return rows.map((row) => ({ ...waitingOf(row), pods: 1, placementId: row.id, small: true }));
}

async function waitingAds(db: Queryable): Promise<WaitingItem[]> {
  const { rows } = await headsOf('ads', HEADS.ads).execute(db);
  return [...Map.groupBy(rows, ({ organization_id }) => organization_id).values()].flatMap((ads) =>
    ads.flatMap((first, from) => {
      if (from % MAX_CREATIVES > 0) return [];
      const adIds = ads.slice(from, from + MAX_CREATIVES).map(({ id }) => id);
      return [{ ...waitingOf(first), pods: 1, adIds, small: false }];
    }),
  );
}

/** A job that could use more captures than it may run. */
export interface GrowableJob extends Waiting {
  readonly jobId: string;
  /** Name of the ScreenshotJob. */
  readonly name: string;
}

/** A job can use a capture for each index that has not finished. @param parallelism the most captures of one job. */
export async function readGrowable(db: Queryable, parallelism: number): Promise<GrowableJob[]> {
  const { rows } = await sql<GrowableJob>`
    select j.id as "jobId", j.name, j.organization_id as "organizationId", j.admitted_at as since,
      o.running_captures as "maxPodsOfOrganization",
      least(${parallelism}, unfinished.indexes)::integer - j.parallelism as pods
    from screenshot_jobs j join organizations o on o.id = j.organization_id cross join lateral (
      select count(*) as indexes from job_indexes i where i.job_id = j.id and i.finished_at is null
    ) unfinished
    where j.settled_at is null and j.host_job_id is null and j.parallelism < least(${parallelism}, unfinished.indexes)`.execute(
    db,
  );
  return rows;
}

export async function raiseParallelism(db: Queryable, jobId: string, more: number): Promise<void> {
  await sql`update screenshot_jobs set parallelism = parallelism + ${more} where id = ${jobId}`.execute(db);
}

/** Captures of each organization: those of live jobs that have not finished, and those that may take small sets. */
export async function countRunning(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await sql<{ organization_id: string; pods: number }>`
    select organization_id, sum(pods)::integer as pods from (
      select j.organization_id, least(j.parallelism, count(*) filter (where i.finished_at is null)) as pods
      from screenshot_jobs j join job_indexes i on i.job_id = j.id
      where j.settled_at is null and j.host_job_id is null group by j.id
      union all
      select j.organization_id, 1 from job_indexes i join screenshot_jobs j on j.id = i.job_id
      where i.hosting_until > now() and (i.finished_at is not null or j.settled_at is not null)
    ) captures group by organization_id`.execute(db);
  return new Map(rows.map(({ organization_id, pods }) => [organization_id, pods]));
}

/** Whether the first capture of a job should have started by now. It may wait for the place of a capture that takes small sets. */
export async function hasUnstarted(db: Queryable, afterSeconds: number): Promise<boolean> {
  const { rows } = await sql<{ unstarted: boolean }>`
    select exists (
      select from screenshot_jobs j
      where j.settled_at is null and j.host_job_id is null
        and j.launched_at < now() - make_interval(secs => ${afterSeconds})
        and not exists (select from job_indexes i where i.job_id = j.id and i.started_at is not null)
    ) as unstarted`.execute(db);
  return rows[0]?.unstarted ?? true;
}

/** Organizations of which sets, placements or ads wait for a job. Reads one of each organization, however many wait behind it. */
export async function organizationsWithBacklog(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select organization_id as id from (${headsOf('sets', 1)}) first_sets
    union select organization_id from (${headsOf('placements', 1)}) first_placements
    union select organization_id from (${headsOf('ads', 1)}) first_ads`.execute(db);
  return rows.map(({ id }) => id);
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

/** Sets, placements and ads that wait for a job. */
export async function countWaiting(db: Queryable): Promise<Record<'sets' | 'placements' | 'ads', WaitingCount>> {
  const seconds = sql`coalesce(extract(epoch from now() - min(created_at)), 0)::float8`;
  const { rows } = await sql<WaitingCount>`
    select count(*)::integer as count, ${seconds} as oldest_seconds from ${WAITING.sets}
    union all select count(*)::integer, ${seconds} from ${WAITING.placements}
    union all select count(*)::integer, ${seconds} from ${WAITING.ads}`.execute(db);
  const [sets = NONE_WAITING, placements = NONE_WAITING, ads = NONE_WAITING] = rows;
  return { sets, placements, ads };
}
