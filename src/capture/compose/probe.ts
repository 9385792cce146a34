import sharp from 'sharp';
import { CHANNELS, changedShare, clipped, overlaid, type PixelBox, type Pixels } from './pixels.ts';

/** Edge of the squares in which the two pictures are compared, device pixels. */
const TILE = 16;
/** A translucent layer over the ad counts as a cover from this strength on. */
const MIN_STRENGTH = 0.7;
/** Mean difference of brightness, 0 to 255, that resampling may cause. */
const MAX_DIFFERENCE = 20;

interface Views {
  readonly page: Pixels;
  readonly picture: Pixels;
  readonly ad: Pixels;
  readonly box: PixelBox;
}

/** Edge of the squares of equal base brightness. They stay measurable when the browser moves the picture by a part of a pixel. */
const CELL = 8;

/** Brightness that is added to a pixel of a square. Few different values keep the file small. */
const STEPS = [-28, -14, 0, 14, 28];

/** A picture in which hardly a pixel looks like its neighbors, so that scaling, tinting, clipping or covering is visible. */
export async function probePicture(size: { width: number; height: number }): Promise<{ pixels: Pixels; png: Buffer }> {
  const { width, height } = size;
  const data = Buffer.alloc(width * height * CHANNELS);
  const next = randomNumbers();
  const bases = Uint8Array.from(
    { length: Math.ceil(width / CELL) * Math.ceil(height / CELL) },
    () => 28 + (next() % 200),
  );
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * Math.ceil(width / CELL);
    for (let x = 0; x < width; x++) {
      const base = bases[row + Math.floor(x / CELL)] ?? 0;
      const value = base + (STEPS[(next() >>> 8) % STEPS.length] ?? 0);
      // No pixel is gray, so that a filter of colors is visible too.
      data[at++] = value;
      data[at++] = value;
      data[at++] = 255 - value;
    }
  }
  const raw = { width, height, channels: CHANNELS } as const;
  const png = await sharp(data, { raw }).png({ compressionLevel: 1, adaptiveFiltering: false }).toBuffer();
  return { pixels: { data, width, height }, png };
}

/** Xorshift, because each run must give the same picture. @returns 32 bits, not negative. */
function randomNumbers(): () => number {
  let state = 0x2545f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

export interface Verdict {
  /** Pixels laid over the page's picture at `box` are what the browser would paint. */
  readonly composable: boolean;
  /** The share of the ad's pixels, 0 to 1, that the picture shows. */
  readonly shown: number;
  /** Where the probe was found; if it was not found, where it was expected. */
  readonly box: PixelBox;
}

/** Pixels around the ad that must not change either: shadows, borders that move. */
const RING = 3;

/** Maximum error of the measured box, because a browser rounds to device pixels in several places. */
const SLACK = 2;

/** A position with this share of the probe is not improved further. */
const ENOUGH_SHOWN = 0.99;

/**
 * Compares the browser's picture with the composed picture.
 * @param page the page without an ad; @param probed the same with the probe as its ad, near `expected`.
 */
export function judgeProbe(page: Pixels, probed: Pixels, probe: { pixels: Pixels; expected: PixelBox }): Verdict {
  const { pixels, expected } = probe;
  if (page.width !== probed.width || page.height !== probed.height)
    return { composable: false, shown: 0, box: expected };
  const found = findProbe(probed, probe);
  if (found === undefined) return { composable: false, ...bestShare(page, probed, probe) };
  const { x, y, width, height } = found;
  const ring = { x: x - RING, y: y - RING, width: width + 2 * RING, height: height + 2 * RING };
  const composed = overlaid(page, pixels, found);
  return { composable: changedShare(composed, probed, clipped(ring, page)) === 0, shown: 1, box: found };
}

/** The browser may round to another pixel, so the neighbors of the expected position are tried too. */
function bestShare(page: Pixels, probed: Pixels, { pixels, expected }: { pixels: Pixels; expected: PixelBox }) {
  let best = { shown: 0, box: expected };
  for (const box of placesAround(expected, pixels).slice(0, 9)) {
    const shown = shownShare({ page, picture: probed, ad: pixels, box });
    if (shown > best.shown) best = { shown, box };
    if (shown >= ENOUGH_SHOWN) break;
  }
  return best;
}

/** @returns the exact position of the probe in the picture, or undefined. */
export function findProbe(picture: Pixels, probe: { pixels: Pixels; expected: PixelBox }): PixelBox | undefined {
  const { pixels, expected } = probe;
  return placesAround(expected, pixels).find((box) => isInside(box, picture) && shows(picture, pixels, box));
}

/** Nearest first. */
function placesAround({ x, y }: PixelBox, { width, height }: Pixels): PixelBox[] {
  const steps = Array.from({ length: 2 * SLACK + 1 }, (_, index) => index - SLACK);
  return steps
    .flatMap((dx) => steps.map((dy) => ({ dx, dy })))
    .sort((one, two) => Math.hypot(one.dx, one.dy) - Math.hypot(two.dx, two.dy))
    .map(({ dx, dy }) => ({ x: x + dx, y: y + dy, width, height }));
}

/** Row by row, so that a wrong position is rejected at its first row. */
function shows(picture: Pixels, patch: Pixels, { x, y, width, height }: PixelBox): boolean {
  const bytes = width * CHANNELS;
  for (let row = 0; row < height; row++) {
    const at = ((y + row) * picture.width + x) * CHANNELS;
    if (picture.data.compare(patch.data, row * bytes, (row + 1) * bytes, at, at + bytes) !== 0) return false;
  }
  return true;
}

function isInside(box: PixelBox, page: Pixels): boolean {
  const part = clipped(box, page);
  return part.width === box.width && part.height === box.height;
}

/**
 * Measures how much of an ad a picture shows. A pixel counts if the ad changed it and if the ad's brightness pattern is found around it. So
 * neither a static nor a moving cover counts as the ad. Parts outside the picture count as not shown.
 * @param views the page without the ad, the picture with it, and the ad, which is as large as the box.
 * @returns 0 to 1.
 */
export function shownShare(views: Views): number {
  const { box } = views;
  const all = box.width * box.height;
  if (all === 0) return 0;
  let shown = 0;
  for (let y = 0; y < box.height; y += TILE) {
    for (let x = 0; x < box.width; x += TILE) shown += shownInTile(views, x, y);
  }
  return shown / all;
}

/** @returns the number of pixels. */
function shownInTile({ page, picture, ad, box }: Views, left: number, top: number): number {
  const sums = { n: 0, ad: 0, seen: 0, adAd: 0, adSeen: 0, difference: 0 };
  let inside = 0;
  let contrast = 0;
  for (let y = top; y < Math.min(top + TILE, box.height); y++) {
    const inPicture = box.y + y;
    if (inPicture < 0 || inPicture >= picture.height) continue;
    for (let x = left; x < Math.min(left + TILE, box.width); x++) {
      const across = box.x + x;
      if (across < 0 || across >= picture.width) continue;
      const at = (inPicture * picture.width + across) * CHANNELS;
      const expected = brightness(ad.data, (y * ad.width + x) * CHANNELS);
      const seen = brightness(picture.data, at);
      const without = brightness(page.data, at);
      inside += 1;
      contrast += Math.abs(expected - without);
      if (seen === without && same(page.data, picture.data, at) && Math.abs(expected - without) > 2) continue;
      sums.n += 1;
      sums.ad += expected;
      sums.seen += seen;
      sums.adAd += expected * expected;
      sums.adSeen += expected * seen;
      sums.difference += Math.abs(expected - seen);
    }
  }
  if (sums.n === 0) return 0;
  // An ad that looks like the page behind it leaves nothing to measure but this.
  if (sums.difference / sums.n <= MAX_DIFFERENCE || contrast / inside < 2) return sums.n;
  return hasPattern(sums) ? sums.n : 0;
}

/** Whether the seen brightness follows that of the ad, at most slightly weakened. */
function hasPattern(sums: { n: number; ad: number; seen: number; adAd: number; adSeen: number }): boolean {
  const variance = sums.adAd - (sums.ad * sums.ad) / sums.n;
  const covariance = sums.adSeen - (sums.ad * sums.seen) / sums.n;
  return variance > 0 && covariance / variance >= MIN_STRENGTH;
}

function brightness(data: Buffer, at: number): number {
  return ((data[at] ?? 0) * 54 + (data[at + 1] ?? 0) * 183 + (data[at + 2] ?? 0) * 19) >> 8;
}

function same(one: Buffer, two: Buffer, at: number): boolean {
  return one[at] === two[at] && one[at + 1] === two[at + 1] && one[at + 2] === two[at + 2];
}
