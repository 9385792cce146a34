/** The pictures of a creative as a hint of its size. */
import sharp from 'sharp';
import { isStandardSize } from '../../domain/adSizes.ts';
import { divided } from './imageSize.ts';
import type { Size } from './size.ts';
import type { SizeClaim } from './sizeClaims.ts';

const PICTURES = /\.(?:png|jpe?g|gif|webp|avif)$/i;
/** Reading more headers would take too long for a weak hint. */
const MAX_PICTURES = 100;
/** Smaller pictures are logos and buttons. */
const MIN_AREA = 300 * 50;

/** @returns the size of the largest picture if that is a standard size, or two times one: it is the background of the ad. */
export async function pictureHint(files: ReadonlyMap<string, Buffer>): Promise<SizeClaim[]> {
  const pictures = [...files].filter(([path]) => PICTURES.test(path)).slice(0, MAX_PICTURES);
  const sizes = await Promise.all(pictures.map(([, bytes]) => pixelsOf(bytes)));
  const [largest] = sizes.filter((size) => size !== undefined).toSorted((a, b) => areaOf(b) - areaOf(a));
  if (largest === undefined || areaOf(largest) < MIN_AREA) return [];
  const size = [largest, divided(largest, 2)].find(isStandardSize);
  return size === undefined ? [] : [{ size, from: 'the size of its largest picture', isGuess: true }];
}

async function pixelsOf(bytes: Buffer): Promise<Size | undefined> {
  try {
    const { width, height, pageHeight } = await sharp(bytes).metadata();
    return { width, height: pageHeight ?? height };
  } catch {
    return undefined; // A damaged picture says nothing. The browser shows that it is missing.
  }
}

function areaOf({ width, height }: Size): number {
  return width * height;
}
