/** Runs in a child process, because a capture sent the picture, which a hostile page may have taken over. */
import sharp from 'sharp';
import type { PictureSize } from '../../domain/thumbnails.ts';
import { requirePng } from '../../lib/requirePng.ts';

/** A picture of a long page at the highest pixel ratio has a hundred million. */
const MAX_PIXELS = 200_000_000;

interface ThumbnailPlan {
  readonly png: Buffer;
  readonly width: number;
  /** The part of the picture to show, in its own pixels. */
  readonly part: PictureSize & { readonly top: number };
  /** The quality of the WebP, 1 to 100. */
  readonly quality: number;
  /** Unless given, a WebP. Some mail programs show none. */
  readonly format?: 'jpeg' | 'png';
}

/** @returns the file. Never enlarges. @throws Error if the picture is damaged. */
export async function drawThumbnail({ png, width, part, quality, format }: ThumbnailPlan): Promise<Buffer> {
  return sharp(requirePng(png), { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .extract({ left: 0, top: part.top, width: part.width, height: part.height })
    .resize({ width, withoutEnlargement: true })
    .toFormat(format ?? 'webp', { quality })
    .toBuffer();
}
