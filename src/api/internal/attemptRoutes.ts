/** The calls with which a capture opens its attempt, reports its screenshots and finishes. */
import type { Router } from 'express';
import {
  type Attempt,
  FinishIndex,
  OpenAttempt,
  ScreenshotResults,
  type WantedPage,
} from '../../contract/captureProtocol.ts';
import { optionsFromJson } from '../../contract/parseParts.ts';
import { finishIndex, openAttempt, startHosting } from '../../core/jobs/attempts.ts';
import { expireClaims } from '../../core/jobs/claims.ts';
import { ResultFaultError } from '../../core/jobs/creativeResults.ts';
import { countUnresolved } from '../../core/jobs/creatives.ts';
import { storeScreenshotResults } from '../../core/jobs/screenshotResults.ts';
import { type MissingScreenshot, missingScreenshots } from '../../core/sets/results.ts';
import { withContent } from '../../domain/pictureKeys.ts';
import { withScheme } from '../../domain/webAddresses.ts';
import { getCaller, requireAttempt, requireIndex } from '../auth/captureAuth.ts';
import { ForbiddenError, NotFoundError } from '../server/errors.ts';
import { requireUpload, screenshotKey } from '../transfers/transfers.ts';
import { type InternalApiContext, readIndex } from './options.ts';

export function addAttemptRoutes(router: Router, context: InternalApiContext): void {
  const { artifacts, transact, observe, queue } = context;

  router.post('/indexes/:index/attempts', async (req, res) => {
    const { pod, hosts } = OpenAttempt.parse(req.body);
    const caller = getCaller(res);
    const index = readIndex(req);
    requireIndex(caller, index);
    if (caller.pod !== undefined && caller.pod.uid !== pod)
      throw new ForbiddenError(`The token does not belong to the pod ${pod}.`);
    res.json(await open(context, { jobId: caller.jobId, index, pod, hosts: hosts && caller.isHost !== true }));
  });

  router.post('/screenshots/results', async (req, res) => {
    const { index, attempt, results } = ScreenshotResults.parse(req.body);
    const attemptRef = requireAttempt(getCaller(res), { index, attempt });
    requireKeys(results, attempt);
    requireTimes(results);
    const uploaded = results.filter((result) => result.status === 'uploaded');
    await Promise.all(uploaded.map((result) => requireUpload(artifacts, result)));
    await transact((tx, resolving) => storeScreenshotResults(tx, { attemptRef, results }, resolving));
    res.json({});
  });

  router.post('/indexes/:index/finish', async (req, res) => {
    const { attempt, phases } = FinishIndex.parse(req.body);
    const attemptRef = requireAttempt(getCaller(res), { index: readIndex(req), attempt });
    const isFirst = await transact((tx) => finishIndex(tx, attemptRef, { queue }));
    if (isFirst) observe?.phases?.(phases);
    res.json({});
  });
}

function requireKeys(results: ScreenshotResults['results'], attempt: number): void {
  for (const result of results) {
    if (result.status !== 'uploaded') continue;
    if (result.key !== withContent(screenshotKey(result.id, attempt), result.sha256)) {
      throw new ResultFaultError(`${result.key} is not the key of screenshot ${result.id} in attempt ${attempt}.`);
    }
  }
}

/** No clock of a node is wrong by more than this. */
const MAX_CLOCK_ERROR_MS = 24 * 3_600_000;

function requireTimes(results: ScreenshotResults['results']): void {
  for (const result of results) {
    if (result.status === 'uploaded' && Math.abs(Date.parse(result.captured_at) - Date.now()) > MAX_CLOCK_ERROR_MS) {
      throw new ResultFaultError(`Screenshot ${result.id} has an impossible time: ${result.captured_at}.`);
    }
  }
}

async function open(
  { transact, podDeadlineSeconds, leaseSeconds }: InternalApiContext,
  { jobId, index, pod, hosts }: { jobId: string; index: number; pod: string; hosts: boolean },
): Promise<Attempt> {
  const { opened, missing, unresolved, hosting } = await transact(async (tx, resolving) => {
    const opened = await openAttempt(tx, { jobId, index, pod });
    if (opened === undefined) throw new NotFoundError(`There is no index ${index} of job ${jobId}.`);
    await expireClaims(tx, jobId, resolving);
    const setId = opened.job.set_id;
    const missing = setId === null || opened.settled ? [] : await missingScreenshots(tx, { setId, index });
    const unresolved = opened.settled ? 0 : await countUnresolved(tx, jobId);
    const isDone = missing.length === 0 && unresolved === 0;
    const hosting = hosts && !isDone && (await startHosting(tx, opened, { index, leaseSeconds }));
    return { opened, missing, unresolved, hosting };
  });
  const podDeadline = opened.now.getTime() + podDeadlineSeconds * 1000;
  return {
    attempt: opened.attempt,
    done: missing.length === 0 && unresolved === 0,
    deadline_at: new Date(Math.min(podDeadline, opened.deadlineAt.getTime())).toISOString(),
    pages: pagesOf(missing),
    hosting,
  };
}

/** @returns one page for each site, device and choice about other ads, in the order of the request. */
function pagesOf(missing: readonly MissingScreenshot[]): WantedPage[] {
  const pages = new Map<string, WantedPage>();
  for (const { id, ad_id, marker_ms, options, site_url, site_key, device } of missing) {
    const key = `${device} ${optionsFromJson(options).otherAds} ${site_key}`;
    const page = pages.get(key) ?? { site_url: withScheme(site_url), device, screenshots: [] };
    page.screenshots.push({ id, ad_id, marker_ms, options });
    pages.set(key, page);
  }
  return [...pages.values()];
}
