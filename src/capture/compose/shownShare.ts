import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';

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
