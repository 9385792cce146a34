import { sql } from 'kysely';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import { resolveAd } from './creativeResults.ts';
import type { EventContext } from './eventContext.ts';
import { recordAdEvent } from './events.ts';

/** Ads that one look at the pending ones reads. */
const PAGE = 5_000;

/**
 * Fails those of these ads that are pending and that nothing will capture any more: no live job holds them, no set that waits
 * shows them, and they are not ads of create-ad that wait for a job of their own.
 * @returns how many failed.
 */
export async function failOrphanedAds(
  transaction: Queryable,
  { adIds, reason }: { readonly adIds: readonly string[]; readonly reason: string },
  context: EventContext,
): Promise<number> {
  if (adIds.length === 0) return 0;
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
  for (const { id, organization_id } of rows) {
    if (!(await resolveAd(transaction, id, { status: 'generic_error', reason }))) continue;
    await recordAdEvent(transaction, { adId: id, organizationId: organization_id, topic: 'ad.failed' }, context);
    await notify(transaction, { ad: id });
  }
  return rows.length;
}

export interface PendingPage {
  /** The last ad of the page before; undefined: from the first one on. */
  readonly after: string | undefined;
  readonly reason: string;
  readonly size?: number;
}

/**
 * {@link failOrphanedAds} for one page of all pending ads, so that a backlog makes no call longer.
 * @returns also the last ad of the page; undefined where no page follows.
 */
export async function failOrphanedAdsPage(
  transaction: Queryable,
  { after, reason, size = PAGE }: PendingPage,
  context: EventContext,
): Promise<{ failed: number; last: string | undefined }> {
  let pending = transaction.selectFrom('ads').select('id').where('status', '=', 'pending').orderBy('id').limit(size);
  if (after !== undefined) pending = pending.where('id', '>', after);
  const adIds = (await pending.execute()).map(({ id }) => id);
  const failed = await failOrphanedAds(transaction, { adIds, reason }, context);
  return { failed, last: adIds.length < size ? undefined : adIds.at(-1) };
}
