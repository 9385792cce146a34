/** Takes all pictures of one page. It opens the page once and places each ad as soon as its frames exist. */
import { PHASES, type Phase } from '../../contract/captureProtocol.ts';
import type { WantedLocation } from '../../contract/locations.ts';
import type { SlotsRecord } from '../../contract/placements.ts';
import type { RuleReport } from '../../contract/siteRules.ts';
import type { AdSize } from '../../domain/ads.ts';
import { filmOf, judgeSizes, noAnimation } from '../../domain/animations.ts';
import type { Device } from '../../domain/devices.ts';
import { LOCATION_UNAVAILABLE } from '../../domain/locations.ts';
import { namesOf, type PageAccess } from '../../domain/pageAccess.ts';
import type { OtherAds, PlacementOptions } from '../../domain/screenshotOptions.ts';
import { type AppliedRule, withAccessOf } from '../../domain/siteRules.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import { pictureMark, withMark } from '../../lib/pictureMark.ts';
import { type BackOffRange, backOffMs } from '../../lib/repeat.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { sleep } from '../../lib/sleep.ts';
import { TaskGroup } from '../../lib/taskGroup.ts';
import { type Span, withSpan } from '../../observe/tracing.ts';
import { type AnimationFiles, animate, whyNotAnimated } from '../compose/animation.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import { pngsOf } from '../creative/film.ts';
import { pictureOfFailure } from '../page/failedPage.ts';
import type { GivenFile } from '../page/givenPage.ts';
import { pageFault } from '../page/navigation.ts';
import type { AdFrame, ClosedPage, OpenPage, PagePicture, Picture, PlacementFailure } from '../page/page.ts';
import { type SlotReport, withSlotReport } from '../page/siteRules.ts';
import type { CreativeOutcome, CreativeOutcomes } from './creativeOutcomes.ts';
import { type Engine, EngineStartError } from './engine.ts';
import { type ProvenanceRecord, recordOfFailure, recordOfPicture, recordOfSlots } from './provenance.ts';

export interface WantedPicture {
  readonly id: string;
  readonly ad: string;
  readonly markerMs: number | null;
  readonly options: PlacementOptions;
}

/** A picture of the page without an ad, and its slots for ads of these sizes, CSS pixels. */
export interface WantedPlacement {
  readonly id: string;
  readonly sizes: readonly AdSize[];
  /** Pixels of the picture for each CSS pixel; fewer for a page that is too long. 1 unless given. */
  readonly image_ratio?: number;
}

/** The file that is shown as the page. */
export interface GivenPageOrder extends Pick<GivenFile, 'format'> {
  /** The id of the upload. */
  readonly id: string;
  readonly sha256: string;
  /** @returns undefined if the file is no longer stored. */
  read(): Promise<Buffer | undefined>;
}

export interface PageOrder {
  /** The URL that the browser opens. */
  readonly site: string;
  readonly device: Device;
  readonly otherAds: OtherAds;
  readonly location?: WantedLocation | undefined;
  readonly access?: PageAccess | undefined;
  /** The most specific first. */
  readonly rules?: readonly AppliedRule[] | undefined;
  readonly given?: GivenPageOrder | undefined;
  readonly mayUseHttp?: boolean | undefined;
  /** One picture shows all ads of the page. */
  readonly group?: string | null | undefined;
  readonly pictures: readonly WantedPicture[];
  readonly placement?: WantedPlacement | undefined;
}

export type PictureResult =
  | {
      readonly status: 'uploaded';
      readonly wanted: WantedPicture;
      readonly picture: Picture;
      readonly animation?: AnimationFiles | undefined;
      readonly record: ProvenanceRecord;
    }
  | {
      readonly status: ScreenshotFailure;
      readonly wanted: WantedPicture;
      readonly reason: string;
      readonly record: ProvenanceRecord;
      /** The page without the ad. Failures of one page have the same picture. */
      readonly page?: PagePicture | undefined;
    };

type FailedPicture = Exclude<PictureResult, { status: 'uploaded' }>;

export type PlacementResult =
  | {
      readonly status: 'uploaded';
      readonly wanted: WantedPlacement;
      readonly picture: PagePicture;
      readonly record: SlotsRecord;
    }
  | { readonly status: ScreenshotFailure; readonly wanted: WantedPlacement; readonly reason: string };

/** An ad whose frame exists. */
interface ReadyAd {
  readonly wanted: WantedPicture;
  readonly outcome: Extract<CreativeOutcome, { status: 'rendered' }>;
  readonly frame: AdFrame;
}

export interface PageTaskOptions {
  readonly engine: Pick<Engine, 'open' | 'restartPageBrowser' | 'memoryEndReason' | 'browserVersion'>;
  readonly outcomes: CreativeOutcomes;
  readonly phases: PhaseTimer;
  readonly log: Log;
  /** Opens a page whose location is unavailable again, until this time of `performance.now()`; not at all unless given. */
  readonly locationRetry?: { readonly until: number; readonly pause?: BackOffRange };
  /** Ends the task between two pictures. */
  readonly stop: AbortSignal;
  /** Called once for each picture. The task waits for it before the next picture. */
  readonly onResult: (result: PictureResult, page: PageOrder) => Promise<void>;
  /** The same for the placement of a page. */
  readonly onPlacement?: (result: PlacementResult, page: PageOrder) => Promise<void>;
}

/** The engine has shorter deadlines of its own. This one applies if it is stuck. */
const ENGINE_MS = 180_000;
const CLOSE_MS = 5_000;
/** The browser shows one ad at a time, but pictures are composed and compressed at the same time. */
const MAX_PLACEMENTS = 3;
/** A page that is lost is opened again in another browser, until it was lost in three. */
const MAX_OPENINGS = 3;
/** Between two openings of a page whose location is unavailable. */
const LOCATION_PAUSE: BackOffRange = { firstMs: 2_000, maxMs: 30_000 };

/** The page is lost: its browser crashed or is stuck, or another open page may have slowed it down. */
export class PageLostError extends Error {}

export class PageTask {
  /** True if another page was open in the same browser. That page may have caused a failure. */
  sharedBrowser = false;
  readonly page: PageOrder;
  readonly #tools: PageTaskOptions;
  readonly #left: Map<string, WantedPicture>;
  #placement: WantedPlacement | undefined;
  #finalUrl: string | null = null;
  #exitAddress: string | null = null;
  #ruleReports: readonly RuleReport[] = [];
  #openings = 0;
  #postponements = 0;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(page: PageOrder, tools: PageTaskOptions) {
    this.page = page;
    this.#tools = tools;
    this.#placement = page.placement;
    this.#left = new Map(page.pictures.map((picture) => [picture.id, picture]));
  }

  get isDone(): boolean {
    return this.#left.size === 0 && this.#placement === undefined;
  }

  /** A failure in a shared browser does not count as a try. */
  get isLastTry(): boolean {
    return !this.sharedBrowser && this.#openings >= MAX_OPENINGS;
  }

  /** Waits until a postponed page may be opened again. @throws the reason of `stop`. */
  async untilDue(): Promise<void> {
    const ms = this.#dueAt - performance.now();
    if (ms > 0) await sleep(ms, this.#tools.stop);
  }

  /**
   * The page is not done afterwards if it was postponed.
   * @throws PageLostError, EngineStartError, the reason of `stop`, and errors of `onResult` and of downloads.
   */
  async run(): Promise<void> {
    this.#tools.stop.throwIfAborted();
    this.#openings += 1;
    try {
      await this.#takePictures();
    } catch (error) {
      if (error instanceof PageLostError && this.sharedBrowser) this.#openings -= 1;
      throw error;
    }
  }

  #takePictures(): Promise<void> {
    const { site, device } = this.page;
    const attributes = {
      'server.address': URL.parse(site)?.hostname,
      'tearsheet.device': device.name,
      'tearsheet.opening': this.#openings,
    };
    return withSpan('page', { attributes }, (span) => this.#takeIn(span));
  }

  async #takeIn(span: Span): Promise<void> {
    const page = await this.#open();
    this.#finalUrl = page.finalUrl;
    this.#exitAddress = page.exitAddress ?? null;
    this.#ruleReports = page.ruleReports ?? [];
    if (page.status !== 'ready') {
      span.fail(page.status);
      if (this.#postpone(page)) return;
      return this.#failAll(this.#requireReliable(page));
    }
    for (const phase of PHASES) {
      const ms = page.phases[phase];
      if (ms !== undefined) this.#tools.phases.add(phase, ms);
    }
    try {
      if (this.#placement !== undefined) await this.#showSlots(page, this.#placement);
      await this.#placeAll(page);
    } finally {
      await this.#close(page);
    }
  }

  /** The proxy of a location may be away for a moment. @returns whether the page is opened again later. */
  #postpone({ reason }: ClosedPage): boolean {
    const { locationRetry, log } = this.#tools;
    const { site, location } = this.page;
    if (locationRetry === undefined || !location?.profile || !reason.startsWith(LOCATION_UNAVAILABLE)) return false;
    const dueAt = performance.now() + backOffMs(this.#postponements + 1, locationRetry.pause ?? LOCATION_PAUSE);
    if (dueAt > locationRetry.until) return false;
    this.#postponements += 1;
    this.#openings -= 1;
    this.#dueAt = dueAt;
    log.info({ site, location: location.id, reason }, 'the location of a page is unavailable; reopening the page');
    return true;
  }

  failRest(reason: string): Promise<void> {
    return this.#failAll({ status: 'generic_error', reason, candidates: [] });
  }

  async #open(): Promise<OpenPage | ClosedPage> {
    const { engine, stop } = this.#tools;
    const { site, device, otherAds, location, rules = [], given: file, mayUseHttp } = this.page;
    // The scripts of a given page get no secrets.
    const access = file ? undefined : withAccessOf(rules, this.page.access);
    if (location?.profile === null) return notOffered(site, location.id);
    const bytes = await file?.read();
    if (file && bytes === undefined) return fileIsGone(site);
    const given = file && bytes && { format: file.format, bytes };
    const options = { signal: stop, otherAds, location: location?.profile, access, rules, given, mayUseHttp };
    return this.#orPageLost(() => engine.open(site, device, options));
  }

  async #showSlots(page: OpenPage, wanted: WantedPlacement): Promise<void> {
    const judge = async (size: AdSize) => ({
      size,
      candidates: await page.judge(size),
      ofRule: await page.slotOfRule?.(size),
    });
    const work = async () => ({
      judged: await Promise.all(wanted.sizes.map(judge)),
      picture: await page.capture({ ratio: wanted.image_ratio }),
    });
    const { judged, picture } = await this.#orPageLost(work);
    const ruleReports = this.#ruleReports;
    const record = recordOfSlots({ finalUrl: page.finalUrl, page: picture.page, judged, ruleReports });
    await this.#reportPlacement({ status: 'uploaded', wanted, picture, record });
  }

  async #reportPlacement(result: PlacementResult): Promise<void> {
    this.#placement = undefined;
    await this.#tools.onPlacement?.(result, this.page);
  }

  /** The picture of a page without a slot is taken once, after the ads: taking it may move the slots of the page. */
  async #placeAll(page: OpenPage): Promise<void> {
    const { stop, log } = this.#tools;
    const withoutSlot: FailedPicture[] = [];
    const reportAll = async (picture?: PagePicture) => {
      for (const failure of withoutSlot.splice(0)) await this.#report({ ...failure, page: picture });
    };
    let stopped: Promise<unknown> = Promise.resolve();
    // A capture that stops has little time left. An error is thrown below.
    const reportNow = () => {
      stopped = reportAll();
      stopped.catch(() => undefined);
    };
    stop.addEventListener('abort', reportNow);
    let picture: PagePicture | undefined;
    try {
      if (this.page.group) await this.#placeGroup(page, withoutSlot);
      else await this.#placeEach(page, withoutSlot);
      if (withoutSlot.length > 0 && !stop.aborted)
        picture = await pictureOfFailure((largest) => page.capture({ largest }), { site: this.page.site, log });
    } finally {
      stop.removeEventListener('abort', reportNow);
      await stopped;
      await reportAll(picture);
    }
  }

  /** Reports all but those for which the page has no slot. */
  async #placeEach(page: OpenPage, withoutSlot: FailedPicture[]): Promise<void> {
    const todo = new Map(this.#left);
    const placing = new TaskGroup(MAX_PLACEMENTS);
    try {
      while (todo.size > 0) {
        const ads = new Set([...todo.values()].map(({ ad }) => ad));
        const [ad, outcome] = await this.#tools.outcomes.waitForFirst([...ads], this.#tools.stop);
        for (const picture of [...todo.values()].filter((one) => one.ad === ad)) {
          this.#tools.stop.throwIfAborted();
          todo.delete(picture.id);
          await placing.add(async () => {
            const result = await this.#picture(page, picture, outcome);
            if (result.status === 'no_slots' && !this.#tools.stop.aborted) withoutSlot.push(result);
            else await this.#report(result);
          });
        }
      }
    } finally {
      await placing.drain();
    }
  }

  /** Reports all but those for which the page has no slot. Those in the picture have the same PNG. */
  async #placeGroup(page: OpenPage, withoutSlot: FailedPicture[]): Promise<void> {
    const { stop, phases } = this.#tools;
    const ready: ReadyAd[] = [];
    for (const wanted of [...this.#left.values()]) {
      const [, outcome] = await this.#tools.outcomes.waitForFirst([wanted.ad], stop);
      const frame = await this.#frameOf(wanted, outcome);
      if ('reason' in frame) await this.#report(this.#failed(wanted, frame));
      else ready.push(frame);
    }
    const ads = ready.map(({ wanted: { options }, frame }) => ({ frame, options }));
    const placed = await phases.time('place', async () =>
      (await this.#orPageLost(() => page.placeTogether(ads))).map((one) => this.#requirePage(one)),
    );
    const first = ready.find((_, index) => placed[index]?.status === 'uploaded');
    const xmp = pictureMark(first?.wanted.id ?? '');
    for (const [index, ad] of ready.entries()) {
      const one = placed[index];
      if (one === undefined) throw new PageLostError('the page gave no result for an ad of its group');
      const result =
        one.status === 'uploaded'
          ? await this.#taken(ad, one, xmp)
          : this.#failed(ad.wanted, { ...one, frame: ad.frame });
      if (result.status === 'no_slots' && !stop.aborted) withoutSlot.push(result);
      else await this.#report(result);
    }
  }

  #picture(page: OpenPage, wanted: WantedPicture, outcome: CreativeOutcome): Promise<PictureResult> {
    const attributes = { 'tearsheet.screenshot_id': wanted.id, 'tearsheet.ad_id': wanted.ad };
    return withSpan('picture', { attributes }, async (span) => {
      const result = await this.#take(page, wanted, outcome);
      if (result.status !== 'uploaded') span.fail(result.status);
      return result;
    });
  }

  async #take(page: OpenPage, wanted: WantedPicture, outcome: CreativeOutcome): Promise<PictureResult> {
    const ready = await this.#frameOf(wanted, outcome);
    if ('reason' in ready) return this.#failed(wanted, ready);
    const { frame } = ready;
    const placed = await this.#tools.phases.time('place', async () =>
      this.#requirePage(await this.#orPageLost(() => page.place(frame, wanted.options))),
    );
    if (placed.status !== 'uploaded') return this.#failed(wanted, { ...placed, frame });
    return this.#taken(ready, placed, pictureMark(wanted.id));
  }

  async #frameOf(wanted: WantedPicture, outcome: CreativeOutcome): Promise<ReadyAd | PlacementFailure> {
    if (outcome.status === 'failed') return notCaptured(outcome.reason);
    const { ratio } = this.page.device;
    const frame = await outcome.frame(wanted.markerMs, ratio);
    if (frame === undefined) return notCaptured(noFrame(wanted.markerMs, ratio));
    return { wanted, outcome, frame: { ...frame, isVideo: outcome.isVideo } };
  }

  /** @param xmp the mark for the files. */
  async #taken({ wanted, outcome, frame }: ReadyAd, placed: Picture, xmp: string): Promise<PictureResult> {
    const picture = { ...placed, png: withMark(placed.png, xmp) };
    const animated = await this.#animate(wanted, { ...placed, xmp }, outcome);
    const warnings = [...outcome.warnings, ...placed.warnings, ...animated.warnings];
    const taken = { picture, sha256: sha256Of(picture.png), frame, creativeMode: outcome.mode, warnings };
    const record = recordOfPicture(this.#context(wanted, placed.slotReport), taken);
    return { status: 'uploaded', wanted, picture, animation: animated.animation, record };
  }

  /** Never fails the picture: without an animation, a warning says why. */
  async #animate(
    { options: { animation } }: WantedPicture,
    picture: Picture & { xmp: string },
    outcome: Extract<CreativeOutcome, { status: 'rendered' }>,
  ): Promise<{ animation?: AnimationFiles; warnings: readonly Warning[] }> {
    if (animation === null) return { warnings: [] };
    if (this.page.group) return { warnings: [noAnimation('the picture of a group shows each ad at one moment.')] };
    const { ratio } = this.page.device;
    const film = await outcome.film(filmOf(animation, ratio));
    if (film === undefined || 'reason' in film)
      return { warnings: [noAnimation(film?.reason ?? 'its frames were not rendered.')] };
    const { phases } = this.#tools;
    try {
      const made = await phases.time('place', () =>
        animate({ ...picture, ratio }, { ...film, pngs: pngsOf(film.pngs) }),
      );
      const { isKept, warnings } = judgeSizes({ webp: made.webp.bytes.length, gif: made.gif.bytes.length });
      return isKept ? { animation: made, warnings } : { warnings };
    } catch (error) {
      return { warnings: [noAnimation(whyNotAnimated(error))] };
    }
  }

  /** @throws PageLostError if the failure is that of the page, so that neither the ad nor the slots are the reason. */
  #requirePage(placed: Picture | PlacementFailure): Picture | PlacementFailure {
    if (placed.status === 'uploaded') return placed;
    if (placed.status === 'generic_error') throw new PageLostError(placed.reason);
    return this.#requireReliable(placed);
  }

  /** @throws PageLostError if the failure is a timeout that another open page may have caused. */
  #requireReliable<T extends PlacementFailure>(failure: T): T {
    if (failure.timedOut && this.sharedBrowser) throw new PageLostError(failure.reason);
    return failure;
  }

  async #failAll(failure: PlacementFailure & Pick<ClosedPage, 'picture'>): Promise<void> {
    const { status, reason, picture: page } = failure;
    if (this.#placement !== undefined) await this.#reportPlacement({ status, wanted: this.#placement, reason });
    for (const wanted of [...this.#left.values()]) await this.#report({ ...this.#failed(wanted, failure), page });
  }

  #failed(wanted: WantedPicture, failure: PlacementFailure & { frame?: CreativeFrame }): FailedPicture {
    const { status, reason, candidates, frame, slotReport } = failure;
    const record = recordOfFailure(this.#context(wanted, slotReport), { at: new Date(), reason, candidates, frame });
    return { status, wanted, reason, record };
  }

  #context({ markerMs, options }: WantedPicture, slotReport: SlotReport | undefined) {
    const { site, device, otherAds, location, access, group = null, given } = this.page;
    const browserVersion = this.#tools.engine.browserVersion ?? null;
    return {
      requestedUrl: site,
      finalUrl: this.#finalUrl,
      device,
      markerMs,
      options: {
        ...options,
        otherAds,
        location: location?.id ?? null,
        access: namesOf(access ?? null),
        group,
        givenPage: given?.id ?? null,
      },
      location: location?.profile ?? null,
      exitAddress: this.#exitAddress,
      ruleReports: withSlotReport(this.#ruleReports, slotReport),
      browserVersion,
      givenPage: given && { format: given.format, sha256: given.sha256 },
    };
  }

  async #report(result: PictureResult): Promise<void> {
    this.#left.delete(result.wanted.id);
    await this.#tools.onResult(result, this.page);
  }

  async #orPageLost<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await withDeadline(ENGINE_MS, work());
      // After a stop, the result does not describe the page.
      this.#tools.stop.throwIfAborted();
      return result;
    } catch (error) {
      this.#tools.stop.throwIfAborted();
      if (error instanceof EngineStartError) throw error;
      throw new PageLostError(pageFault(error), { cause: error });
    }
  }

  async #close(page: OpenPage): Promise<void> {
    try {
      await withDeadline(CLOSE_MS, page.close());
    } catch (error) {
      this.#tools.log.warn({ site: this.page.site, err: error }, 'a page could not be closed');
    }
  }
}

/** The operator removed the location after the request. */
function notOffered(finalUrl: string, id: string): ClosedPage {
  const reason = `${LOCATION_UNAVAILABLE}: the operator no longer offers the location ${id}.`;
  return { status: 'generic_error', reason, candidates: [], finalUrl };
}

function fileIsGone(finalUrl: string): ClosedPage {
  const reason = 'The file that was given as the page is no longer stored. Upload it again.';
  return { status: 'generic_error', reason, candidates: [], finalUrl };
}

function notCaptured(reason: string): PlacementFailure {
  return { status: 'ad_not_captured', reason, candidates: [] };
}

function noFrame(markerMs: number | null, ratio: number): string {
  const moment = markerMs === null ? 'the default marker' : `${markerMs / 1000} s`;
  return `The ad has no frame at ${moment} and pixel ratio ${ratio}.`;
}

/** Adds up the time of each phase. Phases that run at the same time all count in full. */
export class PhaseTimer {
  readonly #ms = new Map<Phase, number>();

  add(phase: Phase, ms: number): void {
    this.#ms.set(phase, (this.#ms.get(phase) ?? 0) + ms);
  }

  /** Measures `work`, even if it fails. @returns its result. */
  async time<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await withSpan(phase, {}, work);
    } finally {
      this.add(phase, performance.now() - start);
    }
  }

  seconds(): Record<string, number> {
    return Object.fromEntries([...this.#ms].map(([phase, ms]) => [phase, Math.round(ms) / 1000]));
  }
}
