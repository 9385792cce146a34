/**
 * Actions of reviewers and clients on a set, and reviews of screenshots. Each has an entry in the audit log. Reviews of
 * screenshots change no status and send no event, except in a retake.
 */
import type { Queryable } from '../../db/database.ts';
import { notify, notifyAll } from '../../db/notifications.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { conflict, Failure, invalid, notFound, unknownId } from '../../domain/failure.ts';
import type { Decision } from '../../domain/reviews.ts';
import { canMoveSet, canReopenSet, type SetStatus } from '../../domain/states.ts';
import { chooseVersion } from '../../domain/versions.ts';
import { failOrphanedAds } from '../events/orphanedAds.ts';
import { type EventContext, recordSetEvent } from '../events/recordEvent.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { recordNotice } from '../journal/recordNotice.ts';
import { withScreenshotHistory } from '../sets/history.ts';
import { readLaterRetakes, readVersions } from '../sets/readVersions.ts';
import { cancelScreenshots } from '../sets/results.ts';
import { cancelDraft, decideReview, lockSet, requestCancel } from '../sets/setStatus.ts';
import {
  type ExpectedReview,
  findSharers,
  lockScreenshotsToReview,
  readReviewedRetake,
  readUndoableReviews,
  type ScreenshotReview,
  type ScreenshotToReview,
  storeReviews,
} from './reviewQueries.ts';

export type SetAction = 'approve' | 'reject' | 'reopen' | 'cancel';

interface SetRef {
  readonly organizationId: string;
  readonly setId: string;
}

export interface SetReview extends SetRef {
  readonly action: SetAction;
  /** The reviewer's own words. Null keeps the stored ones. */
  readonly notes: string | null;
  readonly actor: Actor;
}

/** Results of the actions: the status of the set, its word, and the decision. */
const RESULTS = {
  approve: { status: 'approved', done: 'approved', decision: 'approved' },
  reject: { status: 'rejected', done: 'rejected', decision: 'rejected' },
  reopen: { status: 'in_review', done: 'reopened', decision: 'none' },
  cancel: { status: 'canceled', done: 'canceled' },
} as const;

/**
 * Approves, rejects, reopens or cancels a set in the caller's transaction. A set that waits for admission is canceled at
 * once; one that is being captured, a moment later. A reopened set is in review again.
 * @returns the id of the review, with which {@link undoReviews} takes the decision back; null for a cancellation.
 * @throws Failure 404, and 409 where the status of the set does not allow the action.
 */
export async function reviewSet(
  transaction: Queryable,
  review: SetReview,
  context: EventContext,
): Promise<string | null> {
  const { action, organizationId, setId } = review;
  const { done, status: to } = RESULTS[action];
  const set = await lockSet(transaction, { organizationId, setId });
  if (set === undefined) throw notFound('id', `There is no screenshot set ${setId}.`);
  if (!isAllowed(set.status, action)) throw conflict('status', `is ${set.status}, so the set cannot be ${done}.`);
  const reviewId =
    action === 'cancel'
      ? await cancel(transaction, { setId, status: set.status }, context)
      : await decide(transaction, { ...review, action }, context);
  const [of, from] = [{ organizationId, id: setId }, { status: set.status }];
  await recordAction(transaction, review.actor, { action: `screenshot_set.${done}`, of, from, to: { status: to } });
  await notify(transaction, { set: setId });
  return reviewId;
}

/** As {@link reviewSet}, for a set and the retakes that people see as its rounds: acts on each that allows it. */
export async function reviewRounds(
  transaction: Queryable,
  review: SetReview,
  context: EventContext,
): Promise<string | null> {
  const { action, organizationId, setId } = review;
  const retakes = action === 'reopen' ? [] : await readLaterRetakes(transaction, setId);
  const done: (string | null)[] = [];
  for (const id of [setId, ...retakes.map((retake) => retake.id)]) {
    const set = await lockSet(transaction, { organizationId, setId: id });
    // The approval of a set approves the retakes that it shows.
    if (set !== undefined && isAllowed(set.status, action))
      done.push(await reviewSet(transaction, { ...review, setId: id }, context));
  }
  return done[0] === undefined ? reviewSet(transaction, review, context) : done[0];
}

function isAllowed(status: SetStatus, action: SetAction): boolean {
  if (action === 'reopen') return canReopenSet(status);
  // Settlement approves sets too, so the table of moves alone would allow this for a set that is being captured.
  return (action === 'cancel' || status === 'in_review') && canMoveSet(status, RESULTS[action].status);
}

async function decide(
  transaction: Queryable,
  { action, notes, actor, organizationId, setId }: SetReview & { readonly action: Exclude<SetAction, 'cancel'> },
  context: EventContext,
): Promise<string> {
  const { status, done, decision } = RESULTS[action];
  await decideReview(transaction, { setId, status, notes });
  const review = { set_id: setId, screenshot_id: null, decision, comment: notes };
  const { id: reviewId } = await transaction
    .insertInto('reviews')
    .values({ ...review, key_id: actor.keyId, user_id: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow();
  await recordSetEvent(transaction, { organizationId, setId, topic: `screenshot_set.${done}` }, context);
  if (action === 'approve') await approveShownRetakes(transaction, { organizationId, setId, actor }, context);
  if (action === 'reject') await noticeRejection(transaction, { organizationId, setId, actor });
  return reviewId;
}

interface Reviewed extends SetRef {
  readonly actor: Actor;
}

/** @param rejected how many pictures were rejected; the whole set unless given. */
async function noticeRejection(
  tx: Queryable,
  { actor, ...set }: Reviewed,
  rejected: { readonly pictures?: number } = {},
): Promise<void> {
  await recordNotice(tx, { ...set, kind: 'picture_rejected', ...rejected, by: actor });
}

/** The reviewer saw the retakes in the place of the pictures that they repeat, so they are approved too. */
async function approveShownRetakes(transaction: Queryable, set: Reviewed, context: EventContext): Promise<void> {
  const versions = await readVersions(transaction, set.setId);
  const shown = [...versions].flatMap(([own, found]) => chooseVersion(found, { own })?.shown ?? []);
  const inReview = shown.filter((version) => version.set_status === 'in_review').map(({ id }) => id);
  // Another reviewer may decide until the lock is held.
  const locked = await lockScreenshotsToReview(transaction, { organizationId: set.organizationId, ids: inReview });
  const open = locked.filter(({ decision }) => decision === null);
  const reviews = open.map(({ id }) => ({ screenshotId: id, decision: 'approved' as const }));
  await storeReviews(transaction, reviews, set.actor);
  for (const setId of new Set(open.map(({ set_id }) => set_id)))
    await decideRetake(transaction, { ...set, setId, withdrawn: 0 }, context);
}

/**
 * Ends the review of a retake with the decision about its last picture, because reviewers see its pictures in the set that
 * it repeats. It is approved if one of its pictures is. If such a decision changes, the review is opened again.
 * @param retake with the number of its pictures whose decision was just withdrawn.
 */
async function decideRetake(
  transaction: Queryable,
  { withdrawn, ...set }: Reviewed & { readonly withdrawn: number },
  context: EventContext,
): Promise<void> {
  const retake = await readReviewedRetake(transaction, set.setId);
  if (retake === undefined) return;
  const { status, open, approved, isReviewed } = retake;
  const action = approved > 0 ? 'approve' : 'reject';
  const isChanged = open === 0 ? status !== RESULTS[action].status : open === withdrawn;
  const act = (to: SetAction) => reviewSet(transaction, { ...set, action: to, notes: null }, context);
  const reopens = canReopenSet(status) && isReviewed && isChanged;
  if (reopens) await act('reopen');
  if (open === 0 && (reopens || status === 'in_review')) await act(action);
}

async function cancel(
  transaction: Queryable,
  { setId, status }: { readonly setId: string; readonly status: SetStatus },
  context: EventContext,
): Promise<null> {
  if (status === 'capturing') await requestCancel(transaction, setId);
  else await cancelDraft(transaction, setId);
  if (status === 'draft') await closeDraft(transaction, setId, context);
  return null;
}

/** Cancels the screenshots of a set without a job, because no settlement will do it. */
async function closeDraft(transaction: Queryable, setId: string, context: EventContext): Promise<void> {
  const reason = 'The screenshot set was canceled.';
  const adIds = await cancelScreenshots(transaction, { setId, reason });
  await failOrphanedAds(transaction, { adIds, reason }, context);
}

export interface ScreenshotReviews {
  readonly organizationId: string;
  /** Allows only screenshots of this set and of its retakes. */
  readonly setId?: string;
  readonly reviews: readonly ScreenshotReview[];
  readonly actor: Actor;
}

export interface DecidedScreenshot {
  readonly screenshotId: string;
  readonly decision: Decision;
}

interface DoneReviews {
  /** The screenshots with their decisions before. The same call with these decisions undoes this one. */
  readonly before: readonly DecidedScreenshot[];
  /** The id of one of the reviews, with which {@link undoReviews} takes all of them back; null without reviews. */
  readonly reviewId: string | null;
}

/**
 * Reviews screenshots together. A review of a screenshot of a group is about its picture, so it counts for all of them.
 * @throws Failure: 404 or, with a set, 422 for an unknown screenshot; 409 for a decision about a screenshot without a picture,
 *   and if a review is not the expected one.
 */
export async function reviewScreenshots(
  tx: Queryable,
  { organizationId, setId, reviews, actor }: ScreenshotReviews,
  context: EventContext,
): Promise<DoneReviews> {
  const wanted = new Map(reviews.map((review) => [review.screenshotId, review]));
  for (const { id, of } of await findSharers(tx, [...wanted.keys()])) {
    const review = wanted.get(of);
    if (review !== undefined && !wanted.has(id)) wanted.set(id, { ...review, screenshotId: id, expected: undefined });
  }
  const found = await lockScreenshotsToReview(tx, { organizationId, setId, ids: [...wanted.keys()] });
  if (found.length < wanted.size) throw unknownScreenshot(found, wanted, setId);
  for (const { id, status } of found) {
    if ((wanted.get(id)?.decision ?? 'none') !== 'none' && status !== 'uploaded')
      throw conflict('status', `is ${status}, so there is no picture to review.`);
  }
  await requireExpected(tx, found, wanted);
  const reviewId = await storeReviews(tx, [...wanted.values()], actor);
  await recordDecisions(tx, { organizationId, setId: setId ?? found[0]?.set_id ?? null, reviews, actor });
  const sets = Map.groupBy(found, ({ set_id }) => set_id);
  for (const [id, ofSet] of sets) {
    const withdrawn = ofSet.filter((one) => one.decision !== null && wanted.get(one.id)?.decision === 'none').length;
    const rejected = ofSet.filter((one) => wanted.get(one.id)?.decision === 'rejected' && one.decision !== 'rejected');
    if (rejected.length > 0)
      await noticeRejection(tx, { organizationId, setId: id, actor }, { pictures: rejected.length });
    await decideRetake(tx, { organizationId, setId: id, actor, withdrawn }, context);
  }
  const shownIn = new Set([...sets.keys(), ...(setId === undefined ? [] : [setId])]);
  await notifyAll(
    tx,
    [...shownIn].map((set) => ({ set })),
  );
  return { before: found.map(({ id, decision }) => ({ screenshotId: id, decision: decision ?? 'none' })), reviewId };
}

/** @param found locked. */
async function requireExpected(
  tx: Queryable,
  found: readonly ScreenshotToReview[],
  wanted: ReadonlyMap<string, ScreenshotReview>,
): Promise<void> {
  const commented = found.filter(({ id }) => wanted.get(id)?.expected?.comment !== undefined);
  const history = await withScreenshotHistory(tx, commented);
  const comments = new Map(history.map(({ id, review }) => [id, review?.comment ?? '']));
  for (const { id, decision } of found) {
    const [given, now] = [wanted.get(id), { decision: decision ?? 'none', comment: comments.get(id) ?? '' } as const];
    if (given === undefined || !replacesUnseen(given, now)) continue;
    const text = `is not that of ${id}: its decision is ${now.decision}. Read its review, then decide again.`;
    throw new Failure({ status: 409, code: 'decision_changed', errors: { expected_decision: [text] } });
  }
}

/** Whether the review would replace something that the reviewer did not know. @param now the present review. */
export function replacesUnseen(
  { expected, decision, comment }: Omit<ScreenshotReview, 'screenshotId'>,
  now: Required<ExpectedReview>,
): boolean {
  const differs = <T>(seen: T | undefined, present: T, given: T | undefined) =>
    seen !== undefined && given !== undefined && present !== seen && present !== given;
  return (
    differs(expected?.decision, now.decision, decision) || differs(expected?.comment, now.comment, comment?.trim())
  );
}

/**
 * Takes a recent action of the actor back, except where a newer review followed it.
 * @param reviewId of one of its reviews. @returns whether anything was taken back.
 */
export async function undoReviews(
  tx: Queryable,
  { organizationId, actor, reviewId }: { organizationId: string; actor: Actor; reviewId: string },
  context: EventContext,
): Promise<boolean> {
  const read = () => readUndoableReviews(tx, { organizationId, by: actor, reviewId });
  // Others may decide until the locks are held, so the reviews are read again.
  const ids: string[] = [];
  for (const { setId, screenshotId } of await read()) {
    if (screenshotId === null) await lockSet(tx, { organizationId, setId });
    else ids.push(screenshotId);
  }
  await lockScreenshotsToReview(tx, { organizationId, ids });
  const undoable = await read();
  const reviews = [];
  for (const { setId, screenshotId, ...before } of undoable) {
    if (screenshotId !== null) reviews.push({ screenshotId, ...before });
    else await reviewSet(tx, { organizationId, setId, action: 'reopen', notes: null, actor }, context);
  }
  if (reviews.length > 0) await reviewScreenshots(tx, { organizationId, reviews, actor }, context);
  return undoable.length > 0;
}

function unknownScreenshot(
  found: readonly ScreenshotToReview[],
  wanted: ReadonlyMap<string, unknown>,
  setId: string | undefined,
) {
  if (setId === undefined) return unknownId();
  const known = new Set(found.map(({ id }) => id));
  const id = [...wanted.keys()].find((one) => !known.has(one));
  return invalid({ screenshot_ids: [`has the id ${id}, but this set and its retakes have no such screenshot.`] });
}

/** The audit log names so many pictures of one action, and counts more. */
const NAMED_MOST = 10;

/** Adds one entry, with the pictures of each decision. */
async function recordDecisions(
  tx: Queryable,
  { organizationId, setId, reviews, actor }: Omit<ScreenshotReviews, 'setId'> & { readonly setId: string | null },
): Promise<void> {
  const decided = Map.groupBy(reviews, ({ decision }) => decision);
  const changes = [...decided].flatMap(([decision, of]) => {
    const ids = of.map(({ screenshotId }) => screenshotId).join(', ');
    const to = of.length > NAMED_MOST ? `${of.length} screenshots` : ids;
    return decision === undefined ? [] : [{ field: decision, from: null, to }];
  });
  if (changes.length === 0) return;
  const of = { organizationId, id: setId };
  await recordAction(tx, actor, { action: 'screenshot_set.pictures_reviewed', of, changes });
}

/** As {@link reviewScreenshots}, with one decision. @param ids unless given: all pictures of the set. */
export async function reviewPicturesOfSet(
  tx: Queryable,
  given: Reviewed & {
    readonly decision: Decision;
    readonly ids?: readonly string[] | undefined;
    /** All of them must have it, or the new one; any decision unless given. */
    readonly expectedDecision?: Decision | undefined;
  },
  context: EventContext,
): Promise<DoneReviews> {
  const { decision, ids, expectedDecision, ...set } = given;
  if ((await lockSet(tx, set)) === undefined) throw unknownId();
  const chosen = ids ?? (await lockScreenshotsToReview(tx, set)).map(({ id }) => id);
  const expected = { decision: expectedDecision };
  const reviews = chosen.map((screenshotId) => ({ screenshotId, decision, expected }));
  return reviewScreenshots(tx, { ...set, reviews }, context);
}
