/** Creatives: claimed one by one, renewed while rendering, given back or resolved; waited for by whoever places them. */
import type { Request, Response, Router } from 'express';
import {
  ClaimCreative,
  type ClaimedCreative,
  CreativeResult,
  HoldClaim,
  type ResolvedCreatives,
  WaitForCreatives,
} from '../../contract/captureProtocol.ts';
import { notify } from '../../store/database/notifications.ts';
import { type Bound, holdAttempt } from '../../workflow/attempts.ts';
import {
  claimCreative,
  countUnresolved,
  expireClaims,
  type ResolvedCreative,
  releaseClaim,
  renewClaim,
  resolvedCreatives,
} from '../../workflow/claims.ts';
import { checkFrames, ResultFaultError, storeCreativeResult } from '../../workflow/creativeResults.ts';
import { requireAttempt } from '../auth/captureAuth.ts';
import { requireUpload } from '../transfers/requireUpload.ts';
import { frameKey, type Transfers, withContent } from '../transfers/transfers.ts';
import type { InternalApiOptions } from './options.ts';
import { adOf, callerOf } from './pathParameters.ts';
import { waitFor } from './waitFor.ts';

export function addCreativeRoutes(router: Router, options: InternalApiOptions, transfers: Transfers): void {
  const { store, leaseSeconds, observe } = options;
  const write = <T>(work: (tx: Parameters<typeof notify>[0]) => Promise<T>) => store.db.transaction().execute(work);

  const requireUploads = async (frames: Rendered['frames'], owner: Bound & { adId: string }): Promise<void> => {
    checkKeys(frames, owner);
    await checkFrames(store.db, { ...owner, frames });
    await Promise.all(frames.map((frame) => requireUpload(options.artifacts, frame)));
  };

  router.post('/creatives/claim', async (req, res) => {
    const bound = requireAttempt(callerOf(res), ClaimCreative.parse(req.body));
    res.json(await claim(options, bound));
  });

  router.post('/creatives/wait', (req, res) => wait(options, transfers, { req, res }));

  router.post('/creatives/:ad/renew', async (req, res) => {
    const bound = requireAttempt(callerOf(res), HoldClaim.parse(req.body));
    const held = await write((tx) => renewClaim(tx, bound, { adId: adOf(req), leaseSeconds }));
    res.json({ held });
  });

  router.post('/creatives/:ad/release', async (req, res) => {
    const bound = requireAttempt(callerOf(res), HoldClaim.parse(req.body));
    await write(async (tx) => {
      await releaseClaim(tx, bound, adOf(req));
      await notify(tx, { job: bound.jobId });
    });
    res.json({});
  });

  router.post('/creatives/:ad/result', async (req, res) => {
    const { index, attempt, seconds, result } = CreativeResult.parse(req.body);
    const bound = requireAttempt(callerOf(res), { index, attempt });
    const adId = adOf(req);
    if (result.status === 'uploaded') await requireUploads(result.frames, { ...bound, adId });
    const stored = await write((tx) => storeCreativeResult(tx, { bound, adId, result }, options));
    observe?.screenshots?.(stored.resolved);
    if (stored.isNews) observe?.creative?.({ status: result.status, seconds });
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

async function claim(options: InternalApiOptions, bound: Bound): Promise<ClaimedCreative> {
  const { leaseSeconds, observe } = options;
  const { creative, expired, unresolved } = await options.store.db.transaction().execute(async (tx) => {
    const expired = await expireClaims(tx, bound.jobId, options);
    const creative = await claimCreative(tx, bound, leaseSeconds);
    return { creative, expired, unresolved: await countUnresolved(tx, bound.jobId) };
  });
  observe?.screenshots?.(expired);
  if (creative === undefined) return { creative: null, unresolved };
  const { ad_id, kind, content, wanted } = creative;
  return { creative: { ad_id, kind, content, wanted: [...wanted], lease_seconds: leaseSeconds }, unresolved };
}

/** How often a waiting capture looks for claims whose holder died without a word. */
const EXPIRY_CHECK_MS = 5_000;

async function wait(
  options: InternalApiOptions,
  transfers: Transfers,
  { req, res }: { req: Request; res: Response },
): Promise<void> {
  const { index, attempt, ads, timeout_ms } = WaitForCreatives.parse(req.body);
  const bound = requireAttempt(callerOf(res), { index, attempt });
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const look = async () => {
    const { expired, found } = await options.store.db.transaction().execute(async (tx) => {
      await holdAttempt(tx, bound);
      const expired = await expireClaims(tx, bound.jobId, options);
      return { expired, found: await resolvedCreatives(tx, bound.jobId, ads) };
    });
    options.observe?.screenshots?.(expired);
    return found.length === 0 ? undefined : found;
  };
  const deadline = performance.now() + timeout_ms;
  let found: ResolvedCreative[] | undefined;
  do {
    found = await waitFor(look, {
      notifications: options.notifications,
      concerns: (change) => change.job === bound.jobId || Object.keys(change).length === 0,
      timeoutMs: Math.min(EXPIRY_CHECK_MS, deadline - performance.now()),
      signal: gone.signal,
    });
  } while (found === undefined && performance.now() < deadline && !gone.signal.aborted);
  const answer: ResolvedCreatives = {
    creatives: await Promise.all((found ?? []).map((creative) => describe(creative, transfers))),
  };
  res.json(answer);
}

async function describe(
  { ad_id, status, reason, width, height, mode, frames }: ResolvedCreative,
  transfers: Transfers,
): Promise<ResolvedCreatives['creatives'][number]> {
  if (status === 'failed') return { ad_id, status, reason: reason ?? 'The ad could not be captured.' };
  const withUrls = frames.map(async ({ marker_ms, ratio, sha256, key }) => ({
    ...{ marker_ms, ratio, sha256 },
    url: await transfers.download(key),
  }));
  return { ad_id, status, width: width ?? 0, height: height ?? 0, mode, frames: await Promise.all(withUrls) };
}
