/** The calls with which a capture claims, renews, releases and reports a creative, and waits for creatives of other captures. */
import type { Request, Response, Router } from 'express';
import type { ArtifactStore } from '../../artifacts/store.ts';
import {
  ClaimCreative,
  type ClaimedCreative,
  CreativeResult,
  HoldClaim,
  type ResolvedCreatives,
  WaitForCreatives,
} from '../../contract/captureProtocol.ts';
import { type AttemptRef, lockAttempt } from '../../core/jobs/attempts.ts';
import { claimCreative, expireClaims, releaseClaim, renewClaim } from '../../core/jobs/claims.ts';
import { checkFrames, ResultFaultError, storeCreativeResult } from '../../core/jobs/creativeResults.ts';
import { countUnresolved, type ResolvedCreativeRow, readResolvedCreatives } from '../../core/jobs/creatives.ts';
import { exportSpans } from '../../core/jobs/traces.ts';
import { type Change, type Notifications, notify } from '../../db/notifications.ts';
import { withContent } from '../../domain/pictureKeys.ts';
import { uploadKey } from '../../domain/uploads.ts';
import { getCaller, requireAttempt } from '../auth/captureAuth.ts';
import { filmKey, frameKey, requireUpload, type Transfers } from '../transfers/transfers.ts';
import { type InternalApiContext, readAdId } from './options.ts';

interface WaitOptions {
  readonly notifications: Pick<Notifications, 'subscribe'>;
  /** Whether a change may have produced the result. */
  readonly concerns: (change: Change) => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function addCreativeRoutes(router: Router, context: InternalApiContext, transfers: Transfers): void {
  const { store, artifacts, leaseSeconds, transact, observe } = context;

  const requireUploads = async (frames: Rendered['frames'], owner: AttemptRef & { adId: string }): Promise<void> => {
    checkKeys(frames, owner);
    await checkFrames(store.db, { ...owner, frames });
    await Promise.all(frames.map((frame) => requireUpload(artifacts, frame)));
  };

  router.post('/creatives/claim', async (req, res) => {
    const attemptRef = requireAttempt(getCaller(res), ClaimCreative.parse(req.body));
    res.json(await claim(context, transfers, attemptRef));
  });

  router.post('/creatives/wait', (req, res) => wait(context, transfers, { req, res }));

  router.post('/creatives/:ad/renew', async (req, res) => {
    const attemptRef = requireAttempt(getCaller(res), HoldClaim.parse(req.body));
    const held = await transact((tx) => renewClaim(tx, attemptRef, { adId: readAdId(req), leaseSeconds }));
    res.json({ held });
  });

  router.post('/creatives/:ad/release', async (req, res) => {
    const attemptRef = requireAttempt(getCaller(res), HoldClaim.parse(req.body));
    await transact(async (tx) => {
      await releaseClaim(tx, attemptRef, readAdId(req));
      await notify(tx, { job: attemptRef.jobId });
    });
    res.json({});
  });

  router.post('/creatives/:ad/result', async (req, res) => {
    const { index, attempt, seconds, result, spans } = CreativeResult.parse(req.body);
    const attemptRef = requireAttempt(getCaller(res), { index, attempt });
    const adId = readAdId(req);
    if (result.status === 'uploaded') {
      await requireUploads(result.frames, { ...attemptRef, adId });
      for (const film of result.films) await requireFilm(artifacts, film, { ...attemptRef, adId });
    }
    const isFirst = await transact((tx, resolving) => storeCreativeResult(tx, { attemptRef, adId, result }, resolving));
    if (isFirst) observe?.creative?.({ status: result.status, seconds });
    await exportSpans(store.db, attemptRef.jobId, spans);
    res.json({});
  });
}

type Rendered = Extract<CreativeResult['result'], { status: 'uploaded' }>;

function checkKeys(frames: Rendered['frames'], owner: Parameters<typeof frameKey>[0]): void {
  for (const frame of frames) {
    if (frame.key !== withContent(frameKey(owner, frame), frame.sha256)) {
      throw new ResultFaultError(`${frame.key} is not the key of a frame of ad ${owner.adId} in this attempt.`);
    }
  }
}

async function requireFilm(
  artifacts: ArtifactStore,
  film: Rendered['films'][number],
  owner: Parameters<typeof filmKey>[0],
): Promise<void> {
  if ('reason' in film) return;
  if (film.key !== withContent(filmKey(owner, film), film.sha256))
    throw new ResultFaultError(`${film.key} is not the key of a film of ad ${owner.adId} in this attempt.`);
  await requireUpload(artifacts, film);
}

async function claim(
  { leaseSeconds, transact }: InternalApiContext,
  transfers: Transfers,
  attemptRef: AttemptRef,
): Promise<ClaimedCreative> {
  const { creative, unresolved } = await transact(async (tx, resolving) => {
    await expireClaims(tx, attemptRef.jobId, resolving);
    const creative = await claimCreative(tx, attemptRef, leaseSeconds);
    return { creative, unresolved: await countUnresolved(tx, attemptRef.jobId) };
  });
  if (creative === undefined) return { creative: null, unresolved };
  const { wanted, films, file, ...claimed } = creative;
  const signed = file && { ...file, url: await transfers.download(uploadKey(creative.content)) };
  return {
    creative: { ...claimed, wanted: [...wanted], films: [...films], file: signed, lease_seconds: leaseSeconds },
    unresolved,
  };
}

/** How often a waiting call checks for claims whose lease has expired. */
const EXPIRY_CHECK_MS = 5_000;

async function wait(
  { notifications, transact }: InternalApiContext,
  transfers: Transfers,
  { req, res }: { req: Request; res: Response },
): Promise<void> {
  const { index, attempt, ads, timeout_ms } = WaitForCreatives.parse(req.body);
  const attemptRef = requireAttempt(getCaller(res), { index, attempt });
  const disconnected = new AbortController();
  res.on('close', () => disconnected.abort());
  const read = async () => {
    const found = await transact(async (tx, resolving) => {
      await lockAttempt(tx, attemptRef);
      await expireClaims(tx, attemptRef.jobId, resolving);
      return readResolvedCreatives(tx, attemptRef.jobId, ads);
    });
    return found.length === 0 ? undefined : found;
  };
  const deadline = performance.now() + timeout_ms;
  let found: ResolvedCreativeRow[] | undefined;
  do {
    found = await waitFor(read, {
      notifications,
      concerns: (change) => change.job === attemptRef.jobId || Object.keys(change).length === 0,
      timeoutMs: Math.min(EXPIRY_CHECK_MS, deadline - performance.now()),
      signal: disconnected.signal,
    });
  } while (found === undefined && performance.now() < deadline && !disconnected.signal.aborted);
  const creatives = await Promise.all((found ?? []).map((creative) => describe(creative, transfers)));
  res.json({ creatives } satisfies ResolvedCreatives);
}

async function describe(
  { ad_id, status, reason, width, height, mode, category, warnings, frames, films }: ResolvedCreativeRow,
  transfers: Transfers,
): Promise<ResolvedCreatives['creatives'][number]> {
  if (status === 'failed') return { ad_id, status, reason: reason ?? 'The ad could not be captured.' };
  const withUrls = frames.map(async ({ marker_ms, ratio, sha256, key }) => ({
    marker_ms,
    ratio,
    sha256,
    url: await transfers.download(key),
  }));
  const filmsWithUrls = films.map(async (film) => {
    if ('reason' in film) return film;
    const { key, holds, bytes: _bytes, ...made } = film;
    return { ...made, holds: [...holds], url: await transfers.download(key) };
  });
  return {
    ...{ ad_id, status, width: width ?? 0, height: height ?? 0, mode, category, warnings },
    frames: await Promise.all(withUrls),
    films: await Promise.all(filmsWithUrls),
  };
}

/**
 * Calls `read` now and after every change that `concerns` it, until `read` returns a value, the time is over or `signal` aborts. It does
 * not read after that: the database connections may be closed by then.
 * @returns the value, or undefined.
 */
export async function waitFor<T>(
  read: () => Promise<T | undefined>,
  { notifications, concerns, timeoutMs, signal }: WaitOptions,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  let changed = false;
  let wake: () => void = () => undefined;
  // Subscribes before the first read, so that no change is missed.
  const unsubscribe = notifications.subscribe((change) => {
    if (!concerns(change)) return;
    changed = true;
    wake();
  });
  try {
    while (!signal.aborted) {
      changed = false;
      const found = await read();
      const left = deadline - performance.now();
      if (found !== undefined || left <= 0) return found;
      if (changed) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
      });
      signal.removeEventListener('abort', wake);
    }
    return undefined;
  } finally {
    unsubscribe();
  }
}
