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
import { isWhite, renderStill } from './stillImage.ts';

export interface RenderTools {
  /** Runs work with a browser of its own. */
  readonly use: <T>(work: (browser: SteppedBrowser) => Promise<T>) => Promise<T>;
  /** Asks for an address again, for what the network says about it. */
  readonly load: (url: string) => Promise<unknown>;
  readonly userAgent: string;
  readonly networkBudgetMs: number;
  readonly signal: AbortSignal;
}

type Pass = (page: SteppedPage, markers: readonly (number | null)[]) => Promise<FramesByMarker>;

/** Takes all pictures of a scene. @throws CreativeFailure, PageResistsError, BrowserGoneError. */
export function renderPrepared(
  scene: PreparedCreative,
  request: RenderRequest,
  tools: RenderTools,
): Promise<RenderedCreative> {
  switch (scene.kind) {
    case 'still':
      return renderStillFrames(scene, request);
    case 'page':
      return tools.use((browser) => new BrowserRendering(browser, request, tools).page(scene));
    case 'video':
      return tools.use((browser) => new BrowserRendering(browser, request, tools).video(scene));
  }
}

async function renderStillFrames(
  { format, bytes, size }: PreparedStill,
  request: RenderRequest,
): Promise<RenderedCreative> {
  const frames: CreativeFrame[] = [];
  for (const ratio of new Set(request.ratios)) {
    const png = await renderStill(bytes, size, ratio);
    for (const markerMs of markersAt(request, ratio)) frames.push({ markerMs, ratio, png, ...size });
  }
  return { status: 'uploaded', format, category: 'display', ...size, frames, mode: 'still', notes: [] };
}

/** The moments at which the creative is shown at a ratio, each once. */
function markersAt({ markers, isWanted = () => true }: RenderRequest, ratio: number): (number | null)[] {
  return [...new Set(markers)].filter((markerMs) => isWanted(markerMs, ratio));
}

/** The declared size, unless the file has another shape: then it is of something else. */
function shownSize(file: Size, declared: Size | undefined): Size {
  const alike = declared && Math.abs(declared.width / declared.height - file.width / file.height) < 0.05;
  return alike ? declared : { width: file.width, height: file.height };
}

function showsNothing(): CreativeError {
  return new CreativeError('generic_error', 'The creative shows nothing: it drew neither picture nor text.');
}

class BrowserRendering {
  readonly #browser: SteppedBrowser;
  readonly #request: RenderRequest;
  readonly #tools: RenderTools;
  readonly #notes = new Set<string>();
  readonly #patience: NetworkBudget;
  #clock: 'stepped' | 'wall' = 'stepped';

  constructor(browser: SteppedBrowser, request: RenderRequest, tools: RenderTools) {
    this.#browser = browser;
    this.#request = request;
    this.#tools = tools;
    this.#patience = createNetworkBudget(tools.networkBudgetMs);
  }

  async page(scene: PreparedPage): Promise<RenderedCreative> {
    const size = checkedSize(scene.size ?? (await this.#measured(scene)));
    const frames = await this.#frames(scene.open(size), size, async (page, markers) => {
      const pictures = await renderPageFrames(page, markers);
      await this.#judgeMain(scene, page);
      await this.#judgeImages(scene, page);
      await this.#judgeBlank(scene, page, pictures);
      return pictures;
    });
    return this.#result(scene, size, frames);
  }

  async video(scene: PreparedVideo): Promise<RenderedCreative> {
    const facts = await this.#pass(`${scene.address}?16x16`, { size: { width: 16, height: 16 }, ratio: 1 }, readVideo);
    const size = checkedSize(shownSize(facts, scene.declared));
    const address = `${scene.address}?${size.width}x${size.height}`;
    const frames = await this.#frames(address, size, renderVideoFrames);
    return this.#result(scene, size, frames);
  }

  /** When the one thing did not come that the creative consists of, asking for it again says why. */
  async #judgeMain({ main }: PreparedPage, page: SteppedPage): Promise<void> {
    const outcome = main === undefined ? undefined : page.requests.outcomeOf(main);
    if (main === undefined || outcome === undefined || ('status' in outcome && outcome.status < 400)) return;
    await this.#tools.load(main);
    const why = 'status' in outcome ? `status ${outcome.status}` : outcome.error;
    throw new CreativeError('generic_error', `${main} did not load in the browser (${why}).`);
  }

  #result({ format, kind }: PreparedCreative, size: Size, frames: CreativeFrame[]): RenderedCreative {
    const category = kind === 'video' ? 'video' : 'display';
    const { markers, ratios } = this.#request;
    frames.sort(
      (a, b) =>
        ratios.indexOf(a.ratio) - ratios.indexOf(b.ratio) || markers.indexOf(a.markerMs) - markers.indexOf(b.markerMs),
    );
    return { status: 'uploaded', format, category, ...size, frames, mode: this.#clock, notes: [...this.#notes] };
  }

  /** Images that did not come are noted; where nothing else is shown, there is no creative. */
  async #judgeImages({ framed }: PreparedPage, page: SteppedPage): Promise<void> {
    const broken = await brokenImages(page, framed);
    const [first] = broken;
    if (first === undefined) return;
    for (const image of broken) this.#notes.add(`An image did not load: ${image.slice(0, 200)}`);
    if ((await measure(page, framed)) !== undefined) return;
    const outcome = page.requests.outcomeOf(first);
    if (outcome !== undefined && 'status' in outcome) requireSuccess(outcome.status, first);
    throw new CreativeError(
      'generic_error',
      `The creative shows nothing but an image that is damaged or none: ${first.slice(0, 200)}`,
    );
  }

  /** A creative of which nothing is seen at any marker is none, unless it is only too early for it. */
  async #judgeBlank(scene: PreparedPage, page: SteppedPage, pictures: FramesByMarker): Promise<void> {
    for (const png of pictures.values()) if (!(await isWhite(png))) return;
    const [hung] = this.#patience.hung.keys();
    if (hung !== undefined)
      throw new CreativeError('net_read_timeout', `The creative shows nothing: ${hung} did not answer in time.`);
    if (scene.format !== 'image' && (await measure(page, scene.framed)) === undefined) throw showsNothing();
    this.#notes.add('The picture is white all over.');
  }

  async #measured(scene: PreparedPage): Promise<Size> {
    const size = await this.#pass(scene.open(PROBE_VIEWPORT), { size: PROBE_VIEWPORT, ratio: 1 }, async (page) => {
      await waitUntilStill(page);
      await this.#judgeMain(scene, page);
      await this.#judgeImages(scene, page);
      return measure(page, scene.framed);
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

  /** Opens a target for one pass; where stepped time stands still, once more in real time. */
  async #pass<T>(
    address: string,
    view: { size: Size; ratio: number },
    work: (page: SteppedPage) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#opened(address, view, work);
    } catch (error) {
      if (!(error instanceof RenderingBlockedError && error.kind === 'stuck') || this.#clock === 'wall') throw error;
      this.#clock = 'wall';
      this.#notes.add('Captured in real time: the creative did not move in stepped time.');
      return this.#opened(address, view, work);
    }
  }

  async #opened<T>(
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
      networkBudget: this.#patience,
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
