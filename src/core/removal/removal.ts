/**
 * Removes sets, ads and campaigns. Their rows are deleted in one transaction, with all that belongs to them. Foreign keys
 * and triggers of the schema do so, and note the files for the sweeper and the ids that answer 410.
 */
import type { Database, Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { conflict, removedObject, unknownId } from '../../domain/failure.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { wasRemoved } from '../journal/tombstones.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import { lockCampaign } from '../sets/campaigns.ts';
import { readObjectNames } from '../sets/objectNames.ts';
import { lockSet } from '../sets/setStatus.ts';
import { deleteAd, deleteCampaign, deleteExpiredSet, deleteSet, lockAd, readCampaignUse } from './deletions.ts';

/** One transaction deletes a campaign, so it must not take too long. */
export const MAX_SCREENSHOTS_OF_CAMPAIGN = 50_000;

/** Does nothing if the set was removed before. @throws Failure: 404, and 409 while the set is captured. */
export async function removeSet(tx: Queryable, ref: ObjectRef, actor: Actor): Promise<void> {
  const { id, organizationId } = ref;
  if ((await lockSet(tx, { organizationId, setId: id })) === undefined) return rejectUnknown(tx, ref);
  const from = await nameOfRemoved(tx, ref);
  if (!(await deleteSet(tx, id)))
    throw conflict(
      'status',
      'does not allow this yet: cancel the set, or wait until it has ended, and delete it then.',
    );
  await recordAction(tx, actor, { action: 'screenshot_set.deleted', of: ref, from });
}

/** The entry of a deletion names the object, because its row is gone. */
async function nameOfRemoved(tx: Queryable, { id, organizationId }: ObjectRef) {
  return { name: (await readObjectNames(tx, { organizationId, ids: [id] })).get(id)?.name };
}

/** Does nothing if the ad was removed before. @throws Failure: 404, and 409 while it is captured or a set shows it. */
export async function removeAd(tx: Queryable, ref: ObjectRef, actor: Actor): Promise<void> {
  const ad = await lockAd(tx, ref);
  if (ad === undefined) return rejectUnknown(tx, ref);
  if (ad.isPending)
    throw conflict('status', 'is pending: wait until the preview of the ad is captured, and delete it then.');
  if (ad.isShown) throw conflict('id', 'is the id of an ad that sets show: delete these sets first.');
  const from = await nameOfRemoved(tx, ref);
  await deleteAd(tx, ref.id);
  await recordAction(tx, actor, { action: 'ad.deleted', of: ref, from });
}

/**
 * Does nothing if the campaign was removed before.
 * @throws Failure: 404, and 409 while a set or an ad of it is captured, or if it is too large.
 */
export async function removeCampaign(tx: Queryable, ref: ObjectRef, actor: Actor): Promise<void> {
  const name = await lockCampaign(tx, ref);
  if (name === undefined) return rejectUnknown(tx, ref);
  await requireRemovable(tx, ref.id);
  await deleteCampaign(tx, ref.id);
  await recordAction(tx, actor, { action: 'campaign.deleted', of: ref, from: { name } });
}

async function requireRemovable(tx: Queryable, campaignId: string): Promise<void> {
  const use = await readCampaignUse(tx, campaignId, MAX_SCREENSHOTS_OF_CAMPAIGN + 1);
  if (use.isCaptured)
    throw conflict(
      'id',
      'is the id of a campaign with sets or ads that are captured: cancel the sets, or wait until they have ended.',
    );
  if (use.screenshots > MAX_SCREENSHOTS_OF_CAMPAIGN) {
    const most = MAX_SCREENSHOTS_OF_CAMPAIGN.toLocaleString('en');
    throw conflict('id', `is the id of a campaign with more than ${most} screenshots: delete some of its sets first.`);
  }
}

async function rejectUnknown(tx: Queryable, ref: ObjectRef): Promise<void> {
  if (!(await wasRemoved(tx, ref))) throw unknownId();
}

/** @throws Failure (410) if the organization had an object with this id that was removed. */
export async function rejectRemoved(db: Queryable, ref: ObjectRef): Promise<void> {
  if (await wasRemoved(db, ref)) throw removedObject();
}

/**
 * Deletes sets that are older than their organizations keep them, one in each transaction.
 * @param defaultDays for organizations that chose nothing; undefined: their sets stay.
 * @returns how many.
 */
export async function expireSets(db: Database, defaultDays?: number, signal?: AbortSignal): Promise<number> {
  let expired = 0;
  for (const { id: organizationId, set_retention_days } of await listOrganizations(db)) {
    const days = set_retention_days ?? defaultDays;
    if (days === undefined) continue;
    while (signal?.aborted !== true && (await deleteExpiredSet(db, { organizationId, days }))) expired += 1;
  }
  return expired;
}
