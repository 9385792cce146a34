/** Results of pictures, as a capture reports them. */
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import { insertImages } from '../sets/images.ts';
import { lockScreenshotsOfIndex, resolveScreenshots, type ScreenshotResolution } from '../sets/results.ts';
import { type AttemptRef, lockAttempt } from './attempts.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { ResultFaultError, recordProgressEvent } from './creativeResults.ts';

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
  readonly warnings: readonly Warning[];
  readonly record: Readonly<Record<string, unknown>>;
}

export interface FailedScreenshot {
  readonly id: string;
  readonly status: ScreenshotFailure;
  readonly reason: string;
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
  if (setId === null) throw new ResultFaultError('This job has ads alone, no pictures of pages.');
  const pending = await lockPending(transaction, { setId, index: attemptRef.index, ids: results.map(({ id }) => id) });
  // A picture named twice in one call counts once.
  const fresh = [...new Map(results.map((result) => [result.id, result])).values()].filter(({ id }) => pending.has(id));
  if (fresh.length === 0) return;
  const tokens = await storeImages(transaction, job.organization_id, fresh);
  await resolveScreenshots(
    transaction,
    fresh.map((result) => resolutionOf(result, tokens)),
  );
  await recordProgressEvent(transaction, { ...job, set_id: setId }, context);
  await notify(transaction, { job: job.id, set: setId });
  context.resolved.push(...fresh.map(({ status }) => status));
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
  const images = taken.map(({ key, sha256, bytes, width, height }) => ({
    organizationId,
    key,
    sha256,
    bytes,
    width,
    height,
  }));
  const tokens = await insertImages(transaction, images);
  return new Map(taken.map(({ id }, i) => [id, tokens[i] ?? '']));
}

function resolutionOf(
  result: TakenScreenshot | FailedScreenshot,
  tokens: ReadonlyMap<string, string>,
): ScreenshotResolution {
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
