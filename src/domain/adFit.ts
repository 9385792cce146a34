/** Whether an ad can be shown on a screen at all. The capture judges each slot by the same numbers. */
import type { AdSize } from './ads.ts';
import type { ScreenshotOptions } from './screenshotOptions.ts';

/** The smallest scale at which an ad is placed. */
const MIN_SCALE = 0.5;
/** Ads larger than any standard slot, such as films in their own resolution, may be scaled further, and without being asked. */
const OVERSIZE = { width: 970, height: 1050, leastScale: 0.15 };
/** A device may show a page a little smaller, and so a little more of it. */
export const ZOOM_SLACK = 0.01;

/** Part of the problem of a slot that takes the ad if it may be scaled down. Pages look for it in stored records. */
export const GOES_IN_SCALED = 'goes in only at';

export function isOversized({ width, height }: AdSize): boolean {
  return width > OVERSIZE.width || height > OVERSIZE.height;
}

export function minScaleOf(ad: AdSize): number {
  return isOversized(ad) ? OVERSIZE.leastScale : MIN_SCALE;
}

/** @param screen what the picture shows of the page. */
export function isLargerThan(ad: AdSize, screen: AdSize): boolean {
  return ad.width > screen.width || ad.height > screen.height;
}

/**
 * Checks only the screen: an ad that fits may still find no slot.
 * @param screen of the device, CSS pixels.
 * @returns why no picture of the device can show the ad, as a sentence, or undefined.
 */
export function fitFault(
  ad: AdSize,
  screen: AdSize,
  { allowScaling, fullPage }: Pick<ScreenshotOptions, 'allowScaling' | 'fullPage'>,
): string | undefined {
  // The device then shows the page as small as the ad needs.
  if (allowScaling) return undefined;
  const scale = isOversized(ad) ? minScaleOf(ad) : 1;
  const shown = { width: ad.width * scale, height: ad.height * scale };
  const most = 1 / (1 - ZOOM_SLACK);
  const height = fullPage ? Number.POSITIVE_INFINITY : screen.height * most;
  if (!isLargerThan(shown, { width: screen.width * most, height })) return undefined;
  return `The ad of ${ad.width}×${ad.height} is larger than the screen of ${screen.width}×${screen.height}.`;
}
