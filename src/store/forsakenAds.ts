import { sql } from 'kysely';
import { resolveAd } from './creativeResults.ts';
import type { Queryable } from './database.ts';
import { adEvent } from './events.ts';
import type { Aftermath } from './followUp.ts';
import { notify } from './notifications.ts';

/**
 * Fails the pending ads that nothing will capture any more: no live job holds them, no set that waits shows them, and they
 * are not ads of create-ad that wait for a job of their own.
 * @param only `adIds`: of these; all there are where it is not given, at most 1,000 in one call.
 * @returns how many failed.
 */
export async function failForsakenAds(
  transaction: Queryable,
  only: { readonly adIds?: readonly string[]; readonly reason: string },
  aftermath: Aftermath,
): Promise<number> {
  if (only.adIds?.length === 0) return 0;
  const among = only.adIds === undefined ? sql`true` : sql`a.id = any(${only.adIds}::uuid[])`;
  const { rows } = await sql<{ id: string; organization_id: string }>`
    select a.id, a.organization_id from ads a
    where ${among} and a.status = 'pending'
      and (a.source = 'screenshot_request' or exists (
        select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id where c.ad_id = a.id and j.set_id is null))
      and not exists (
        select 1 from job_creatives c join screenshot_jobs j on j.id = c.job_id
        where c.ad_id = a.id and j.settled_at is null)
      and not exists (
        select 1 from screenshots s join screenshot_sets t on t.id = s.set_id where s.ad_id = a.id and t.status = 'draft')
    order by a.id limit 1000 for update of a`.execute(transaction);
  for (const { id, organization_id } of rows) {
    if (!(await resolveAd(transaction, id, { status: 'generic_error', reason: only.reason }))) continue;
    await adEvent(transaction, { adId: id, organizationId: organization_id, topic: 'ad.failed' }, aftermath);
    await notify(transaction, { ad: id });
  }
  return rows.length;
}
