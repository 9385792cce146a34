/** Queries that resolve ads, or find ads that nothing will resolve. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { AdFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';

export interface AdResolution {
  readonly status: 'uploaded' | AdFailure;
  readonly reason: string | null;
  readonly category?: 'display' | 'video';
  readonly width?: number;
  readonly height?: number;
  readonly preview_token?: string | null;
  readonly warnings?: readonly Warning[];
}

/** Resolves a pending ad. A resolved ad never changes. @returns whether the ad was pending. */
export async function resolveAd(
  transaction: Queryable,
  adId: string,
  { warnings, ...resolution }: AdResolution,
): Promise<boolean> {
  const result = await transaction
    .updateTable('ads')
    .set({
      ...resolution,
      ...(warnings === undefined ? {} : { warnings: JSON.stringify(warnings) }),
      captured_at: sql<Date>`now()`,
    })
    .where('id', '=', adId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Locks the orphaned ones among these ads: pending ads that no unsettled job and no waiting set will capture. An ad of
 * create-ad that waits for its first job is not orphaned.
 */
export async function lockOrphanedAds(
  transaction: Queryable,
  adIds: readonly string[],
): Promise<{ id: string; organization_id: string }[]> {
  const { rows } = await sql<{ id: string; organization_id: string }>`
    select a.id, a.organization_id from ads a
    where a.id = any(${adIds}::uuid[]) and a.status = 'pending'
      and (a.source = 'screenshot_request' or exists (
        select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id where c.ad_id = a.id and j.set_id is null))
      and not exists (
        select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id
        where c.ad_id = a.id and j.settled_at is null)
      and not exists (
        select 1 from screenshots s join screenshot_sets t on t.id = s.set_id where s.ad_id = a.id and t.status = 'draft')
    order by a.id for update of a`.execute(transaction);
  return rows;
}

/** @param after the last id of the previous list page; undefined for the first list page. @returns ids in order. */
export async function listPendingAdIds(
  db: Queryable,
  { after, size }: { after: string | undefined; size: number },
): Promise<string[]> {
  let pending = db.selectFrom('ads').select('id').where('status', '=', 'pending').orderBy('id').limit(size);
  if (after !== undefined) pending = pending.where('id', '>', after);
  return (await pending.execute()).map(({ id }) => id);
}
