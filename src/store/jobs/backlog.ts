/** Reads the backlog, and counts captures that run. */
import { sql } from 'kysely';
import { MAX_CREATIVES, MAX_PICTURES } from '../../domain/batches.ts';
import type { Waiting } from '../../domain/fairness.ts';
import type { Queryable } from '../database/database.ts';
import { readCaptureQuotas } from '../usage/usage.ts';

/** A set, or up to 20 ads of create-ad that arrived together. */
export interface WaitingItem extends Waiting {
  readonly setId?: string;
  readonly adIds?: readonly string[];
}

/** Read at once for each organization. The rest is read at the next admission. */
const HEADS = { sets: 20, ads: 10 * MAX_CREATIVES };

/** The oldest sets and ads of each organization that wait without a job. */
export async function readBacklog(db: Queryable, parallelism: number): Promise<WaitingItem[]> {
  const items = [...(await waitingSets(db, parallelism)), ...(await waitingAds(db))];
  const quotas = await readCaptureQuotas(db);
  return items.map((item) => ({ ...item, maxPodsOfOrganization: quotas.get(item.organizationId) }));
}

async function waitingSets(db: Queryable, parallelism: number): Promise<WaitingItem[]> {
  const { rows } = await sql<{ id: string; organization_id: string; created_at: Date; batches: number }>`
    with heads as (
      select head.* from organizations o cross join lateral (
        select id, organization_id, created_at from screenshot_sets
        where organization_id = o.id and status = 'draft' and cancel_requested_at is null
        order by created_at, id limit ${HEADS.sets}
      ) head
    )
    select heads.*, (
      select coalesce(sum(ceil(page.pictures / ${MAX_PICTURES}::numeric)), 0)::integer from (
        select count(*) as pictures from screenshots where set_id = heads.id group by site_key, device, options->>'other_ads'
      ) page
    ) as batches
    from heads`.execute(db);
  return rows.map((row) => ({
    organizationId: row.organization_id,
    since: row.created_at,
    pods: Math.max(1, Math.min(parallelism, row.batches)),
    setId: row.id,
  }));
}

async function waitingAds(db: Queryable): Promise<WaitingItem[]> {
  const { rows } = await sql<{ id: string; organization_id: string; created_at: Date }>`
    select head.* from organizations o cross join lateral (
      select id, organization_id, created_at from ads
      where organization_id = o.id and status = 'pending' and source = 'create_ad' and not exists (
        select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id
        where c.ad_id = ads.id and j.set_id is null)
      order by created_at, id limit ${HEADS.ads}
    ) head order by created_at, id`.execute(db);
  return [...Map.groupBy(rows, ({ organization_id }) => organization_id)].flatMap(([organizationId, ads]) => {
    const groups: WaitingItem[] = [];
    for (let from = 0; from < ads.length; from += MAX_CREATIVES) {
      const members = ads.slice(from, from + MAX_CREATIVES);
      const since = members[0]?.created_at ?? new Date(0);
      groups.push({ organizationId, since, pods: 1, adIds: members.map(({ id }) => id) });
    }
    return groups;
  });
}

/** Captures of each organization's live jobs. */
export async function countRunning(db: Queryable): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('screenshot_jobs')
    .select(['organization_id', sql<number>`sum(least(parallelism, indexes))::integer`.as('pods')])
    .where('settled_at', 'is', null)
    .groupBy('organization_id')
    .execute();
  return new Map(rows.map(({ organization_id, pods }) => [organization_id, pods]));
}
