/**
 * Actions of reviewers and clients on a set, and reviews of single screenshots. These change no status and send no event,
 * except for the last open picture of a retake.
 */
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import { conflict, notFound, unknownId } from '../../domain/failure.ts';
import type { Decision } from '../../domain/reviews.ts';
import { canMoveSet, type SetStatus } from '../../domain/states.ts';
import { chooseVersion } from '../../domain/versions.ts';
import { failOrphanedAds } from '../ads/adStatus.ts';
import { lockScreenshot, setDecision } from '../sets/readScreenshots.ts';
import { readVersions } from '../sets/readVersions.ts';
import { cancelScreenshots } from '../sets/results.ts';
import { cancelDraft, decideReview, lockSet, requestCancel } from '../sets/setStatus.ts';
import { type EventContext, recordSetEvent } from '../webhooks/events.ts';
import { insertReview, readRetakeReview, withScreenshotHistory } from './reviewQueries.ts';

interface ScreenshotReview {
  readonly organizationId: string;
  readonly screenshotId: string;
  /** Undefined keeps the present decision. */
  readonly decision: Decision | undefined;
  /** Undefined keeps the present comment; a blank one removes it. */
  readonly comment: string | undefined;
  readonly keyId: string;
}

export type SetAction = 'approve' | 'reject' | 'cancel';

interface SetRef {
  readonly organizationId: string;
  readonly setId: string;
}

interface Reviewed extends SetRef {
  /** The key of the reviewer. */
  readonly keyId?: string | undefined;
}

export interface SetReview extends SetRef {
  readonly action: SetAction;
  /** The reviewer's own words. Null keeps the stored ones. */
  readonly notes: string | null;
  /** The key of the reviewer. */
  readonly keyId?: string;
}

/**
 * Approves, rejects or cancels a set in the caller's transaction. A set that waits for admission is canceled at once; one
 * that is being captured, a moment later.
 * @throws Failure 404, and 409 where the status of the set does not allow the action.
 */
export async function reviewSet(transaction: Queryable, review: SetReview, context: EventContext): Promise<void> {
  const { action, organizationId, setId } = review;
  if (action === 'cancel') await cancel(transaction, { organizationId, setId }, context);
  else await decide(transaction, { ...review, to: action === 'approve' ? 'approved' : 'rejected' }, context);
}

async function decide(
  transaction: Queryable,
  { to, notes, keyId, organizationId, setId }: SetReview & { to: 'approved' | 'rejected' },
  context: EventContext,
): Promise<void> {
  const set = { organizationId, setId };
  const { status } = await requireSet(transaction, set);
  // Settlement approves sets too, so the table of moves alone would allow this for a set that is being captured.
  if (status !== 'in_review' || !canMoveSet(status, to)) throw forbidden(status, to);
  await decideReview(transaction, { setId, status: to, notes });
  await insertReview(transaction, { setId, screenshotId: null, decision: to, comment: notes, keyId });
  await recordSetEvent(transaction, { ...set, topic: `screenshot_set.${to}` }, context);
  if (to === 'approved') await approveShownRetakes(transaction, { ...set, keyId }, context);
  await notify(transaction, { set: setId });
}

/** The reviewer saw the retakes in the place of the pictures that they repeat, so they are approved too. */
async function approveShownRetakes(transaction: Queryable, set: Reviewed, context: EventContext): Promise<void> {
  const versions = await readVersions(transaction, set.setId);
  const shown = [...versions].flatMap(([own, found]) => chooseVersion(found, { own })?.shown ?? []);
  const open = shown.filter((version) => version.set_status === 'in_review' && version.decision === null);
  for (const { id, set_id: setId } of open) {
    const { keyId } = set;
    await insertReview(transaction, { setId, screenshotId: id, decision: 'approved', comment: null, keyId });
    await setDecision(transaction, id, 'approved');
  }
  for (const setId of new Set(open.map(({ set_id }) => set_id)))
    await decideReviewedRetake(transaction, { ...set, setId }, context);
}

/**
 * Ends the review of a retake with the decision about its last picture, because reviewers see its pictures in the set that it
 * repeats. It is approved if one of its pictures is.
 */
async function decideReviewedRetake(
  transaction: Queryable,
  { organizationId, setId, keyId }: Reviewed,
  context: EventContext,
): Promise<void> {
  const retake = await readRetakeReview(transaction, setId);
  if (retake === undefined || retake.open > 0) return;
  const to = retake.approved > 0 ? 'approved' : 'rejected';
  await decide(
    transaction,
    {
      organizationId,
      setId,
      action: to === 'approved' ? 'approve' : 'reject',
      to,
      notes: null,
      ...(keyId && { keyId }),
    },
    context,
  );
}

async function cancel(transaction: Queryable, set: SetRef, context: EventContext): Promise<void> {
  const { status } = await requireSet(transaction, set);
  if (!canMoveSet(status, 'canceled')) throw forbidden(status, 'canceled');
  if (status === 'capturing') await requestCancel(transaction, set.setId);
  else await cancelDraft(transaction, set.setId);
  if (status === 'draft') await closeDraft(transaction, set.setId, context);
  await notify(transaction, { set: set.setId });
}

/** Cancels the screenshots of a set without a job, because no settlement will do it. */
async function closeDraft(transaction: Queryable, setId: string, context: EventContext): Promise<void> {
  const reason = 'The screenshot set was canceled.';
  const adIds = await cancelScreenshots(transaction, { setId, reason });
  await failOrphanedAds(transaction, { adIds, reason }, context);
}

async function requireSet(transaction: Queryable, ref: SetRef) {
  const set = await lockSet(transaction, ref);
  if (set === undefined) throw notFound('id', `There is no screenshot set ${ref.setId}.`);
  return set;
}

const DONE: Readonly<Partial<Record<SetStatus, string>>> = {
  approved: 'approved',
  rejected: 'rejected',
  canceled: 'canceled',
};

function forbidden(status: SetStatus, to: SetStatus) {
  return conflict('status', `is ${status}, so the set cannot be ${DONE[to] ?? to}.`);
}

/** @throws Failure: 404 if there is no such screenshot, 409 for a decision about a screenshot without a picture. */
export async function reviewScreenshot(tx: Queryable, review: ScreenshotReview, context: EventContext): Promise<void> {
  const { organizationId, screenshotId, keyId } = review;
  const screenshot = await lockScreenshot(tx, review);
  if (screenshot === undefined) throw unknownId();
  const [present] = await withScreenshotHistory(tx, [{ id: screenshotId }]);
  const decision = review.decision ?? present?.review?.decision ?? 'none';
  if (decision !== 'none' && screenshot.status !== 'uploaded') {
    throw conflict('status', `is ${screenshot.status}, so there is no picture to review.`);
  }
  const comment = review.comment === undefined ? (present?.review?.comment ?? null) : review.comment.trim() || null;
  await insertReview(tx, { setId: screenshot.set_id, screenshotId, decision, comment, keyId });
  await setDecision(tx, screenshotId, decision === 'none' ? null : decision);
  await decideReviewedRetake(tx, { organizationId, setId: screenshot.set_id, keyId }, context);
  await notify(tx, { set: screenshot.set_id });
}
