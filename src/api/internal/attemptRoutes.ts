/** The calls with which a capture opens its attempt, reports its screenshots and finishes. */
import type { Router } from 'express';
import {
  type Attempt,
  FinishIndex,
  OpenAttempt,
  ScreenshotResults,
  type WantedPage,
} from '../../contract/captureProtocol.ts';
import { optionsFromJson } from '../../contract/storedOptions.ts';
import { finishIndex, openAttempt, startHosting } from '../../core/jobs/attempts.ts';
import { expireClaims } from '../../core/jobs/claims.ts';
import { ResultFaultError } from '../../core/jobs/creativeResults.ts';
import { countUnresolved } from '../../core/jobs/creatives.ts';
import { lockPendingPlacement } from '../../core/jobs/placementResults.ts';
import { storeScreenshotResults } from '../../core/jobs/screenshotResults.ts';
import { exportSpans } from '../../core/jobs/traces.ts';
import { readPageAccess } from '../../core/sets/pageAccess.ts';
import { type MissingScreenshot, missingScreenshots } from '../../core/sets/results.ts';
import { readRulesToApply } from '../../core/siteRules/siteRuleQueries.ts';
import { readPageFiles } from '../../core/uploads/uploadQueries.ts';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import { ANIMATION_FORMATS } from '../../domain/animations.ts';
import { pageKey } from '../../domain/batches.ts';
import { deviceGroup, findDevice } from '../../domain/devices.ts';
import type { PageAccess } from '../../domain/pageAccess.ts';
import { withContent } from '../../domain/pictureKeys.ts';
import { type AppliedRule, type RulePages, ruleHosts, rulesFor } from '../../domain/siteRules.ts';
import { uploadKey } from '../../domain/uploads.ts';
import { hasScheme, withScheme } from '../../domain/webAddresses.ts';
import type { Locations } from '../../egress/locations.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { getCaller, requireAttempt, requireIndex } from '../auth/captureAuth.ts';
import { ForbiddenError, NotFoundError } from '../server/errors.ts';
import { animationKey, pagePictureKey, requireUpload, screenshotKey, type Transfers } from '../transfers/transfers.ts';
import { type InternalApiContext, readIndex } from './options.ts';

export function addAttemptRoutes(router: Router, context: InternalApiContext, transfers: Transfers): void {
  const { store, artifacts, transact, observe, queue } = context;

  router.post('/indexes/:index/attempts', async (req, res) => {
    const { pod, hosts } = OpenAttempt.parse(req.body);
    const caller = getCaller(res);
    const index = readIndex(req);
    requireIndex(caller, index);
    if (caller.pod !== undefined && caller.pod.uid !== pod)
      throw new ForbiddenError(`The token does not belong to the pod ${pod}.`);
    res.json(
      await open(context, transfers, { jobId: caller.jobId, index, pod, hosts: hosts && caller.isHost !== true }),
    );
  });

  router.post('/screenshots/results', async (req, res) => {
    const { index, attempt, results: reported, spans } = ScreenshotResults.parse(req.body);
    const attemptRef = requireAttempt(getCaller(res), { index, attempt });
    requireKeys(reported, attempt);
    requireTimes(reported);
    const results = await withStoredPages(context, reported);
    const uploaded = results.filter((result) => result.status === 'uploaded');
    const files = uploaded.flatMap((result) => [result, ...animationFiles(result).map(([, file]) => file)]);
    await Promise.all(files.map((file) => requireUpload(artifacts, file)));
    await transact((tx, resolving) => storeScreenshotResults(tx, { attemptRef, results }, resolving));
    await exportSpans(store.db, attemptRef.jobId, spans);
    res.json({});
  });

  router.post('/indexes/:index/finish', async (req, res) => {
    const { attempt, phases, processor_seconds, spans } = FinishIndex.parse(req.body);
    const attemptRef = requireAttempt(getCaller(res), { index: readIndex(req), attempt });
    const isFirst = await transact((tx) => finishIndex(tx, attemptRef, { queue }));
    if (isFirst) {
      observe?.phases?.(phases);
      if (processor_seconds !== undefined) observe?.processor?.(processor_seconds);
      await exportSpans(store.db, attemptRef.jobId, spans);
    }
    res.json({});
  });
}

type Reported = ScreenshotResults['results'][number];

/** The capture waits 15 seconds for the whole call. */
const PAGE_CHECK_MS = 5_000;

/** Failures lose the picture of their page if the artifact store does not have it or does not answer in time. */
async function withStoredPages(
  { artifacts, log }: InternalApiContext,
  results: readonly Reported[],
): Promise<Reported[]> {
  const reported = results.flatMap((result) => (result.status !== 'uploaded' && result.page) || []);
  const pages = new Map(reported.map((page) => [page.key, page]));
  const check = async (page: (typeof reported)[number]) => {
    try {
      await withDeadline(PAGE_CHECK_MS, requireUpload(artifacts, page));
    } catch (error) {
      pages.delete(page.key);
      log.warn({ screenshot_id: page.id, err: error }, 'failures are stored without the picture of their page');
    }
  };
  await Promise.all([...pages.values()].map(check));
  return results.map((result) =>
    result.status === 'uploaded' ? result : { ...result, page: pages.get(result.page?.key ?? '') ?? null },
  );
}

function animationFiles(result: Reported) {
  const animation = result.status === 'uploaded' ? result.animation : undefined;
  return animation ? ANIMATION_FORMATS.map((format) => [format, animation[format]] as const) : [];
}

function requireKeys(results: readonly Reported[], attempt: number): void {
  for (const result of results) {
    if (result.status !== 'uploaded') {
      const { page } = result;
      if (page && page.key !== withContent(pagePictureKey(page.id, attempt), page.sha256))
        throw new ResultFaultError(`${page.key} is not the key of the page of ${page.id} in attempt ${attempt}.`);
      continue;
    }
    if (result.key !== withContent(screenshotKey(result.id, attempt), result.sha256)) {
      throw new ResultFaultError(`${result.key} is not the key of screenshot ${result.id} in attempt ${attempt}.`);
    }
    for (const [format, { key, sha256 }] of animationFiles(result)) {
      if (key !== withContent(animationKey(result.id, attempt, format), sha256))
        throw new ResultFaultError(`${key} is not the key of the animation of ${result.id} in attempt ${attempt}.`);
    }
  }
}

/** No clock of a node is wrong by more than this. */
const MAX_CLOCK_ERROR_MS = 24 * 3_600_000;

function requireTimes(results: readonly Reported[]): void {
  for (const result of results) {
    if (result.status === 'uploaded' && Math.abs(Date.parse(result.captured_at) - Date.now()) > MAX_CLOCK_ERROR_MS) {
      throw new ResultFaultError(`Screenshot ${result.id} has an impossible time: ${result.captured_at}.`);
    }
  }
}

async function open(
  { transact, podDeadlineSeconds, leaseSeconds, locations }: InternalApiContext,
  transfers: Transfers,
  { jobId, index, pod, hosts }: { jobId: string; index: number; pod: string; hosts: boolean },
): Promise<Attempt> {
  const { opened, pages, isDone, hosting } = await transact(async (tx, resolving) => {
    const opened = await openAttempt(tx, { jobId, index, pod });
    if (opened === undefined) throw new NotFoundError(`There is no index ${index} of job ${jobId}.`);
    await expireClaims(tx, jobId, resolving);
    const setId = opened.job.set_id;
    const missing = setId === null || opened.settled ? [] : await missingScreenshots(tx, { setId, index });
    const placement = setId === null && !opened.settled ? await lockPendingPlacement(tx, jobId) : undefined;
    const access = missing.some((one) => one.page_access_id) ? await readPageAccess(tx, setId ?? '') : new Map();
    const files = await givenFiles(tx, missing, transfers);
    const found = [...pagesOf(missing, { access, locations, files }), ...(placement ? [pageOf(placement)] : [])];
    const named = found.flatMap(({ site_url }) => ruleHosts(site_url));
    const rules = named.length === 0 ? [] : await readRulesToApply(tx, opened.job.organization_id, named);
    const pages = found.map((page) => withRules(page, rules));
    const unresolved = opened.settled ? 0 : await countUnresolved(tx, jobId);
    const isDone = pages.length === 0 && unresolved === 0;
    const hosting = hosts && !isDone && (await startHosting(tx, opened, { index, leaseSeconds }));
    return { opened, pages, isDone, hosting };
  });
  const podDeadline = opened.now.getTime() + podDeadlineSeconds * 1000;
  return {
    attempt: opened.attempt,
    done: isDone,
    deadline_at: new Date(Math.min(podDeadline, opened.deadlineAt.getTime())).toISOString(),
    pages,
    hosting,
    page_pictures: true,
  };
}

const addressOf = (given: string) => ({ site_url: withScheme(given), may_use_http: !hasScheme(given) });

function pageOf({ id, site_url, device, sizes, image_ratio }: Row<'placements'>): WantedPage {
  return { ...addressOf(site_url), device, screenshots: [], placement: { id, sizes, image_ratio } };
}

/** A rule that was changed after the request applies as it is now. */
function withRules(page: WantedPage, all: readonly (AppliedRule & RulePages)[]): WantedPage {
  const device = findDevice(page.device);
  if (device === undefined) return page;
  const rules = rulesFor(all, { url: page.site_url, device: deviceGroup(device) });
  return rules.length === 0 ? page : { ...page, rules: rules.map(({ path: _path, device: _device, ...rule }) => rule) };
}

interface PageParts {
  readonly access: ReadonlyMap<string, PageAccess>;
  readonly locations: Locations | undefined;
  /** By the ids of their uploads. */
  readonly files: ReadonlyMap<string, WantedPage['given']>;
}

async function givenFiles(tx: Queryable, missing: readonly MissingScreenshot[], transfers: Transfers) {
  const ids = missing.flatMap(({ options }) => options?.given_page ?? []);
  const files = new Map<string, WantedPage['given']>();
  for (const { id, ...file } of ids.length === 0 ? [] : await readPageFiles(tx, ids))
    files.set(id, { ...file, url: await transfers.download(uploadKey(id)) });
  return files;
}

/** @returns one page for the screenshots with the same page and options of the page, in the order of the request. */
function pagesOf(missing: readonly MissingScreenshot[], { access, locations, files }: PageParts): WantedPage[] {
  const pages = new Map<string, WantedPage>();
  for (const { id, ad_id, marker_ms, options, site_url, site_key, device, page_access_id } of missing) {
    const { otherAds, location, group, givenPage } = optionsFromJson(options);
    const key = pageKey({ siteKey: site_key, device, otherAds, location, group, givenPage, accessId: page_access_id });
    const given = files.get(givenPage ?? '');
    const values = given ? undefined : access.get(page_access_id ?? '');
    const page: WantedPage = pages.get(key) ?? {
      ...addressOf(site_url),
      device,
      screenshots: [],
      ...(given && { given }),
      ...(location !== null && !given && { location: { id: location, profile: profileOf(locations, location) } }),
      ...(values && { access: { cookies: [...values.cookies], headers: [...values.headers] } }),
    };
    page.screenshots.push({ id, ad_id, marker_ms, options });
    pages.set(key, page);
  }
  return [...pages.values()];
}

function profileOf(locations: Locations | undefined, id: string) {
  const found = locations?.find(id);
  return found === undefined ? null : { ...found, languages: [...found.languages] };
}
