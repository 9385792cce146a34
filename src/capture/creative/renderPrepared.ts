import type { CreativeFacts } from '../../contract/creativeFacts.ts';
import { frameTimes } from '../../domain/animations.ts';
import type { Warning } from '../../domain/warnings.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { secondsText } from '../../lib/secondsText.ts';
import type { BrowserProcess } from '../browser/browserProcess.ts';
import { RenderingBlockedError } from '../browser/cdp.ts';
import type { FailedRequest, NetworkBudget } from '../browser/requests.ts';
import { SteppedPage } from '../browser/steppedPage.ts';
import {
  CreativeError,
  type CreativeFilm,
  type CreativeFrame,
  checkedSize,
  type RenderedCreative,
  type RenderRequest,
  requireSuccess,
  type Size,
  sizeText,
} from './creative.ts';
import { measurePage, whiteEdge } from './creativeFacts.ts';
import { checkedAgainstLayout, contradicts, cutOff, type SizeDecision, sizeOfLayout } from './decideSize.ts';
import { filmFrom, withoutFilms } from './film.ts';
import { LateFrameError } from './frameGrid.ts';
import { imageFault } from './imageFault.ts';
import { barsOf } from './imageSize.ts';
import { isOwnFile, LoadWarnings, readableAddress } from './loadWarnings.ts';
import { blanknessOf, PROBE_VIEWPORT, readImages, showsAnything, whyNothingIsShown } from './measure.ts';
import { showsOnlyPreloader } from './preloader.ts';
import type { PreparedCreative, PreparedPage, PreparedStill, PreparedVideo } from './prepare.ts';
import {
  type FramesByMarker,
  readVideo,
  renderPageFrames,
  renderVideoFilm,
  renderVideoFrames,
  waitUntilStill,
} from './renderPage.ts';
import { readShownLayout, type ShownLayout } from './shownLayout.ts';
import { STAND_INS } from './standIns.ts';
import { renderStill } from './stillImage.ts';

export interface RenderTools {
  /** Runs `work` with a browser that no other creative uses. */
  readonly use: <T>(work: (browser: BrowserProcess) => Promise<T>) => Promise<T>;
  /** Fetches a URL again to find out why it did not load. */
  readonly fetchAgain: (url: string) => Promise<unknown>;
  readonly userAgent: string;
  readonly networkBudgetMs: number;
  /** The deadline of the creative, as `performance.now()` tells it. */
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

/** Checking more would take too long. */
const MAX_CHECKED_IMAGES = 100;

/** Real time for the films of one creative. */
const MAX_FILMS_MS = 30_000;
/** Real time for the facts of one creative. */
const MAX_FACTS_MS = 30_000;
/** The deadline of the creative must not pass while its films are rendered. */
const SPARE_MS = 2_000;

type Pass = (page: SteppedPage, markers: readonly (number | null)[]) => Promise<FramesByMarker>;

/** Renders all frames of a creative. @throws CreativeError, RenderingBlockedError, BrowserGoneError. */
export function renderPrepared(
  creative: PreparedCreative,
  request: RenderRequest,
  tools: RenderTools,
): Promise<RenderedCreative> {
  switch (creative.kind) {
    case 'still':
      return withFacts(creative, request, () => renderStillFrames(creative, request));
    case 'page':
      return tools.use((browser) => {
        const rendering = new BrowserRendering(browser, request, tools);
        const measure = (size: Size) => rendering.facts(creative, size);
        return withFacts(creative, request, () => rendering.page(creative), measure);
      });
    case 'video':
      return tools.use((browser) =>
        withFacts(creative, request, () => new BrowserRendering(browser, request, tools).video(creative)),
      );
  }
}

/** @param measure of a page. Its failure costs no picture. */
async function withFacts(
  creative: PreparedCreative,
  request: RenderRequest,
  render: () => Promise<RenderedCreative>,
  measure: (size: Size) => Promise<CreativeFacts['page']> = async () => null,
): Promise<RenderedCreative> {
  const rendered = await render();
  if (request.wantsFacts !== true) return rendered;
  await request.onFrames?.(rendered);
  const png = rendered.frames.at(-1)?.png;
  const facts = {
    file_bytes: creative.fileBytes ?? null,
    white_edge: png === undefined ? null : await whiteEdge(png),
    animation: (creative.kind === 'page' && creative.animation) || null,
    page: await measure(rendered),
  };
  return { ...rendered, facts };
}

async function renderStillFrames(
  { format, bytes, size, warnings = [] }: PreparedStill,
  request: RenderRequest,
): Promise<RenderedCreative> {
  const frames: CreativeFrame[] = [];
  for (const ratio of new Set(request.ratios)) {
    const png = await renderStill(bytes, size, ratio);
    for (const markerMs of markersAt(request, ratio)) frames.push({ markerMs, ratio, png, ...size });
  }
  const films = withoutFilms(request, 'the ad is a still picture.');
  return {
    status: 'uploaded',
    format,
    category: 'display',
    ...size,
    frames,
    films,
    mode: 'still',
    notes: [],
    warnings,
  };
}

/** The markers at which the creative is needed at this pixel ratio, each once. */
function markersAt({ markers, isWanted = () => true }: RenderRequest, ratio: number): (number | null)[] {
  return [...new Set(markers)].filter((markerMs) => isWanted(markerMs, ratio));
}

/** @returns the declared size. If the file has another aspect ratio, its own size. */
function sizeOfVideo(file: Size, declared: Size | undefined): Size {
  const alike = declared && Math.abs(declared.width / declared.height - file.width / file.height) < 0.05;
  return alike ? declared : { width: file.width, height: file.height };
}

/** How a page is opened. */
interface View {
  readonly size: Size;
  readonly ratio: number;
  /** True if the creative is in an iframe of the page. */
  readonly framed: boolean;
}

interface ShownPage {
  readonly frames: CreativeFrame[];
  /** Undefined if no frame was rendered. */
  readonly layout: ShownLayout | undefined;
}

class BrowserRendering {
  readonly #browser: BrowserProcess;
  readonly #request: RenderRequest;
  readonly #tools: RenderTools;
  readonly #notes = new Set<string>();
  readonly #networkBudget: NetworkBudget;
  readonly #loadWarnings = new LoadWarnings();
  readonly #warnings: Warning[] = [];
  /** By URL; '' for an image without a fault. */
  readonly #imageFaults = new Map<string, string>();
  #clock: 'stepped' | 'wall' = 'stepped';
  #looksAtEachFrame = false;
  /** All passes start at the same whole second. */
  readonly #startDate = Math.floor(Date.now() / 1000) * 1000;

  constructor(browser: BrowserProcess, request: RenderRequest, tools: RenderTools) {
    this.#browser = browser;
    this.#request = request;
    this.#tools = tools;
    this.#networkBudget = { leftMs: tools.networkBudgetMs, hung: new Map() };
  }

  async page(creative: PreparedPage): Promise<RenderedCreative> {
    const [declared] = creative.claims.declared;
    const given = this.#request.size && { size: this.#request.size, from: 'the request', warnings: [] };
    const first = given ?? (declared && { ...declared, warnings: [] }) ?? (await this.#measured(creative));
    const shown = await this.#pageFrames(creative, first.size);
    const mustMeasure = declared !== undefined && given === undefined && shown.layout && contradicts(shown.layout);
    if (!mustMeasure || creative.format === 'image') return this.#pageResult(creative, first, shown);
    const { layout } = await this.#probe(creative);
    const decision = layout ? checkedAgainstLayout(declared, layout, creative.claims) : first;
    const isOther = decision.size.width !== first.size.width || decision.size.height !== first.size.height;
    return this.#pageResult(creative, decision, isOther ? await this.#pageFrames(creative, decision.size) : shown);
  }

  async #pageResult(creative: PreparedPage, { size, from, warnings }: SizeDecision, { frames, layout }: ShownPage) {
    if (from !== 'the image') this.#notes.add(`Size ${sizeText(size)}: ${from}.`);
    this.#warnings.push(...warnings);
    const cut = creative.format === 'image' ? undefined : cutOff(size, layout, from === 'the request');
    if (cut !== undefined && warnings.every(({ code }) => code !== 'size_conflict')) this.#warnings.push(cut);
    const view = { size: checkedSize(size), framed: creative.framed };
    const films = this.#films(creative.open(view.size), view, async (page, markers) => {
      const options = { looksAtEachFrame: this.#looksAtEachFrame, isImage: creative.format === 'image' };
      return (await renderPageFrames(page, markers, { ...options, isLoading: async () => false })).pictures;
    });
    return this.#result(creative, view.size, { frames, films: await films });
  }

  /** The frames at a size, and what the creative shows in it. */
  async #pageFrames(creative: PreparedPage, wanted: Size): Promise<ShownPage> {
    const size = checkedSize(wanted);
    let layout: ShownLayout | undefined;
    let restingMs: number | undefined;
    const frames = await this.#frames(creative.open(size), { size, framed: creative.framed }, async (page, markers) => {
      const taken = await renderPageFrames(page, markers, {
        looksAtEachFrame: this.#looksAtEachFrame,
        isImage: creative.format === 'image',
        restingMs,
        isLoading: () => showsOnlyPreloader(page),
      });
      const { pictures } = taken;
      restingMs ??= taken.restingMs;
      layout ??= await page.inCreative(readShownLayout);
      await this.#loadWarnings.addTextOf(page);
      await this.#checkMainResource(creative, page);
      await this.#checkImages(page, layout);
      await this.#checkBlankFrames(creative, page, { pictures, layout });
      return pictures;
    });
    return { frames, layout };
  }

  async video(creative: PreparedVideo): Promise<RenderedCreative> {
    const view = { size: { width: 16, height: 16 }, framed: false, ratio: 1 };
    const facts = await this.#pass(`${creative.address}?16x16`, view, readVideo);
    this.#warnings.push(...barsOf(facts, this.#request.size));
    const size = checkedSize(this.#request.size ?? sizeOfVideo(facts, creative.declared));
    const address = `${creative.address}?${size.width}x${size.height}`;
    const frames = await this.#frames(address, { size, framed: false }, renderVideoFrames);
    const films = await this.#films(address, { size, framed: false }, renderVideoFilm);
    return this.#result(creative, size, { frames, films });
  }

  /** @throws if the only resource of the creative did not load. Fetching it again tells why. */
  async #checkMainResource({ main }: PreparedPage, page: SteppedPage): Promise<void> {
    const outcome = main === undefined ? undefined : page.requests.outcomeOf(main);
    if (main === undefined || outcome === undefined || ('status' in outcome && outcome.status < 400)) return;
    await this.#tools.fetchAgain(main);
    const why = 'status' in outcome ? `status ${outcome.status}` : outcome.error;
    throw new CreativeError(`${main} did not load in the browser (${why}).`);
  }

  #result(
    { format, kind, warnings = [] }: PreparedCreative,
    size: Size,
    { frames, films }: { frames: CreativeFrame[]; films: readonly CreativeFilm[] },
  ): RenderedCreative {
    const category = kind === 'video' ? 'video' : 'display';
    const { markers, ratios } = this.#request;
    frames.sort(
      (a, b) =>
        ratios.indexOf(a.ratio) - ratios.indexOf(b.ratio) || markers.indexOf(a.markerMs) - markers.indexOf(b.markerMs),
    );
    return {
      status: 'uploaded',
      format,
      category,
      ...size,
      frames,
      films,
      mode: this.#clock,
      notes: [...this.#notes],
      warnings: [...warnings, ...this.#warnings, ...this.#loadWarnings.list()],
    };
  }

  /** Records the files that did not load. @throws CreativeError if nothing but broken images is visible. */
  async #checkImages(page: SteppedPage, layout: ShownLayout | undefined): Promise<void> {
    const outcome = { error: 'the server did not answer in time' };
    const hung = [...this.#networkBudget.hung].map(([url, type]) => ({ url, type, outcome }));
    const failures = [...page.requests.failures, ...hung];
    const urls = [...failures.map(({ url }) => url), ...page.requests.imageUrls()];
    const { broken, shown } = (await page.inCreative(readImages, urls)) ?? { broken: [], shown: [] };
    this.#loadWarnings.add([...failures, ...(await this.#damagedImages(page, shown))], shown);
    const [first] = broken;
    if (first === undefined) return;
    for (const image of broken) this.#notes.add(`An image did not load: ${readableAddress(image)}`);
    if (showsAnything(layout)) return;
    const answer = page.requests.outcomeOf(first);
    if (answer !== undefined && 'status' in answer) requireSuccess(answer.status, first);
    throw new CreativeError(`The creative shows only an image that is missing or damaged: ${readableAddress(first)}`);
  }

  /** @returns the images that the page shows, or that the zip has, and that are none. The server answered them with success. */
  async #damagedImages(page: SteppedPage, shown: readonly string[]): Promise<FailedRequest[]> {
    const urls = page.requests.imageUrls().filter((url) => shown.includes(url) || isOwnFile(url));
    const damaged: FailedRequest[] = [];
    for (const url of urls.slice(0, MAX_CHECKED_IMAGES)) {
      let fault = this.#imageFaults.get(url);
      if (fault === undefined) {
        const image = await page.requests.imageBytes(url);
        fault = (image && (await imageFault(image))) ?? '';
        this.#imageFaults.set(url, fault);
      }
      if (fault !== '') damaged.push({ url, type: 'Image', outcome: { error: fault } });
    }
    return damaged;
  }

  /** @throws CreativeError if the creative shows nothing. */
  async #checkBlankFrames(
    creative: PreparedPage,
    page: SteppedPage,
    { pictures, layout }: { pictures: FramesByMarker; layout: ShownLayout | undefined },
  ): Promise<void> {
    const blankness = await blanknessOf(page, pictures, layout);
    if (blankness === 'shown') return;
    const [hung] = this.#networkBudget.hung.keys();
    if (hung !== undefined)
      throw new CreativeError(`The creative shows nothing: ${hung} did not answer in time.`, {
        status: 'net_read_timeout',
      });
    if (blankness !== 'white' && creative.format !== 'image') throw new CreativeError(blankness.reason);
    this.#notes.add('All frames are white.');
  }

  async #measured(creative: PreparedPage): Promise<SizeDecision> {
    const { layout, whyNothing } = await this.#probe(creative);
    const decision = layout && sizeOfLayout(layout, creative.claims);
    if (decision === undefined) throw new CreativeError(whyNothing);
    return decision;
  }

  /** The layout of the creative in a frame of an uncommon size, and the reason in case that it shows nothing. */
  async #probe(creative: PreparedPage): Promise<{ layout: ShownLayout | undefined; whyNothing: string }> {
    const view = { size: PROBE_VIEWPORT, framed: creative.framed, ratio: 1 };
    return this.#pass(creative.open(PROBE_VIEWPORT), view, async (page) => {
      await waitUntilStill(page);
      const layout = await page.inCreative(readShownLayout);
      await this.#checkMainResource(creative, page);
      await this.#checkImages(page, layout);
      return { layout, whyNothing: whyNothingIsShown(page) };
    });
  }

  /** One pass for each ratio. */
  async #frames(address: string, view: Omit<View, 'ratio'>, pass: Pass): Promise<CreativeFrame[]> {
    const frames: CreativeFrame[] = [];
    for (const ratio of new Set(this.#request.ratios)) {
      const markers = markersAt(this.#request, ratio);
      if (markers.length === 0) continue;
      const pictures = await this.#pass(address, { ...view, ratio }, (page) => pass(page, markers));
      for (const [markerMs, png] of pictures) frames.push({ markerMs, ratio, png, ...view.size });
    }
    return frames;
  }

  /**
   * One more pass for each ratio, after all frames, so that a film that fails or takes too long costs no picture.
   * @throws only the reason of the signal.
   */
  async #films(address: string, view: Omit<View, 'ratio'>, pass: Pass): Promise<CreativeFilm[]> {
    const { films: wanted = [] } = this.#request;
    if (wanted.length === 0) return [];
    if (this.#clock === 'wall')
      return withoutFilms(this.#request, 'the ad runs only in real time, so its frames would not be exact.');
    const inTime = this.#inTime(MAX_FILMS_MS);
    const made: CreativeFilm[] = [];
    for (const [ratio, films] of Map.groupBy(wanted, (film) => film.ratio)) {
      const moments = [...new Set(films.flatMap(frameTimes))].toSorted((a, b) => a - b);
      const take = async (signal: AbortSignal) => {
        const taken = (page: SteppedPage) => page.navigate(address).then(() => pass(page, moments));
        const pictures = await this.#withPage({ ...view, ratio }, taken, signal);
        return Promise.all(films.map((film) => filmFrom(film, pictures)));
      };
      const fail = (why: string, isLate: boolean) => {
        const reason = isLate ? `its frames were not rendered ${why}` : `its frames could not be rendered: ${why}`;
        return films.map((film) => ({ ...film, reason }));
      };
      made.push(...(await inTime(take, fail)));
    }
    return made;
  }

  /** Measures the creative in one more pass, at the pixel ratio 1. */
  async facts(creative: PreparedPage, size: Size): Promise<CreativeFacts['page']> {
    if (creative.format === 'image') return null;
    const take = (signal: AbortSignal, endsAt: number): Promise<CreativeFacts['page']> => {
      const options = { creative, size, looksAtEachFrame: this.#looksAtEachFrame, endsAt };
      return this.#withPage({ size, ratio: 1, framed: creative.framed }, (page) => measurePage(page, options), signal);
    };
    const fail = (why: string, isLate: boolean) => ({ not_measured: isLate ? `the ad was not measured ${why}` : why });
    // A longer deadline of the creative, for a busy machine, is for the facts too.
    const leftMs = this.#tools.endsAt - performance.now();
    return this.#inTime(Math.max(MAX_FACTS_MS, leftMs / 2))(take, fail);
  }

  /** @returns a function that runs passes until a deadline, each again if it has to look at each frame. @throws only the reason of the signal. */
  #inTime(maxMs: number) {
    const leftMs = Math.max(0, Math.min(maxMs, this.#tools.endsAt - performance.now() - SPARE_MS));
    // Node takes whole milliseconds only.
    const deadline = AbortSignal.timeout(Math.floor(leftMs));
    const signal = AbortSignal.any([this.#tools.signal, deadline]);
    const endsAt = performance.now() + leftMs;
    type Take<T> = (signal: AbortSignal, endsAt: number) => Promise<T>;
    return async <T>(take: Take<T>, fail: (why: string, isLate: boolean) => T) => {
      try {
        return await take(signal, endsAt).catch((error: unknown) => {
          if (!(error instanceof LateFrameError) || this.#looksAtEachFrame) throw error;
          this.#looksAtEachFrame = true;
          return take(signal, endsAt);
        });
      } catch (error) {
        this.#tools.signal.throwIfAborted();
        return deadline.aborted ? fail(`within ${secondsText(leftMs)}.`, true) : fail(errorMessage(error), false);
      }
    };
  }

  /**
   * Opens a page for one pass. If the page requests a frame that was skipped, opens it again to look at each frame. If stepped
   * time makes no progress, opens it again in real time.
   */
  async #pass<T>(address: string, view: View, work: (page: SteppedPage) => Promise<T>): Promise<T> {
    const opened = (page: SteppedPage) => page.navigate(address).then(() => work(page));
    try {
      return await this.#withPage(view, opened);
    } catch (error) {
      if (error instanceof LateFrameError && !this.#looksAtEachFrame) {
        this.#looksAtEachFrame = true;
        return this.#pass(address, view, work);
      }
      if (!(error instanceof RenderingBlockedError && error.kind === 'stuck') || this.#clock === 'wall') throw error;
      this.#clock = 'wall';
      const message = 'Rendered in real time: the creative made no progress in stepped time.';
      this.#notes.add(message);
      this.#warnings.push({ code: 'real_time', message: `${message} Its moments are approximate.` });
      return this.#withPage(view, opened);
    }
  }

  async #withPage<T>(
    view: View,
    work: (page: SteppedPage) => Promise<T>,
    signal: AbortSignal = this.#tools.signal,
  ): Promise<T> {
    const { size, ratio, framed } = view;
    const { userAgent } = this.#tools;
    const page = await SteppedPage.open(this.#browser, {
      ...size,
      ratio,
      framed,
      userAgent,
      clock: this.#clock,
      networkBudget: this.#networkBudget,
      startDate: this.#startDate,
      substitutes: STAND_INS,
      signal,
    });
    try {
      return await work(page);
    } finally {
      for (const note of page.notes) this.#notes.add(note);
      await page.close();
    }
  }
}
