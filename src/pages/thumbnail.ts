/** A picture on a page: thumbnails in several widths, of which the browser loads one. */
import { type PictureSize, THUMBNAIL_WIDTHS, type ThumbnailWidth } from '../domain/thumbnails.ts';
import { type Html, html } from './html.ts';
import type { PagePaths } from './paths.ts';

const LARGEST = 768 satisfies ThumbnailWidth;

interface ThumbnailOptions {
  readonly paths: PagePaths;
  readonly token: string;
  readonly alt: string;
  /** The size of the shown part. The page keeps room of this shape. */
  readonly size: PictureSize;
  /** The width on the page, CSS pixels. */
  readonly shownWidth: number;
  /** False for a picture at the top of the page. */
  readonly lazy?: boolean;
}

export function thumbnail({ paths, token, alt, size, shownWidth, lazy = true }: ThumbnailOptions): Html {
  const widths = widthsFor(shownWidth);
  const srcset = widths.map((width) => `${paths.thumbnail(token, width)} ${width}w`).join(', ');
  const usual = paths.thumbnail(token, atLeast(shownWidth));
  const loading = lazy ? html` loading="lazy"` : html` fetchpriority="high"`;
  return html`<img src="${usual}" srcset="${srcset}" sizes="${Math.ceil(shownWidth)}px" alt="${alt}" width="${size.width}" height="${size.height}"${loading} decoding="async">`;
}

/** A screen with twice the pixels shows a thumbnail with half as many more sharp enough. */
const SHARP = 1.5;

function widthsFor(shownWidth: number): ThumbnailWidth[] {
  return THUMBNAIL_WIDTHS.filter((width) => width <= atLeast(shownWidth * SHARP));
}

/** @returns the smallest width that is at least this one, or the largest. */
function atLeast(width: number): ThumbnailWidth {
  return THUMBNAIL_WIDTHS.find((candidate) => candidate >= width) ?? LARGEST;
}

/** @returns the width of a picture that is shown at this height. */
export function widthAtHeight({ width, height }: PictureSize, shownHeight: number): number {
  return (width / height) * shownHeight;
}
