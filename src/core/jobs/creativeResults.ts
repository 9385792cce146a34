/** Stores the result of a creative: its frames, the status and preview of the ad, and the event for subscribers. */

import type { CreativeFacts } from '../../contract/creativeFacts.ts';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { AdCategory } from '../../domain/ads.ts';
import type { MadeFilm } from '../../domain/animations.ts';
import type { WantedFrame } from '../../domain/batches.ts';
import type { AdFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import { resolveAd } from '../ads/adStatus.ts';
import { storeFacts } from '../ads/creativeCheck.ts';
import { type EventContext, isWanted, recordAdEvent, recordSetEvent } from '../events/recordEvent.ts';
import { insertImages } from '../sets/images.ts';
import { readProgress } from '../sets/readSet.ts';
import { failScreenshotsOfAd } from '../sets/results.ts';
import { type AttemptRef, lockAttempt } from './attempts.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { lockCreative, readWantedFrames, resolveCreative } from './creatives.ts';
import { changeOf, type LockedJob, lockProgress } from './jobs.ts';

const STEPS = 4;

export interface UploadedFrame {
  readonly marker_ms: number | null;
  readonly ratio: number;
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

export interface RenderedResult {
  readonly status: 'uploaded';
  readonly format: string;
  readonly category: AdCategory;
  readonly mode: string;
  readonly notes: readonly string[];
  readonly warnings: readonly Warning[];
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: readonly UploadedFrame[];
  readonly films: readonly MadeFilm[];
  readonly facts?: CreativeFacts | null | undefined;
}

export interface FailedResult {
  readonly status: AdFailure;
  readonly reason: string;
}

/** A result that does not answer what was asked; `message` says what is missing. */
export class ResultFaultError extends Error {}

/** Checks frames without a lock, before the API looks for their files. @throws ResultFaultError */
export async function checkFrames(
  db: Queryable,
  { jobId, adId, frames }: { jobId: string; adId: string; frames: readonly UploadedFrame[] },
): Promise<void> {
  const wanted = await readWantedFrames(db, jobId, [adId]);
  requireFrames(wanted.get(adId) ?? [], frames);
}

/**
 * Stores the result of a creative. A repeated result changes nothing.
 * @returns whether it is the first result of this creative. @throws SupersededError, ResultFaultError
 */
export async function storeCreativeResult(
  transaction: Queryable,
  { attemptRef, adId, result }: { attemptRef: AttemptRef; adId: string; result: RenderedResult | FailedResult },
  context: ResolveContext,
): Promise<boolean> {
  const job = await lockAttempt(transaction, attemptRef);
  const creative = await lockCreative(transaction, { jobId: job.id, adId });
  if (creative === undefined) throw new ResultFaultError(`Ad ${adId} is not part of this job.`);
  if (creative.status !== 'pending') return false;
  if (result.status === 'uploaded') {
    requireFrames(creative.wanted, result.frames);
    await storeRendered(transaction, { job, adId, result }, context);
  } else {
    await failCreative(transaction, { job, adId, failure: result }, context);
  }
  return true;
}

function requireFrames(wanted: readonly WantedFrame[], frames: readonly UploadedFrame[]) {
  for (const { marker_ms, ratio } of wanted) {
    if (!frames.some((frame) => frame.marker_ms === marker_ms && frame.ratio === ratio)) {
      throw new ResultFaultError(`The frame at ${marker_ms ?? 'the default moment'} and ratio ${ratio} is missing.`);
    }
  }
  if (frames.length > wanted.length) throw new ResultFaultError('There are more frames than were asked for.');
}

async function storeRendered(
  transaction: Queryable,
  { job, adId, result }: { job: LockedJob; adId: string; result: RenderedResult },
  context: ResolveContext,
): Promise<void> {
  const images = result.frames.map((frame) => ({ ...frame, organizationId: job.organization_id }));
  const tokens = await insertImages(transaction, images);
  const frames = result.frames.map(({ marker_ms, ratio }, i) => ({
    job_id: job.id,
    ad_id: adId,
    marker_ms: marker_ms ?? -1,
    ratio,
    image_token: tokens[i] ?? '',
  }));
  await transaction.insertInto('creative_frames').values(frames).execute();
  const { format, mode, notes, warnings, films, width, height, category } = result;
  const shared = { width, height, warnings };
  const rendered = { status: 'rendered', format, mode, notes, films, ...shared } as const;
  await resolveCreative(transaction, { jobId: job.id, adId }, rendered);
  if (result.facts) await storeFacts(transaction, adId, result.facts);
  const uploaded = { status: 'uploaded', reason: null, category, preview_token: previewOf(frames), ...shared } as const;
  if (await resolveAd(transaction, adId, uploaded))
    await recordAdEvent(transaction, { adId, organizationId: job.organization_id, topic: 'ad.uploaded' }, context);
  await notify(transaction, { ...changeOf(job), ad: adId });
}

/** @returns the default frame, or else the frame of the first marker, at the lowest pixel ratio. */
function previewOf(frames: readonly { marker_ms: number; ratio: number; image_token: string }[]): string | null {
  const sorted = frames.toSorted((a, b) => a.marker_ms - b.marker_ms || a.ratio - b.ratio);
  return sorted[0]?.image_token ?? null;
}

/** Fails a creative, the screenshots that wait for it, and the ad if it is still pending. */
export async function failCreative(
  transaction: Queryable,
  { job, adId, failure }: { job: LockedJob; adId: string; failure: FailedResult },
  context: ResolveContext,
): Promise<void> {
  const { status, reason } = failure;
  await resolveCreative(transaction, { jobId: job.id, adId }, { status: 'failed', failure: status, reason });
  if (await resolveAd(transaction, adId, { status, reason })) {
    await recordAdEvent(transaction, { adId, organizationId: job.organization_id, topic: 'ad.failed' }, context);
  }
  if (job.set_id !== null) {
    const failed = await failScreenshotsOfAd(transaction, { setId: job.set_id, adId, reason });
    for (let i = 0; i < failed; i += 1) context.resolved.push('ad_not_captured');
    if (failed > 0) await recordProgressEvent(transaction, { ...job, set_id: job.set_id }, context);
  }
  await notify(transaction, { ...changeOf(job), ad: adId });
}

/** Records the progress of a set for subscribers that asked for it: after each of the first three quarters of its pictures. */
export async function recordProgressEvent(
  transaction: Queryable,
  { id, organization_id: organizationId, set_id: setId }: LockedJob & { readonly set_id: string },
  context: EventContext,
): Promise<void> {
  const subject = { organizationId, setId, topic: 'screenshot_set.progress' } as const;
  if (!(await isWanted(transaction, subject))) return;
  // The row is locked first, so that of two results at once the later one counts both.
  const recorded = await lockProgress(transaction, id);
  const { total = 0, resolved = 0 } = (await readProgress(transaction, { id: setId, organizationId })) ?? {};
  const step = Math.floor((resolved * STEPS) / Math.max(1, total));
  if (step <= recorded || step >= STEPS) return;
  await transaction.updateTable('screenshot_jobs').set({ progress: step }).where('id', '=', id).execute();
  await recordSetEvent(transaction, subject, context);
}
