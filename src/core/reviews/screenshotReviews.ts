/** Reviews of single screenshots. They change no status and send no event, except for the last open picture of a retake. */

import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import { conflict, unknownId } from '../../domain/failure.ts';
import type { Decision } from '../../domain/reviews.ts';
import { lockScreenshot, setDecision } from '../sets/oneScreenshot.ts';
import type { EventContext } from '../webhooks/eventContext.ts';
import { insertReview, withScreenshotHistory } from './reviewQueries.ts';
import { decideReviewedRetake } from './reviews.ts';

export interface ScreenshotReview {
  readonly organizationId: string;
  readonly screenshotId: string;
  /** Undefined keeps the present decision. */
  readonly decision: Decision | undefined;
  /** Undefined keeps the present comment; a blank one removes it. */
  readonly comment: string | undefined;
  readonly keyId: string;
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
