/** Results of pictures, as a capture reports them. */
import { SlotsRecord } from '../../contract/placements.ts';
import { RuleReports } from '../../contract/siteRules.ts';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import {
  ANIMATION_FORMATS,
  type Animation,
  type AnimationFormat,
  type StoredAnimation,
} from '../../domain/animations.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import { findPageImages, insertImages } from '../sets/images.ts';
import { lockScreenshotsOfIndex, resolveScreenshots, type ScreenshotResolution } from '../sets/results.ts';
import { markFirstPicture } from '../sets/setStatus.ts';
import { noteRules } from '../siteRules/siteRules.ts';
import { type AttemptRef, lockAttempt } from './attempts.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { ResultFaultError, recordProgressEvent } from './creativeResults.ts';
import { keepUploads, requireScreenshotsOfIndex } from './expectedUploads.ts';
import { changeOf, type LockedJob } from './jobs.ts';
import { lockPendingPlacement, resolvePlacement } from './placementResults.ts';

interface UploadedFile {
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

type UploadedAnimation = Animation & Readonly<Record<AnimationFormat, UploadedFile>>;

export interface TakenScreenshot {
  readonly id: string;
  readonly status: 'uploaded';
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
  /** ISO 8601. */
  readonly captured_at: string;
  readonly animation?: UploadedAnimation | null | undefined;
  readonly warnings: readonly Warning[];
  readonly record: Readonly<Record<string, unknown>>;
}

export interface FailedScreenshot {
  readonly id: string;
  readonly status: ScreenshotFailure;
  readonly reason: string;
  /** The page without an ad, and the screenshot for which it was uploaded. */
  readonly page?: (UploadedFile & { readonly id: string }) | null | undefined;
  readonly record?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Stores results of screenshots that have none yet. A repeated result changes nothing.
 * @throws SupersededError, ResultFaultError
 */
export async function storeScreenshotResults(
  transaction: Queryable,
  { attemptRef, results }: { attemptRef: AttemptRef; results: readonly (TakenScreenshot | FailedScreenshot)[] },
  context: ResolveContext,
): Promise<void> {
  const job = await lockAttempt(transaction, attemptRef);
  const setId = job.set_id;
  if (setId === null) {
    for (const result of results) await storePlacementResult(transaction, job, result);
    return;
  }
  const pending = await lockPending(transaction, { setId, index: attemptRef.index, ids: results.map(({ id }) => id) });
  // A picture named twice in one call counts once.
  const fresh = [...new Map(results.map((result) => [result.id, result])).values()].filter(({ id }) => pending.has(id));
  if (fresh.length === 0) return;
  const tokens = await storeImages(transaction, job.organization_id, fresh);
  const pages = await storePages(transaction, { job, setId, index: attemptRef.index }, fresh);
  const resolutions = [];
  for (const result of fresh) {
    const given = ('animation' in result && result.animation) || null;
    const animation = given && (await storeAnimation(transaction, job.organization_id, given));
    const page_token = pages.get(pageOf(result)?.key ?? '') ?? null;
    resolutions.push({ ...resolutionOf(result, tokens), page_token, animation });
  }
  await resolveScreenshots(transaction, resolutions);
  await noteRules(transaction, job.organization_id, fresh.flatMap(reportsOf));
  if (fresh.some(({ status }) => status === 'uploaded')) {
    const time = await markFirstPicture(transaction, setId);
    if (time !== undefined) context.reached.push({ milestone: 'first_picture', ...time });
  }
  await recordProgressEvent(transaction, { ...job, set_id: setId }, context);
  await notify(transaction, changeOf(job));
  context.resolved.push(...fresh.map(({ status }) => status));
}

/** A placement has the id of its job. */
async function storePlacementResult(
  transaction: Queryable,
  job: LockedJob,
  result: TakenScreenshot | FailedScreenshot,
): Promise<void> {
  if (result.id !== job.id) throw new ResultFaultError(`The job has no picture ${result.id}.`);
  if ((await lockPendingPlacement(transaction, job.id)) === undefined) return;
  const { status } = result;
  if (status !== 'uploaded') await resolvePlacement(transaction, job.id, { status, reason: result.reason });
  else {
    const { success, data, error } = SlotsRecord.safeParse(result.record);
    if (!success) throw new ResultFaultError(`The record of the placement is invalid: ${error.message}`);
    const tokens = await storeImages(transaction, job.organization_id, [result]);
    await noteRules(transaction, job.organization_id, reportsOf(result));
    await resolvePlacement(transaction, job.id, {
      status,
      record: JSON.stringify(data),
      image_token: tokens.get(job.id) ?? null,
      captured_at: result.captured_at,
    });
  }
  await notify(transaction, changeOf(job));
}

/** @throws ResultFaultError for a picture that is not of this index. */
async function lockPending(
  transaction: Queryable,
  { setId, index, ids }: { setId: string; index: number; ids: string[] },
): Promise<Set<string>> {
  const rows = await lockScreenshotsOfIndex(transaction, { setId, index, ids });
  const known = new Set(rows.map(({ id }) => id));
  const unknownId = ids.find((id) => !known.has(id));
  if (unknownId !== undefined) throw new ResultFaultError(`Screenshot ${unknownId} is not of this index.`);
  return new Set(rows.filter(({ status }) => status === 'pending').map(({ id }) => id));
}

async function storeImages(
  transaction: Queryable,
  organizationId: string,
  results: readonly (TakenScreenshot | FailedScreenshot)[],
): Promise<Map<string, string>> {
  const taken = results.filter((result) => result.status === 'uploaded');
  const tokens = await insertImages(
    transaction,
    taken.map((file) => ({ ...file, organizationId })),
  );
  return new Map(taken.map(({ id }, i) => [id, tokens[i] ?? '']));
}

/** A record without them is of an earlier release. */
const reportsOf = ({ record }: TakenScreenshot | FailedScreenshot) =>
  RuleReports.safeParse(record?.['site_rules']).data ?? [];

const pageOf = (result: TakenScreenshot | FailedScreenshot) => ('page' in result && result.page) || undefined;

/** Screenshots that fail on one page share its picture. @returns the tokens by the keys. @throws ResultFaultError */
async function storePages(
  transaction: Queryable,
  { job, setId, index }: { job: LockedJob; setId: string; index: number },
  results: readonly (TakenScreenshot | FailedScreenshot)[],
): Promise<Map<string, string>> {
  const pages = new Map(results.flatMap((result) => pageOf(result) ?? []).map((page) => [page.key, page]));
  if (pages.size === 0) return new Map();
  const ids = [...pages.values()].map(({ id }) => id);
  await requireScreenshotsOfIndex(transaction, { setId, index, ids });
  const stored = await findPageImages(transaction, setId, [...pages.keys()]);
  const missing = [...pages.values()].filter(({ key }) => !stored.has(key));
  const images = missing.map((file) => ({ ...file, organizationId: job.organization_id }));
  const tokens = await insertImages(transaction, images);
  await keepUploads(transaction, job.id, missing);
  return new Map([...stored, ...missing.map(({ key }, i) => [key, tokens[i] ?? ''] as const)]);
}

async function storeAnimation(
  transaction: Queryable,
  organizationId: string,
  { seconds, fps, ...files }: UploadedAnimation,
): Promise<StoredAnimation> {
  const images = ANIMATION_FORMATS.map((format) => ({
    organizationId,
    contentType: `image/${format}`,
    ...files[format],
  }));
  const [webp = '', gif = ''] = await insertImages(transaction, images);
  const stored = (format: AnimationFormat, token: string) => {
    const { bytes, width, height } = files[format];
    return { token, bytes, width, height };
  };
  return { seconds, fps, webp: stored('webp', webp), gif: stored('gif', gif) };
}

function resolutionOf(
  result: TakenScreenshot | FailedScreenshot,
  tokens: ReadonlyMap<string, string>,
): Omit<ScreenshotResolution, 'page_token' | 'animation'> {
  return {
    id: result.id,
    status: result.status,
    reason: 'reason' in result ? result.reason : null,
    image_token: tokens.get(result.id) ?? null,
    captured_at: 'captured_at' in result ? result.captured_at : null,
    record: result.record ?? null,
    warnings: 'warnings' in result ? result.warnings : [],
  };
}
