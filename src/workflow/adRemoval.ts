/**
 * Removes ads and campaigns that a client deleted. They are marked and hidden at once, and then removed in steps, as sets
 * are: files before rows. The row of an ad goes when no row of a removed set names it. The row of a campaign goes last.
 */
import type { ArtifactStore } from '../artifacts/store.ts';
import type { Actor } from '../domain/auditLog.ts';
import { conflict, unknownId } from '../domain/failure.ts';
import { recordAction } from '../store/auditLog/auditLog.ts';
import type { Database, Queryable } from '../store/database/database.ts';
import {
  type AdRef,
  claimRemovedAd,
  deleteAd,
  deleteDeliveriesOfAd,
  deleteEventsOfAd,
  forgetPreview,
  isShown,
  lockAd,
  markAdRemoved,
  markAdsOfCampaign,
  type RemovedAd,
  readFramesOfAd,
  readPreview,
  releaseRemovedAd,
} from '../store/removal/removedAds.ts';
import {
  type CampaignRef,
  claimRemovedCampaign,
  deleteCampaign,
  isCaptured,
  lockCampaign,
  markCampaignRemoved,
  releaseRemovedCampaign,
} from '../store/removal/removedCampaigns.ts';
import { markSetsOfCampaign, wasRemoved } from '../store/removal/removedSets.ts';
import { deleteFrames } from '../store/removal/setContent.ts';
import { removePictures } from './removedFiles.ts';

interface StepContext {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}

interface StepCounts {
  readonly campaign?: number;
  readonly ad?: number;
  readonly picture?: number;
  readonly delivery?: number;
}

const PICTURES_TOGETHER = 50;
const ROWS_TOGETHER = 500;
const MARKED_TOGETHER = 100;

/** Does nothing if the ad was removed before. @throws Failure: 404, and 409 while it is captured or a set shows it. */
export async function removeAd(tx: Queryable, ref: AdRef, actor: Actor): Promise<void> {
  const ad = await lockAd(tx, ref);
  if (ad === undefined) return rejectUnknown(tx, ref);
  if (ad.isPending)
    throw conflict('status', 'is pending: wait until the preview of the ad is captured, and delete it then.');
  if (await isShown(tx, ref.id)) throw conflict('id', 'is the id of an ad that sets show: delete these sets first.');
  await markAdRemoved(tx, ref.id);
  await recordAction(tx, actor, { organizationId: ref.organizationId, action: 'ad.deleted', objectId: ref.id });
}

/** Does nothing if the campaign was removed before. @throws Failure: 404, and 409 while a set of it is captured. */
export async function removeCampaign(tx: Queryable, ref: CampaignRef, actor: Actor): Promise<void> {
  const name = await lockCampaign(tx, ref);
  if (name === undefined) return rejectUnknown(tx, ref);
  if (await isCaptured(tx, ref.id))
    throw conflict(
      'id',
      'is the id of a campaign with sets that are captured: cancel them, or wait until they have ended.',
    );
  await markCampaignRemoved(tx, ref);
  const changes = [{ field: 'name', from: name, to: null }];
  await recordAction(tx, actor, {
    ...{ organizationId: ref.organizationId, action: 'campaign.deleted', objectId: ref.id, changes },
  });
}

async function rejectUnknown(tx: Queryable, ref: AdRef): Promise<void> {
  if (!(await wasRemoved(tx, ref))) throw unknownId();
}

/** Does one step of one removed ad. @returns undefined if there is nothing to do. */
export async function removeSomeOfAd(context: StepContext, organizationId?: string): Promise<StepCounts | undefined> {
  const ad = await claimRemovedAd(context.db, organizationId);
  if (ad === undefined) return undefined;
  for (const step of STEPS) {
    const counts = await step(context, ad);
    if (counts === undefined) continue;
    await releaseRemovedAd(context.db, ad.id);
    return counts;
  }
  const isDeleted = await context.db.transaction().execute((tx) => deleteAd(tx, ad));
  // Otherwise the next process tries again when this step would have ended.
  return isDeleted ? { ad: 1 } : {};
}

type Step = (context: StepContext, ad: RemovedAd) => Promise<StepCounts | undefined>;

/** The first of these that finds something is the step. */
const STEPS: readonly Step[] = [removeFrames, removePreview, removeDeliveries, removeEvents];

async function removeFrames(context: StepContext, { id }: RemovedAd) {
  const frames = await readFramesOfAd(context.db, id, PICTURES_TOGETHER);
  if (frames.length === 0) return undefined;
  const files = frames.flatMap(({ picture }) => (picture === null ? [] : [{ picture, facts: null }]));
  await removePictures(context, files, (tx) => deleteFrames(tx, frames));
  return { picture: files.length };
}

async function removePreview(context: StepContext, { id }: RemovedAd) {
  const picture = await readPreview(context.db, id);
  if (picture === undefined) return undefined;
  await removePictures(context, [{ picture, facts: null }], (tx) => forgetPreview(tx, id));
  return { picture: 1 };
}

async function removeDeliveries({ db }: StepContext, { id }: RemovedAd) {
  const delivery = await db.transaction().execute((tx) => deleteDeliveriesOfAd(tx, id, ROWS_TOGETHER));
  return delivery === 0 ? undefined : { delivery };
}

async function removeEvents({ db }: StepContext, { id }: RemovedAd) {
  return (await deleteEventsOfAd(db, id, ROWS_TOGETHER)) === 0 ? undefined : {};
}

/** Does one step of one removed campaign: marks sets, then ads, and deletes its row last. */
export async function removeSomeOfCampaign(
  { db }: StepContext,
  organizationId?: string,
): Promise<StepCounts | undefined> {
  const id = await claimRemovedCampaign(db, organizationId);
  if (id === undefined) return undefined;
  const marked =
    (await markSetsOfCampaign(db, id, MARKED_TOGETHER)) + (await markAdsOfCampaign(db, id, MARKED_TOGETHER));
  if (marked === 0 && (await deleteCampaign(db, id))) return { campaign: 1 };
  await releaseRemovedCampaign(db, id, marked === 0);
  return {};
}
