import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { EventContext } from '../webhooks/eventContext.ts';
import { recordAdEvent } from '../webhooks/events.ts';
import { listPendingAdIds, lockOrphanedAds, resolveAd } from './adStatus.ts';

/** Ads that one look at the pending ones reads. */
const PAGE = 5_000;

/**
 * Fails the orphaned ones among these ads. An ad is orphaned if it is pending and neither an unsettled job nor a waiting
 * set will capture it.
 * @returns how many failed.
 */
export async function failOrphanedAds(
  transaction: Queryable,
  { adIds, reason }: { readonly adIds: readonly string[]; readonly reason: string },
  context: EventContext,
): Promise<number> {
  if (adIds.length === 0) return 0;
  const orphaned = await lockOrphanedAds(transaction, adIds);
  for (const { id, organization_id } of orphaned) {
    if (!(await resolveAd(transaction, id, { status: 'generic_error', reason }))) continue;
    await recordAdEvent(transaction, { adId: id, organizationId: organization_id, topic: 'ad.failed' }, context);
    await notify(transaction, { ad: id });
  }
  return orphaned.length;
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
  const adIds = await listPendingAdIds(transaction, { after, size });
  const failed = await failOrphanedAds(transaction, { adIds, reason }, context);
  return { failed, last: adIds.length < size ? undefined : adIds.at(-1) };
}
