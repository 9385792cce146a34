import sharp from 'sharp';
import { isStandardSize } from '../../domain/adSizes.ts';
import type { Warning } from '../../domain/warnings.ts';
import { areaOf, type Size, sizeText } from './creative.ts';
import type { SizeClaim } from './sizeClaims.ts';

const PICTURES = /\.(?:png|jpe?g|gif|webp|avif)$/i;
/** Reading more headers would take too long for a weak hint. */
const MAX_PICTURES = 100;
/** Smaller pictures are logos and buttons. */
const MIN_AREA = 300 * 50;

/** Images for sharp screens have two or three times the pixels of the ad. */
const SCALES = [2, 3] as const;

/** How far the proportions of an image or a video may differ from those of the requested size. */
export const SAME_PROPORTIONS = 0.02;

/**
 * The size at which an image is shown: the requested size, else its pixels. An image whose pixels are not a standard size, but
 * two or three times one, is an image for sharp screens.
 */
export function imageSize(pixels: Size, requested?: Size): { size: Size; warnings: readonly Warning[] } {
  if (requested !== undefined) return { size: requested, warnings: stretched(pixels, requested) };
  if (isStandardSize(pixels)) return { size: pixels, warnings: [] };
  for (const scale of SCALES) {
    const size = divided(pixels, scale);
    if (!isStandardSize(size)) continue;
    const message = `The image has ${sizeText(pixels)} pixels, ${scale} times the standard size ${sizeText(size)}, and is shown at ${sizeText(size)}; to change this, set the size of the ad.`;
    return { size, warnings: [{ code: 'size_assumed', message }] };
  }
  return { size: pixels, warnings: [] };
}

/** @returns a warning if a film of this size gets black bars at the requested size. */
export function barsOf(pixels: Size, requested: Size | undefined): Warning[] {
  if (requested === undefined || haveSameProportions(pixels, requested)) return [];
  const message = `The video has ${sizeText(pixels)} pixels. At the requested size ${sizeText(requested)} it has black bars, as in a player.`;
  return [{ code: 'size_conflict', message }];
}

function haveSameProportions(a: Size, b: Size): boolean {
  return Math.abs(a.width / a.height / (b.width / b.height) - 1) <= SAME_PROPORTIONS;
}

/** @returns a warning if an image of this size is stretched at the requested size. Ad servers do not keep its proportions. */
export function stretched(pixels: Size, requested: Size): Warning[] {
  if (haveSameProportions(pixels, requested)) return [];
  const message = `The image has ${sizeText(pixels)} pixels. Shown at ${sizeText(requested)}, its proportions change.`;
  return [{ code: 'size_conflict', message }];
}

/** @returns the size of an image for a screen with `scale` pixels for each CSS pixel. */
function divided({ width, height }: Size, scale: number): Size {
  return { width: width / scale, height: height / scale };
}

/** @returns the size of the largest picture if that is a standard size, or two times one: it is the background of the ad. */
export async function pictureHint(files: ReadonlyMap<string, Buffer>): Promise<SizeClaim[]> {
  const pictures = [...files].filter(([path]) => PICTURES.test(path)).slice(0, MAX_PICTURES);
  const sizes = await Promise.all(pictures.map(([, bytes]) => pixelsOf(bytes)));
  const [largest] = sizes.filter((size) => size !== undefined).toSorted((a, b) => areaOf(b) - areaOf(a));
  if (largest === undefined || areaOf(largest) < MIN_AREA) return [];
  const size = [largest, divided(largest, 2)].find(isStandardSize);
  return size === undefined ? [] : [{ size, from: 'the size of its largest picture', isGuess: true }];
}

export async function pixelsOf(bytes: Buffer): Promise<Size | undefined> {
  try {
    const { width, height, pageHeight } = await sharp(bytes).metadata();
    return { width, height: pageHeight ?? height };
  } catch {
    return undefined; // A damaged picture has no usable size. The browser shows that it is missing.
  }
}
