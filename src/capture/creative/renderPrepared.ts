import { createNetworkBudget, type NetworkBudget } from '../browser/networkBudget.ts';
import { RenderingBlockedError } from '../browser/renderingBlocked.ts';
import type { SteppedBrowser } from '../browser/steppedBrowser.ts';
import { SteppedPage } from '../browser/steppedPage.ts';
import type { CreativeFrame, RenderedCreative, RenderRequest } from './creative.ts';
import { CreativeError, requireSuccess } from './creativeError.ts';
import { brokenImages, measure, PROBE_VIEWPORT } from './measure.ts';
import type { PreparedCreative, PreparedPage, PreparedStill, PreparedVideo } from './prepare.ts';
import { type FramesByMarker, renderPageFrames, waitUntilStill } from './renderPage.ts';
import { readVideo, renderVideoFrames } from './renderVideo.ts';
import { checkedSize, type Size } from './size.ts';
import { STAND_INS } from './standIns/standIns.ts';
import { isWhite, renderStill } from './stillImage.ts';

export interface RenderTools {
  /** Runs `work` with a browser that no other creative uses. */
  readonly use: <T>(work: (browser: SteppedBrowser) => Promise<T>) => Promise<T>;
  /** Fetches a URL again to find out why it did not load. */
  readonly fetchAgain: (url: string) => Promise<unknown>;
  readonly userAgent: string;
  readonly networkBudgetMs: number;
  readonly signal: AbortSignal;
}

type Pass = (page: SteppedPage, markers: readonly (number | null)[]) => Promise<FramesByMarker>;

/** Renders all frames of a creative. @throws CreativeError, RenderingBlockedError, BrowserGoneError. */
export function renderPrepared(
  creative: PreparedCreative,
  request: RenderRequest,
  tools: RenderTools,
): Promise<RenderedCreative> {
  switch (creative.kind) {
    case 'still':
      return renderStillFrames(creative, request);
    case 'page':
      return tools.use((browser) => new BrowserRendering(browser, request, tools).page(creative));
    case 'video':
      return tools.use((browser) => new BrowserRendering(browser, request, tools).video(creative));
  }
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
  return { status: 'uploaded', format, category: 'display', ...size, frames, mode: 'still', notes: [], warnings };
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

function showsNothing(): CreativeError {
  return new CreativeError('generic_error', 'The creative shows nothing: it drew neither an image nor text.');
}

class BrowserRendering {
  readonly #browser: SteppedBrowser;
  readonly #request: RenderRequest;
  readonly #tools: RenderTools;
  readonly #notes = new Set<string>();
  readonly #networkBudget: NetworkBudget;
  #clock: 'stepped' | 'wall' = 'stepped';

  constructor(browser: SteppedBrowser, request: RenderRequest, tools: RenderTools) {
    this.#browser = browser;
    this.#request = request;
    this.#tools = tools;
    this.#networkBudget = createNetworkBudget(tools.networkBudgetMs);
  }

  async page(creative: PreparedPage): Promise<RenderedCreative> {
    const size = checkedSize(creative.size ?? (await this.#measured(creative)));
    const frames = await this.#frames(creative.open(size), size, async (page, markers) => {
      const pictures = await renderPageFrames(page, markers);
      await this.#checkMainResource(creative, page);
      await this.#checkImages(creative, page);
      await this.#checkBlankFrames(creative, page, pictures);
      return pictures;
    });
    return this.#result(creative, size, frames);
  }

  async video(creative: PreparedVideo): Promise<RenderedCreative> {
    const facts = await this.#pass(
      `${creative.address}?16x16`,
      { size: { width: 16, height: 16 }, ratio: 1 },
      readVideo,
    );
    const size = checkedSize(sizeOfVideo(facts, creative.declared));
    const address = `${creative.address}?${size.width}x${size.height}`;
    const frames = await this.#frames(address, size, renderVideoFrames);
    return this.#result(creative, size, frames);
  }

  /** @throws if the only resource of the creative did not load. Fetching it again tells why. */
  async #checkMainResource({ main }: PreparedPage, page: SteppedPage): Promise<void> {
    const outcome = main === undefined ? undefined : page.requests.outcomeOf(main);
    if (main === undefined || outcome === undefined || ('status' in outcome && outcome.status < 400)) return;
    await this.#tools.fetchAgain(main);
    const why = 'status' in outcome ? `status ${outcome.status}` : outcome.error;
    throw new CreativeError('generic_error', `${main} did not load in the browser (${why}).`);
  }

  #result({ format, kind, warnings = [] }: PreparedCreative, size: Size, frames: CreativeFrame[]): RenderedCreative {
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
      mode: this.#clock,
      notes: [...this.#notes],
      warnings,
    };
  }

  /** Notes the images that did not load. @throws CreativeError if nothing else is visible. */
  async #checkImages({ framed }: PreparedPage, page: SteppedPage): Promise<void> {
    const broken = await brokenImages(page, framed);
    const [first] = broken;
    if (first === undefined) return;
    for (const image of broken) this.#notes.add(`An image did not load: ${image.slice(0, 200)}`);
    if ((await measure(page, framed)) !== undefined) return;
    const outcome = page.requests.outcomeOf(first);
    if (outcome !== undefined && 'status' in outcome) requireSuccess(outcome.status, first);
    throw new CreativeError(
      'generic_error',
      `The creative shows only an image that is missing or damaged: ${first.slice(0, 200)}`,
    );
  }

  /** @throws CreativeError if all frames are white and the page has no visible content. */
  async #checkBlankFrames(creative: PreparedPage, page: SteppedPage, pictures: FramesByMarker): Promise<void> {
    for (const png of pictures.values()) if (!(await isWhite(png))) return;
    const [hung] = this.#networkBudget.hung.keys();
    if (hung !== undefined)
      throw new CreativeError('net_read_timeout', `The creative shows nothing: ${hung} did not answer in time.`);
    if (creative.format !== 'image' && (await measure(page, creative.framed)) === undefined) throw showsNothing();
    this.#notes.add('All frames are white.');
  }

  async #measured(creative: PreparedPage): Promise<Size> {
    const size = await this.#pass(creative.open(PROBE_VIEWPORT), { size: PROBE_VIEWPORT, ratio: 1 }, async (page) => {
      await waitUntilStill(page);
      await this.#checkMainResource(creative, page);
      await this.#checkImages(creative, page);
      return measure(page, creative.framed);
    });
    if (size === undefined) throw showsNothing();
    return size;
  }

  /** One pass for each ratio. */
  async #frames(address: string, size: Size, pass: Pass): Promise<CreativeFrame[]> {
    const frames: CreativeFrame[] = [];
    for (const ratio of new Set(this.#request.ratios)) {
      const markers = markersAt(this.#request, ratio);
      if (markers.length === 0) continue;
      const pictures = await this.#pass(address, { size, ratio }, (page) => pass(page, markers));
      for (const [markerMs, png] of pictures) frames.push({ markerMs, ratio, png, ...size });
    }
    return frames;
  }

  /** Opens a page for one pass. If stepped time makes no progress, opens it again in real time. */
  async #pass<T>(
    address: string,
    view: { size: Size; ratio: number },
    work: (page: SteppedPage) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#withPage(address, view, work);
    } catch (error) {
      if (!(error instanceof RenderingBlockedError && error.kind === 'stuck') || this.#clock === 'wall') throw error;
      this.#clock = 'wall';
      this.#notes.add('Rendered in real time: the creative made no progress in stepped time.');
      return this.#withPage(address, view, work);
    }
  }

  async #withPage<T>(
    address: string,
    { size, ratio }: { size: Size; ratio: number },
    work: (page: SteppedPage) => Promise<T>,
  ): Promise<T> {
    const { userAgent, signal } = this.#tools;
    const page = await SteppedPage.open(this.#browser, {
      ...size,
      ratio,
      userAgent,
      clock: this.#clock,
      networkBudget: this.#networkBudget,
      substitutes: STAND_INS,
      signal,
    });
    try {
      await page.navigate(address);
      return await work(page);
    } finally {
      for (const note of page.notes) this.#notes.add(note);
      await page.close();
    }
  }
}
