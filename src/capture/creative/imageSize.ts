import { isStandardSize } from '../../domain/adSizes.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { Size } from './size.ts';

/** Images for sharp screens have two or three times the pixels of the ad. */
const SCALES = [2, 3] as const;

/** How far the proportions of an image may differ from those of the requested size. */
const SAME_PROPORTIONS = 0.02;

/**
 * The size at which an image is shown: the requested size, else its pixels. An image whose pixels are not a standard size, but
 * two or three times one, is an image for sharp screens.
 */
export function imageSize(pixels: Size, requested?: Size): { size: Size; warnings: readonly Warning[] } {
  if (requested !== undefined) return { size: requested, warnings: stretched(pixels, requested) };
  if (isStandardSize(pixels)) return { size: pixels, warnings: [] };
  for (const scale of SCALES) {
    const size = { width: pixels.width / scale, height: pixels.height / scale };
    if (!isStandardSize(size)) continue;
    const message = `The image has ${text(pixels)} pixels, ${scale} times the standard size ${text(size)}, and is shown at ${text(size)}; give the size of the ad to choose another one.`;
    return { size, warnings: [{ code: 'size_assumed', message }] };
  }
  return { size: pixels, warnings: [] };
}

function stretched(pixels: Size, requested: Size): Warning[] {
  const ratio = pixels.width / pixels.height / (requested.width / requested.height);
  if (Math.abs(ratio - 1) <= SAME_PROPORTIONS) return [];
  const message = `The image has ${text(pixels)} pixels. At the requested size ${text(requested)} its proportions change.`;
  return [{ code: 'size_conflict', message }];
}

function text({ width, height }: Size): string {
  return `${width}×${height}`;
}
