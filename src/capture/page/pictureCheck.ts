/** Captures the live page, and decides whether a picture shows the whole ad at its own size. */
import sharp from 'sharp';
import { isLargerThan, ZOOM_SLACK } from '../../domain/adFit.ts';
import type { Warning } from '../../domain/warnings.ts';
import { sleep } from '../../lib/sleep.ts';
import { clipped, decodePng, type PixelBox, type Pixels } from '../compose/pixels.ts';
import { shownShare } from '../compose/probe.ts';
import type { Size } from '../creative/creative.ts';
import type { Rect } from './inPage/visibility.ts';
import type { Clip, LivePage, PictureArea, Screen, StagedSlot } from './livePage.ts';

/** The share of the ad that a picture must show. */
export const MIN_SHOWN_SHARE = 0.99;
/** The same, measured with the ad itself instead of the probe picture. Its even areas reveal less. */
const MIN_SHOWN_SHARE_OF_AD = 0.95;
/** Bounds of Chromium's textures, device pixels. */
export const MAX_PAGE_EDGE = 16_000;

/** A part of a picture. */
export interface PicturePart {
  readonly clip: Clip;
  /** The same in the picture. */
  readonly box: PixelBox;
}

export interface AdGeometry {
  /** The ad's box in the picture, CSS pixels of the page. */
  readonly rect: Rect;
  /** The same in device pixels. */
  readonly box: PixelBox;
  readonly zoom: number;
  /** The size of the picture, CSS pixels of the page. */
  readonly picture: Size;
  /** The part of the document in the picture; undefined for the screen. */
  readonly clip: Clip | undefined;
  /** The ad with some pixels around it, which can be captured alone and has the same pixels then; undefined if there is none. */
  readonly part: PicturePart | undefined;
  /** Whether the page is scrolled sideways, although its lines are not vertical. */
  readonly isAside: boolean;
  /** As in {@link Screen}. */
  readonly isWide: boolean;
  /** Why the picture of the page does not contain all of it, as a sentence; undefined if it does. */
  readonly cut: string | undefined;
}

export async function geometryOf(live: LivePage, staged: StagedSlot, area: PictureArea): Promise<AdGeometry> {
  if (area === 'page') return geometryInPage(live, staged);
  const [rect, screen] = await Promise.all([staged.rect('screen'), live.screen()]);
  const { ratio, zoom, view, scroll, isVertical, isWide } = screen;
  const isAside = !isVertical && Math.abs(scroll.x) > 1;
  const box = inDevicePixels(rect, ratio * zoom);
  const part = partAround(rect, screen);
  return { rect, box, zoom, picture: view, clip: undefined, part, isAside, isWide, cut: undefined };
}

/** CSS pixels around the ad. The comparison of two pictures needs some. */
const PART_MARGIN = 8;

/** Only a part of whole pixels at the page's own scale has the same pixels as the picture. */
function partAround(rect: Rect, { ratio, zoom, view, scroll, origin }: Screen): PicturePart | undefined {
  if (zoom !== 1 || ![ratio, scroll.x, scroll.y].every(Number.isInteger)) return undefined;
  const x = Math.max(0, Math.floor(rect.x) - PART_MARGIN);
  const y = Math.max(0, Math.floor(rect.y) - PART_MARGIN);
  const width = Math.min(Math.floor(view.width), Math.ceil(rect.x + rect.width) + PART_MARGIN) - x;
  const height = Math.min(Math.floor(view.height), Math.ceil(rect.y + rect.height) + PART_MARGIN) - y;
  return {
    clip: { rect: { x: x + scroll.x + origin.x, y: y + scroll.y + origin.y, width, height }, isOnScreen: true },
    box: { x: x * ratio, y: y * ratio, width: width * ratio, height: height * ratio },
  };
}

async function geometryInPage(live: LivePage, staged: StagedSlot): Promise<AdGeometry> {
  await staged.scrollToTop();
  const [shown, { ratio, document, origin, isWide }] = await Promise.all([staged.rect('page'), live.screen()]);
  const rect = { ...shown, x: shown.x + origin.x, y: shown.y + origin.y };
  const most = Math.floor(MAX_PAGE_EDGE / ratio);
  const width = Math.min(most, document.width);
  const height = Math.min(most, document.height);
  // An ad below the largest picture is shown with the part of the page around it.
  const top =
    rect.y + rect.height <= height
      ? 0
      : Math.min(Math.max(0, Math.round(rect.y - height / 2)), document.height - height);
  const moved = { ...rect, y: rect.y - top };
  const clip = { x: 0, y: top, width, height };
  return {
    rect: moved,
    box: inDevicePixels(moved, ratio),
    zoom: 1,
    picture: clip,
    clip: { rect: clip, isOnScreen: false },
    part: undefined,
    isAside: false,
    isWide,
    cut: height < document.height ? tooLong(height) : innerPage(await staged.innerScroller()),
  };
}

const tooLong = (height: number) =>
  `The page is longer than the largest picture. The picture shows ${height} CSS pixels of it.`;

const innerPage = (container: string | null) =>
  container === null
    ? undefined
    : `The page scrolls inside ${container}. The picture shows the part around the ad, not the whole page.`;

export function warningsOf({ cut }: AdGeometry): Warning[] {
  return cut === undefined ? [] : [{ code: 'page_changed', message: cut }];
}

/** The conditions of a picture. */
export interface GeometryRequest {
  /** The ad, CSS pixels. */
  readonly size: Size;
  readonly viewport: Size;
  readonly minZoom: number;
  /** The client chose the slot, so an ad over content of the page gets a warning instead of another slot. */
  readonly mayCover: boolean;
}

/** @returns why the picture cannot show the ad, or undefined. The pixels are judged later. */
export function faultOfGeometry(
  { rect, picture, zoom, isAside, isWide }: AdGeometry,
  { size, viewport, minZoom, mayCover }: GeometryRequest,
): string | undefined {
  if (isAside && !isWide && !mayCover) return 'the page would have to be scrolled sideways';
  if (zoom < minZoom - ZOOM_SLACK || zoom > 1 + ZOOM_SLACK)
    return `the device would show the page, and the ad in it, at ${Math.round(zoom * 100)} %`;
  if (Math.abs(rect.width - size.width) > 1 || Math.abs(rect.height - size.height) > 1)
    return `the page would show the ad in ${Math.round(rect.width)}×${Math.round(rect.height)} instead of its own size`;
  if (isLargerThan(size, picture)) {
    const screen = `the screen of ${viewport.width}×${viewport.height}`;
    return `the ad of ${size.width}×${size.height} is larger than ${screen}`;
  }
  const slack = 0.5;
  const isInside =
    rect.x >= -slack &&
    rect.y >= -slack &&
    rect.x + rect.width <= picture.width + slack &&
    rect.y + rect.height <= picture.height + slack;
  return isInside ? undefined : 'a part of the ad would be outside the picture';
}

/** The pictures are compared at a fourth of their size, because the browser resamples some ads. */
const REDUCTION = 4;

/** Checks a picture that the browser painted. @param page the same without the ad. */
export async function showsAd(
  picture: Pixels,
  page: Pixels,
  { png, box }: { png: Buffer; box: PixelBox },
): Promise<boolean> {
  const inside = clipped(box, picture);
  if (inside.width < box.width || inside.height < box.height) return false;
  if (picture.width !== page.width || picture.height !== page.height) return false;
  const ad = await adOverPage(png, page, box);
  const whole = { x: 0, y: 0, width: box.width, height: box.height };
  const small = await Promise.all([reduced(page, box), reduced(picture, box), reduced(ad, whole)]);
  const [{ width, height }] = small;
  const views = { page: small[0], picture: small[1], ad: small[2], box: { x: 0, y: 0, width, height } };
  return shownShare(views) >= MIN_SHOWN_SHARE_OF_AD;
}

async function reduced({ data, ...size }: Pixels, { x, y, width, height }: PixelBox): Promise<Pixels> {
  const to = { width: Math.ceil(width / REDUCTION), height: Math.ceil(height / REDUCTION) };
  const part = sharp(data, { raw: { ...size, channels: 3 } }).extract({ left: x, top: y, width, height });
  return { data: await part.resize(to.width, to.height, { fit: 'fill' }).raw().toBuffer(), ...to };
}

/** The ad as the page would show it, with the page behind its transparent parts. */
async function adOverPage(png: Buffer, page: Pixels, box: PixelBox): Promise<Pixels> {
  const { width, height } = box;
  const raw = { width: page.width, height: page.height, channels: 3 } as const;
  const behind = await sharp(page.data, { raw }).extract({ left: box.x, top: box.y, width, height }).png().toBuffer();
  const ad = await sharp(png).resize(width, height, { fit: 'fill' }).png().toBuffer();
  const data = await sharp(behind)
    .composite([{ input: ad }])
    .removeAlpha()
    .raw()
    .toBuffer();
  return { data, width, height };
}

export function inDevicePixels({ x, y, width, height }: Rect, ratio: number): PixelBox {
  const left = Math.round(x * ratio);
  const top = Math.round(y * ratio);
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.round((x + width) * ratio) - left),
    height: Math.max(1, Math.round((y + height) * ratio) - top),
  };
}

interface PageCapture {
  readonly png: Buffer;
  /** Decoded while the browser continues. */
  readonly pixels: Promise<Pixels>;
  readonly at: Date;
}

export type PixelTest = (picture: Pixels) => boolean;

const MAX_CAPTURES = 4;

/** Captures the live page. */
export class Camera {
  readonly #live: LivePage;
  readonly #clip: Clip | undefined;

  /** @param clip undefined for the screen. */
  constructor(live: LivePage, clip: Clip | undefined) {
    this.#live = live;
    this.#clip = clip;
  }

  /** Shows this picture in the slot, or no ad for null, and captures the page. */
  async show(staged: StagedSlot, png: Buffer | null): Promise<PageCapture> {
    await staged.show(png);
    return this.take();
  }

  /**
   * Captures again while the picture does not show the change. A frame in another process may reach the screen later. The change
   * may also be invisible, so the number of captures is small.
   */
  async until(changed: PixelTest, first: PageCapture): Promise<PageCapture> {
    let shot = first;
    for (let attempt = 1; attempt < MAX_CAPTURES && !changed(await shot.pixels); attempt++) {
      await sleep(attempt * 60);
      shot = await this.take();
    }
    return shot;
  }

  async take(): Promise<PageCapture> {
    const png = await this.#live.capture(this.#clip);
    const at = new Date();
    const pixels = decodePng(png);
    // The caller that awaits the pixels gets the error; this handler only prevents an unhandled rejection.
    pixels.catch((error: unknown) => void error);
    return { png, pixels, at };
  }
}
