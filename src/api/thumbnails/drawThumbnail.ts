import sharp from 'sharp';
import type { PictureSize } from '../../domain/thumbnails.ts';

/** A picture of a long page at the highest pixel ratio has a hundred million. */
const MAX_PIXELS = 200_000_000;
const TIMEOUT_SECONDS = 20;
const QUALITY = 75;

export interface ThumbnailPlan {
  readonly width: number;
  /** The part of the picture to show, in its own pixels. */
  readonly part: PictureSize & { readonly top: number };
}

const PNG_START = '89504e470d0a1a0a';

/** Draws in threads of its own, so that other requests continue. Never enlarges. @throws Error if the picture is damaged. */
export async function drawThumbnail(png: Buffer, { width, part }: ThumbnailPlan): Promise<Buffer> {
  // A capture sent the bytes, so no other decoder may see them.
  if (png.subarray(0, 8).toString('hex') !== PNG_START) throw new Error('The stored picture is not a PNG file.');
  return sharp(png, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .extract({ left: 0, top: part.top, width: part.width, height: part.height })
    .resize({ width, withoutEnlargement: true })
    .webp({ quality: QUALITY })
    .toBuffer();
}
