/** Stages several ads on one page at the same time, each in a slot of its own, and takes one picture of all of them. */
import type { PageView } from '../../domain/screenshotOptions.ts';
import type { Warning } from '../../domain/warnings.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { changedShare, type PixelBox } from '../compose/pixels.ts';
import type { FoundSlot } from './findSlots.ts';
import { areApart, sharedArea } from './groupPlan.ts';
import type { Rect } from './inPage/visibility.ts';
import type { Clip, LivePage, StagedSlot } from './livePage.ts';
import { Camera, inDevicePixels, MAX_PAGE_EDGE, showsAd } from './pictureCheck.ts';
import { type PreparedSlot, type PrepareRequest, type RefusedSlot, testStaged } from './preparedSlot.ts';

/** An ad, and how it goes into a slot. */
export interface AdToPlace {
  readonly slot: FoundSlot;
  readonly request: PrepareRequest;
  readonly png: Buffer;
}

export interface GroupView {
  readonly fullPage: boolean;
  readonly view: PageView;
}

export interface GroupPicture {
  readonly png: Buffer;
  readonly at: Date;
  /** It shows a part of the page, not the screen. */
  readonly isOfPage: boolean;
  /** How much smaller than in CSS pixels it shows the page. */
  readonly zoom: number;
  /** The boxes of the ads that it shows, in device pixels. */
  readonly boxes: ReadonlyMap<AdToPlace, PixelBox>;
  /** Changes of the page for any of the ads. */
  readonly warnings: readonly Warning[];
}

interface PlacedAd {
  readonly ad: AdToPlace;
  readonly staged: StagedSlot;
  readonly warnings: readonly Warning[];
}

type Shot = Omit<GroupPicture, 'warnings'>;

const STAGE_MS = 30_000;
const CAPTURE_MS = 60_000;
/** A page may move its content while a part is captured that is larger than the screen. */
const PAGE_SHOTS = 3;
/** CSS pixels above the first and below the last ad. */
const MARGIN = 16;

export const OTHER_AD: RefusedSlot = { fault: 'another ad of the group is in it' };

export class AdGroup {
  readonly #live: LivePage;
  #placed: PlacedAd[] = [];

  constructor(live: LivePage) {
    this.#live = live;
  }

  isFree({ candidate }: FoundSlot): boolean {
    return this.#placed.every(({ ad: { slot } }) => areApart(candidate, slot.candidate));
  }

  /** Stages an ad beside those that are placed. @returns the tested slot, or why it cannot hold the ad. @throws as `LivePage.stage`. */
  async add(ad: AdToPlace): Promise<PreparedSlot | RefusedSlot> {
    return withDeadline(STAGE_MS, this.#stage(ad));
  }

  async #stage(ad: AdToPlace): Promise<PreparedSlot | RefusedSlot> {
    const staged = await this.#live.stage(ad.slot, ad.request);
    const tested = await this.#place(staged, ad);
    if ('fault' in tested) await staged.end();
    return tested;
  }

  async #place(staged: StagedSlot, ad: AdToPlace): Promise<PreparedSlot | RefusedSlot> {
    const tested = await testStaged(this.#live, staged, ad.request).catch(async (error: unknown) => {
      await staged.end();
      throw error;
    });
    if ('fault' in tested) return tested;
    const [rect, ...others] = await rectsOf([staged, ...this.#placed.map((one) => one.staged)]);
    if (rect !== undefined && others.some((other) => sharedArea(rect, other) > 1)) return OTHER_AD;
    await staged.show(ad.png);
    this.#placed.push({ ad, staged, warnings: tested.warnings });
    return tested;
  }

  /** Takes the ads away that no picture shows together with the others. @returns undefined if none is left. */
  async capture(view: GroupView): Promise<GroupPicture | undefined> {
    while (this.#placed.length > 0) {
      const shot = await withDeadline(CAPTURE_MS, this.#bestShot(view));
      const hidden = this.#placed.filter(({ ad }) => !shot.boxes.has(ad));
      const warnings = this.#placed.flatMap((one) => [...one.warnings, ...one.staged.warnings]);
      if (hidden.length === 0) return { ...shot, warnings: distinct(warnings) };
      // Without the smallest ad, a smaller part of the page may show the others.
      await this.#remove(hidden.length < this.#placed.length ? hidden : hidden.slice(-1));
    }
    return undefined;
  }

  end(): Promise<void> {
    return this.#remove(this.#placed);
  }

  async #remove(ads: readonly PlacedAd[]): Promise<void> {
    this.#placed = this.#placed.filter((one) => !ads.includes(one));
    for (const { staged } of ads.toReversed()) await staged.end();
  }

  /** The first view of the screen that shows all ads, else the page down to the last one, else what shows most. */
  async #bestShot({ fullPage, view }: GroupView): Promise<Shot> {
    let best: Shot | undefined;
    const isBetter = (shot: Shot) => best === undefined || shot.boxes.size > best.boxes.size;
    for (const row of fullPage ? [] : await this.#rows(view)) {
      const shot = await this.#shootScreen(row);
      if (isBetter(shot)) best = shot;
      if (shot.boxes.size === this.#placed.length) return shot;
    }
    for (let attempt = 0; attempt < PAGE_SHOTS; attempt += 1) {
      const shot = await this.#shootPage(fullPage);
      if (isBetter(shot)) best = shot;
      if (shot.boxes.size === this.#placed.length) return shot;
    }
    if (best === undefined) throw new Error('unreachable: the page is captured at least once');
    return best;
  }

  /** The rows of the page at which the screen can begin and show all ads, the best first. */
  async #rows(view: PageView): Promise<readonly number[]> {
    const { top, bottom } = await this.#spanOf();
    const { height } = (await this.#live.screen()).view;
    if (bottom - top > height) return [];
    const [start, center, end] = [top - MARGIN, (top + bottom - height) / 2, bottom + MARGIN - height];
    const atTop = end <= 0 ? [0] : [];
    const rows = view === 'masthead' ? [...atTop, end, center, start] : [...atTop, center, end, start];
    return [...new Set(rows.map((row) => Math.max(0, Math.round(row))))];
  }

  /** The rows of the page that the ads take. Those that are fixed to the window do not count, unless all are. */
  async #spanOf(): Promise<{ readonly top: number; readonly bottom: number }> {
    await this.#live.scrollTo(0);
    const scrolling = this.#placed.filter(({ ad }) => !ad.slot.candidate.sticky);
    const rects = await rectsOf((scrolling.length > 0 ? scrolling : this.#placed).map(({ staged }) => staged));
    return { top: Math.min(...rects.map(({ y }) => y)), bottom: Math.max(...rects.map(({ y, height }) => y + height)) };
  }

  async #shootScreen(row: number): Promise<Shot> {
    await this.#live.scrollTo(row);
    for (const { staged } of this.#placed) await staged.hideLateLayers();
    const { ratio, zoom } = await this.#live.screen();
    const rects = await rectsOf(
      this.#placed.map(({ staged }) => staged),
      'screen',
    );
    const boxes = rects.map((rect) => inDevicePixels(rect, ratio * zoom));
    return { ...(await this.#shoot(boxes, undefined)), isOfPage: false, zoom };
  }

  async #shootPage(fullPage: boolean): Promise<Shot> {
    const span = await this.#spanOf();
    const { ratio, document, origin, view, isVertical, isWide } = await this.#live.screen();
    const most = Math.floor(MAX_PAGE_EDGE / ratio);
    const bottom = span.bottom + origin.y + MARGIN;
    const top = bottom <= most ? 0 : Math.max(0, Math.round(span.top + origin.y - MARGIN));
    const height = fullPage ? document.height - top : Math.max(view.height, Math.ceil(bottom) - top);
    const width = fullPage || isVertical || isWide ? document.width : Math.min(document.width, view.width);
    const size = { width: Math.min(most, width), height: Math.min(most, height, document.height - top) };
    const rects = await rectsOf(this.#placed.map(({ staged }) => staged));
    const boxes = rects.map(({ x, y, ...rect }) =>
      inDevicePixels({ ...rect, x: x + origin.x, y: y + origin.y - top }, ratio),
    );
    const clip = { rect: { x: 0, y: top, ...size }, isOnScreen: false };
    return { ...(await this.#shoot(boxes, clip)), isOfPage: true, zoom: 1 };
  }

  /** Takes the picture without and with the ads. The difference says which of them it shows. */
  async #shoot(boxes: readonly PixelBox[], clip: Clip | undefined): Promise<Pick<Shot, 'png' | 'at' | 'boxes'>> {
    const camera = new Camera(this.#live, clip);
    for (const { staged } of this.#placed) await staged.show(null);
    const page = await (await camera.take()).pixels;
    for (const { ad, staged } of this.#placed) await staged.show(ad.png);
    const { png, at, pixels } = await camera.until(
      (picture) => boxes.every((box) => changedShare(page, picture, box) > 0.02),
      await camera.take(),
    );
    const picture = await pixels;
    const shown = new Map<AdToPlace, PixelBox>();
    for (const [index, { ad }] of this.#placed.entries()) {
      const box = boxes[index];
      if (box !== undefined && (await showsAd(picture, page, { png: ad.png, box }))) shown.set(ad, box);
    }
    return { png, at, boxes: shown };
  }
}

function rectsOf(ads: readonly StagedSlot[], area: 'screen' | 'page' = 'page'): Promise<Rect[]> {
  return Promise.all(ads.map((staged) => staged.rect(area)));
}

/** Ads of a group often need the same change. */
function distinct(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((one) => [one.message, one])).values()];
}
