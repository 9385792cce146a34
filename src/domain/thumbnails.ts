/** Thumbnails: small WebP pictures derived from a picture, in a few fixed widths. */

/** CSS pixels on the pages: a list, a phone or tablet in a set, a desktop in a set, and one and a half times that for sharp screens. */
export const THUMBNAIL_WIDTHS = [192, 256, 512, 768] as const;
export type ThumbnailWidth = (typeof THUMBNAIL_WIDTHS)[number];

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** A little more than the screen of any phone. Only a picture of a whole page is taller. */
const TALLEST = 2.25;

export function thumbnailWidth(text: string): ThumbnailWidth | undefined {
  return THUMBNAIL_WIDTHS.find((width) => String(width) === text);
}

/** @returns the key of a thumbnail, beside that of its picture, so that one rule of a bucket covers both. */
export function thumbnailKey(pictureKey: string, width: ThumbnailWidth): string {
  return `${pictureKey.replace(/\.png$/, '')}.w${width}.webp`;
}

/** @returns the part of a screenshot that its thumbnails show. Pictures of ads alone are never cut. */
export function shownPart({ width, height }: PictureSize): PictureSize {
  return { width, height: Math.min(height, Math.round(width * TALLEST)) };
}

/** @returns whether the picture with this key is a screenshot, and not a frame of an ad. */
export const isScreenshotKey = (key: string) => key.startsWith('screenshots/');
