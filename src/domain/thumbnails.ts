/** Thumbnails: small WebP pictures derived from a picture, in a few fixed widths. */

/** CSS pixels on the pages: a list, a phone or tablet in a set, a desktop in a set, and one and a half times that for sharp screens. */
export const THUMBNAIL_WIDTHS = [192, 256, 512, 768] as const;
export type ThumbnailWidth = (typeof THUMBNAIL_WIDTHS)[number];

/** Pixels of pictures that are shown alone, for phones and for the other screens. Such a thumbnail is never cut. */
export const WHOLE_WIDTHS = [720, 1440] as const;

export interface Thumbnail {
  readonly width: number;
  /** Whether it shows all of a picture of a whole page. */
  readonly isWhole: boolean;
}

export const THUMBNAILS: readonly Thumbnail[] = [
  ...THUMBNAIL_WIDTHS.map((width) => ({ width, isWhole: false })),
  ...WHOLE_WIDTHS.map((width) => ({ width, isWhole: true })),
];

/** The end of the address of a thumbnail. */
export const thumbnailName = ({ width, isWhole }: Thumbnail) => `${isWhole ? 'whole-' : ''}${width}.webp`;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** A little more than the screen of any phone. Only a picture of a whole page is taller. */
const TALLEST = 2.25;

/** @returns the key of a thumbnail, beside that of its picture, so that one rule of a bucket covers both. */
export function thumbnailKey(pictureKey: string, { width, isWhole }: Thumbnail): string {
  return `${pictureKey.replace(/\.png$/, '')}.${isWhole ? 'whole' : 'w'}${width}.webp`;
}

/** @returns the part of a screenshot that its small thumbnails show. Pictures of ads alone are never cut. */
export function shownPart({ width, height }: PictureSize): PictureSize {
  return { width, height: Math.min(height, Math.round(width * TALLEST)) };
}

/** @returns whether the picture with this key is a screenshot, and not a frame of an ad. */
export const isScreenshotKey = (key: string) => key.startsWith('screenshots/');
