/** Limits the uploads of an attempt: pictures of its index and frames of its job, each in a few contents. */
import type { Queryable } from '../../db/database.ts';
import { findScreenshotsOfIndex } from '../sets/results.ts';
import { type AttemptRef, lockAttempt } from './attempts.ts';
import { ResultFaultError } from './creativeResults.ts';
import { readWantedFrames } from './creatives.ts';
import { addDeclaredContents, type DeclaredContent } from './declaredUploads.ts';

export interface ExpectedFrame {
  readonly ad_id: string;
  readonly marker_ms: number | null;
  readonly ratio: number;
}

export interface ExpectedUploads {
  readonly screenshots: readonly string[];
  readonly frames: readonly ExpectedFrame[];
  readonly contents: readonly DeclaredContent[];
}

/**
 * Each content is an object that stays in the bucket, whether the capture reports it or not. A creative that was claimed
 * again after a lost claim may render differently.
 */
const MAX_CONTENTS = 4;

/**
 * Checks and counts uploads that an attempt declares. Accepts pictures that have a result by now: a late attempt learns
 * that when it reports its own. @throws SupersededError, ResultFaultError
 */
export async function declareUploads(
  transaction: Queryable,
  attemptRef: AttemptRef,
  { screenshots, frames, contents }: ExpectedUploads,
): Promise<void> {
  const job = await lockAttempt(transaction, attemptRef);
  // Together in one round trip: the connection pipelines statements. A failed check rolls the count back.
  await Promise.all([
    ...(screenshots.length > 0
      ? [requireScreenshots(transaction, { ...attemptRef, setId: job.set_id }, screenshots)]
      : []),
    ...(frames.length > 0 ? [requireFrames(transaction, attemptRef, frames)] : []),
    countContents(transaction, attemptRef.jobId, contents),
  ]);
}

/** Concurrent calls of any API process wait for each other at the row of the picture. @throws ResultFaultError */
async function countContents(
  transaction: Queryable,
  jobId: string,
  contents: readonly DeclaredContent[],
): Promise<void> {
  const accepted = await addDeclaredContents(transaction, jobId, { contents, max: MAX_CONTENTS });
  const pictures = contents.map(({ picture }) => picture);
  const refused = pictures.find((picture) => !accepted.has(picture));
  if (refused !== undefined)
    throw new ResultFaultError(`${refused} was declared with ${MAX_CONTENTS} other contents already.`);
}

async function requireScreenshots(
  transaction: Queryable,
  { setId, index }: { setId: string | null; index: number },
  ids: readonly string[],
): Promise<void> {
  const known = await findScreenshotsOfIndex(transaction, { setId, index, ids });
  const unknownId = ids.find((id) => !known.has(id));
  if (unknownId !== undefined) throw new ResultFaultError(`Screenshot ${unknownId} is not of this index.`);
}

async function requireFrames(
  transaction: Queryable,
  { jobId }: AttemptRef,
  frames: readonly ExpectedFrame[],
): Promise<void> {
  const ads = [...new Set(frames.map(({ ad_id }) => ad_id))];
  const wanted = await readWantedFrames(transaction, jobId, ads);
  for (const { ad_id, marker_ms, ratio } of frames) {
    const isWanted = wanted.get(ad_id)?.some((frame) => frame.marker_ms === marker_ms && frame.ratio === ratio);
    if (isWanted !== true) throw new ResultFaultError(`Nobody asked for such a frame of ad ${ad_id}.`);
  }
}
