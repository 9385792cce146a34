import sharp from 'sharp';
import type { AdSize } from '../../domain/ads.ts';
import { DEFAULT_OPTIONS, type PlacementOptions } from '../../domain/screenshotOptions.ts';
import type { Warning } from '../../domain/warnings.ts';
import { ConcurrencyLimit } from '../../lib/concurrencyLimit.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { setBounded } from '../../lib/lru.ts';
import { changedShare, decodePng, type PixelBox, type Pixels, pngSize } from '../compose/pixels.ts';
import type { CreativeFrame, Size } from '../creative/creative.ts';
import type { FoundSlot } from './findSlots.ts';
import type { LivePage, StagedSlot } from './livePage.ts';
import { isTimeout, pageFault } from './navigation.ts';
import type { PagePicture, Picture, PlacementFailure, ScoredCandidate } from './page.ts';
import { Camera, faultOfGeometry, geometryOf, MAX_PAGE_EDGE, showsAd, warningsOf } from './pictureCheck.ts';
import { type PreparedSlot, type PrepareRequest, prepareSlot, type RefusedSlot } from './preparedSlot.ts';
import { narrowToBox, type ScoredSlot, scoreSlots } from './scoring.ts';
import { chooseSlot } from './slotChoice.ts';
import { slotDoubts } from './slotDoubts.ts';

interface BrowserPicture {
  readonly png: Buffer;
  /** The ad in the picture, device pixels. */
  readonly box: PixelBox;
  readonly warnings: readonly Warning[];
  readonly at: Date;
}

interface BrowserPictureRequest extends PrepareRequest {
  readonly spot: PreparedSlot;
  /** The ad. */
  readonly png: Buffer;
}

/** A page may cover the ad while the picture is taken. */
const MAX_ATTEMPTS = 3;

type Choice = ScoredSlot<FoundSlot> & { readonly scale: number };

const MAX_TRIES = 5;
/** Each keeps a picture of the whole viewport in memory. */
const MAX_PREPARED_SLOTS = 8;
const STAGE_DEADLINE_MS = 30_000;

interface Placement {
  readonly frame: CreativeFrame;
  readonly options: PlacementOptions;
  readonly ranked: readonly ScoredSlot<FoundSlot>[];
  /** All slots of the page, with their boxes from where the page begins. */
  readonly found: readonly ScoredCandidate[];
  readonly inDocument: InDocument;
}

/** Measures a box from the top left corner of the whole page. A page from right to left does not begin there. */
type InDocument = (one: ScoredCandidate) => ScoredCandidate;

interface Layout {
  readonly width: number;
  readonly isVertical: boolean;
  /** Where the page begins in a picture of the whole page, CSS pixels. */
  readonly origin: { readonly x: number; readonly y: number };
}

/** Places ads on one open page. */
export class AdPlacer {
  readonly #live: LivePage;
  readonly #slots: readonly FoundSlot[];
  readonly #lock = new ConcurrencyLimit(1);
  readonly #spots = new Map<string, Promise<PreparedSlot | RefusedSlot>>();
  readonly #decoded = new WeakMap<CreativeFrame, Promise<Pixels & { opaque: boolean }>>();
  readonly #viewport: Size;
  readonly #warnings: readonly Warning[];
  #layout: Promise<Layout> | undefined;

  /** @param warnings facts about the page that hold for each picture. */
  constructor(live: LivePage, slots: readonly FoundSlot[], viewport: Size, warnings: readonly Warning[] = []) {
    this.#live = live;
    this.#slots = slots;
    this.#viewport = viewport;
    this.#warnings = warnings;
  }

  async place(
    frame: CreativeFrame,
    options: PlacementOptions = DEFAULT_OPTIONS,
    only?: 'browser',
  ): Promise<Picture | PlacementFailure> {
    const { request, ranked, found, inDocument } = await this.#rank(frame, options.allowScaling);
    const placement = { frame, options, ranked, found, inDocument };
    if (options.slot !== null) {
      const chosen = await chooseSlot(options.slot, { tab: this.#live.tab, ranked }, request);
      if ('reason' in chosen) return noSlot(chosen.reason, placement);
      return this.#tryAll([chosen.slot].filter(canHoldAd), { ...placement, ranked: [chosen.slot] }, only);
    }
    const possible = ranked.filter(canHoldAd).slice(0, MAX_TRIES);
    const tries = possible.flatMap((choice) => [choice, narrowToBox(choice, request)]).filter(canHoldAd);
    return this.#tryAll(tries, placement, only);
  }

  async judge(size: AdSize): Promise<readonly ScoredCandidate[]> {
    const { found, inDocument } = await this.#rank(size, DEFAULT_OPTIONS.allowScaling);
    return found.map(inDocument);
  }

  capture(largest?: Size): Promise<PagePicture> {
    return this.#exclusively(() => capturePage(this.#live, largest));
  }

  async #rank(ad: AdSize, allowScaling: boolean) {
    const { width, isVertical, origin } = await this.#layoutOf();
    // A page that is not made for phones is laid out for a window that is wider than the screen.
    const viewport = { width: Math.max(width, this.#viewport.width), height: this.#viewport.height };
    const request = { ad, viewport, allowScaling, isVertical };
    const ranked = scoreSlots(this.#slots, request);
    const { x, y } = origin;
    const inDocument: InDocument = (one) => ({ ...one, box: { ...one.box, x: one.box.x + x, y: one.box.y + y } });
    return { request, ranked, found: ranked.map(({ scored }) => scored), inDocument };
  }

  async #tryAll(
    tries: readonly Choice[],
    placement: Placement,
    only: 'browser' | undefined,
  ): Promise<Picture | PlacementFailure> {
    const { frame, ranked } = placement;
    const refusals: string[] = [];
    let late = false;
    for (const choice of tries) {
      try {
        const spot = await this.#spotFor(choice, placement);
        if (!('fault' in spot)) return await this.#picture(choice, { ...placement, spot, only });
        refusals.push(`${choice.scored.element}: ${spot.fault}`);
      } catch (error) {
        if (this.#live.tab.isLost) return failed('the page crashed or was closed', placement);
        refusals.push(`${choice.scored.element}: ${pageFault(error)}`);
        late ||= isTimeout(error);
      }
    }
    return { ...noSlot(noSlotReason(frame, ranked, refusals), placement), timedOut: late };
  }

  #spotFor(choice: Choice, { frame, options }: Placement): Promise<PreparedSlot | RefusedSlot> {
    const request = this.#prepareRequest(choice, frame, options);
    const prepare = () => this.#exclusively(() => prepareSlot(this.#live, choice.slot, request));
    const index = this.#slots.indexOf(choice.slot);
    // Pictures of whole pages take too much memory, and slots of a selector are seldom used twice.
    if (index < 0 || options.fullPage) return prepare();
    const key = JSON.stringify([index, request.size, request.pixels, request.minZoom, request.mayCover, request.view]);
    const known = this.#spots.get(key);
    if (known !== undefined) return known;
    const spot = prepare();
    setBounded(this.#spots, [key, spot], MAX_PREPARED_SLOTS);
    spot.catch(() => this.#spots.delete(key));
    return spot;
  }

  #prepareRequest({ scale }: Choice, frame: CreativeFrame, options: PlacementOptions): PrepareRequest {
    const size = placedSize(frame, scale);
    return {
      size,
      pixels: scale === 1 ? pngSize(frame.png) : undefined,
      viewport: this.#viewport,
      area: options.fullPage ? 'page' : 'screen',
      view: options.view,
      mayCover: options.slot !== null,
      minZoom: options.allowScaling ? Math.min(1, this.#viewport.width / size.width) : 1,
    };
  }

  async #picture(
    choice: Choice,
    to: Placement & { readonly spot: PreparedSlot; readonly only: 'browser' | undefined },
  ): Promise<Picture> {
    const { frame, options, spot, found, only } = to;
    const shownAs = options.fullPage ? to.inDocument : (one: ScoredCandidate) => one;
    const ad = await this.#pixelsOf(frame);
    const fits = ad.width === spot.box.width && ad.height === spot.box.height;
    const composer = ad.opaque && fits && choice.scale === 1 && only !== 'browser' ? spot.composer : undefined;
    const request = this.#prepareRequest(choice, frame, options);
    const painted =
      composer === undefined
        ? await this.#exclusively(() => captureAd(this.#live, choice.slot, { ...request, spot, png: frame.png }))
        : { png: await composer.compose(ad), box: spot.box, warnings: spot.warnings, at: spot.capturedAt };
    const scale = choice.scale * spot.zoom;
    return {
      status: 'uploaded',
      png: painted.png,
      ...pngSize(painted.png),
      chosen: shownAs(choice.scored),
      candidates: found.map(shownAs),
      adBox: painted.box,
      scale,
      mode: composer ? 'composed' : 'browser',
      capturedAt: painted.at,
      warnings: [
        ...this.#warnings,
        ...painted.warnings,
        ...scaleWarnings(scale),
        ...slotWarnings(choice.scored, { frame, options, viewport: this.#viewport }),
      ],
    };
  }

  #layoutOf(): Promise<Layout> {
    this.#layout ??= Promise.all([
      this.#live.tab.mainFrame.evaluate(() => ({
        width: document.documentElement.clientWidth,
        isVertical: inPage.hasVerticalLines(),
      })),
      this.#live.screen(),
    ]).then(([layout, { origin }]) => ({ ...layout, origin }));
    return this.#layout;
  }

  #pixelsOf(frame: CreativeFrame): Promise<Pixels & { opaque: boolean }> {
    const known = this.#decoded.get(frame) ?? decodePng(frame.png);
    this.#decoded.set(frame, known);
    return known;
  }

  /** One at a time, because all calls share the live page. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(() => withDeadline(STAGE_DEADLINE_MS, work()));
  }
}

const LARGEST_PAGE = { width: MAX_PAGE_EDGE, height: MAX_PAGE_EDGE };

/** @param largest CSS pixels. */
export async function capturePage(live: LivePage, largest: Size = LARGEST_PAGE): Promise<PagePicture> {
  await live.tab.mainFrame.evaluate(() =>
    (document.scrollingElement ?? window).scrollTo({ top: 0, left: 0, behavior: 'instant' }),
  );
  const { ratio, document: page } = await live.screen();
  const [width, height] = [Math.min(largest.width, page.width), Math.min(largest.height, page.height)];
  const shot = await live.capture({ rect: { x: 0, y: 0, width, height }, scale: 1 / ratio });
  const capturedAt = new Date();
  // 256 colors are enough to recognize a page, and the file has a third of its size.
  const png = await sharp(shot).png({ palette: true, effort: 1 }).toBuffer();
  return { png, ...pngSize(png), capturedAt, page: { ...page } };
}

function canHoldAd(one: ScoredSlot<FoundSlot> | undefined): one is Choice {
  return one !== undefined && one.scale !== null;
}

/** Whole CSS pixels, so that a scaled ad has sharp edges. */
function placedSize({ width, height }: CreativeFrame, scale: number): Size {
  if (scale === 1) return { width, height };
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

function scaleWarnings(scale: number): Warning[] {
  if (scale > 0.995) return [];
  return [{ code: 'scaled', message: `The ad is shown at ${Math.round(scale * 100)} % of its size.` }];
}

function slotWarnings(
  slot: ScoredCandidate,
  { frame, options, viewport }: Pick<Placement, 'frame' | 'options'> & { readonly viewport: Size },
): Warning[] {
  const { element, problem } = slot;
  if (options.slot !== null)
    return problem === undefined
      ? []
      : [{ code: 'outside_slot', message: `The chosen slot ${element} cannot hold the ad: ${problem}.` }];
  const doubts = slotDoubts(slot, frame, viewport);
  if (doubts.length === 0) return [];
  return [{ code: 'slot_uncertain', message: `${doubts.join(' ')} Check the picture, or choose a different slot.` }];
}

function noSlotReason(
  frame: CreativeFrame,
  ranked: readonly ScoredSlot<FoundSlot>[],
  refusals: readonly string[],
): string {
  if (ranked.length === 0) return 'The page has no ad slot.';
  const size = `${frame.width}×${frame.height}`;
  const judged = ranked.flatMap(({ scored: { element, problem } }) =>
    problem === undefined ? [] : [`${element}: ${problem}`],
  );
  const reasons = [...new Set([...refusals, ...judged])].slice(0, 4).join('; ');
  const slots =
    ranked.length === 1
      ? 'The only ad slot of the page cannot hold an'
      : `None of the page's ${ranked.length} ad slots can hold an`;
  return `${slots} ad of ${size}: ${reasons}.`;
}

type Found = Pick<Placement, 'found' | 'inDocument'>;

/** A person sees the slots on the picture of the whole page. */
function noSlot(reason: string, { found, inDocument }: Found): PlacementFailure {
  return { status: 'no_slots', reason, candidates: found.map(inDocument) };
}

function failed(reason: string, { found, inDocument }: Found): PlacementFailure {
  return { status: 'generic_error', reason, candidates: found.map(inDocument) };
}

/** A picture in which the browser paints the ad. @throws Error if no capture shows the whole ad. */
async function captureAd(live: LivePage, slot: FoundSlot, request: BrowserPictureRequest): Promise<BrowserPicture> {
  const staged = await live.stage(slot, request.size, request.minZoom);
  try {
    if (request.spot.isSpread) await staged.spreadOut();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await staged.bringIntoView(attempt === 0 ? request.spot.scroll : { ...request.spot.scroll, thorough: true });
      const picture = await captureOnce(live, staged, request);
      if (picture !== undefined) return { ...picture, warnings: [...staged.warnings, ...picture.warnings] };
    }
    throw new Error('the page covered the ad while the picture was taken');
  } finally {
    await staged.end();
  }
}

/** @returns undefined if the picture does not show the whole ad. */
async function captureOnce(
  live: LivePage,
  staged: StagedSlot,
  request: BrowserPictureRequest,
): Promise<BrowserPicture | undefined> {
  const { spot, png, area } = request;
  const geometry = await geometryOf(live, staged, area);
  if (faultOfGeometry(geometry, request) !== undefined) return undefined;
  const { clip } = geometry;
  const box = measuredBox(spot.box, geometry.box);
  const camera = new Camera(live, clip);
  const first = await camera.show(staged, png);
  const shown = await camera.until((picture) => changedShare(spot.page, picture, box) > 0.02, first);
  const without = await camera.show(staged, null);
  const [picture, page] = await Promise.all([shown.pixels, without.pixels]);
  const isWhole = await showsAd(picture, page, { png, box });
  return isWhole ? { png: shown.png, box, at: shown.at, warnings: warningsOf(geometry) } : undefined;
}

/** The browser rounds to another pixel now and then. The probe picture was measured, so its box is more exact. */
function measuredBox(measured: PixelBox, expected: PixelBox): PixelBox {
  const isSame = (['x', 'y', 'width', 'height'] as const).every(
    (side) => Math.abs(measured[side] - expected[side]) <= 2,
  );
  return isSame ? measured : expected;
}
