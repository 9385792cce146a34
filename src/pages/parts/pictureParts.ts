/** Parts that show pictures, sites, warnings and metadata, and links to numbered pages. */
import type { Metadata } from '../../domain/metadata.ts';
import type { Decision } from '../../domain/reviews.ts';
import { type Texts, textsOf } from '../../domain/texts/languages.ts';
import {
  type PictureSize,
  shownPart,
  THUMBNAIL_WIDTHS,
  type ThumbnailWidth,
  WHOLE_WIDTHS,
} from '../../domain/thumbnails.ts';
import type { Warning } from '../../domain/warnings.ts';
import { withScheme } from '../../domain/webAddresses.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
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
}

/** A picture on a page, in several widths, of which the browser loads one. */
export function thumbnail({ paths, token, alt, size, shownWidth }: ThumbnailOptions): Html {
  const widths = widthsFor(shownWidth);
  const pathOf = (width: ThumbnailWidth) => paths.thumbnail(token, { width, isWhole: false });
  const srcset = widths.map((width) => `${pathOf(width)} ${width}w`).join(', ');
  const usual = pathOf(atLeast(shownWidth));
  return html`<img src="${usual}" srcset="${srcset}" sizes="${Math.ceil(shownWidth)}px" alt="${alt}"
    width="${size.width}" height="${size.height}" loading="lazy" decoding="async">`;
}

/** CSS pixels, as in set.css. */
const SHOT_HEIGHT = 200;

/** A picture that was taken, or none yet. */
export interface Shot {
  readonly image_token: string | null;
  readonly image_width: number | null;
  readonly image_height: number | null;
}

interface FrameOptions extends Pick<ThumbnailOptions, 'paths' | 'alt'> {
  readonly href: string;
}

/** A picture of a set as a link; nothing if there is none. */
export function frame({ image_token: token, image_width, image_height }: Shot, options: FrameOptions): HtmlContent {
  if (token === null) return null;
  const size = shownPart({ width: image_width ?? 1, height: image_height ?? 1 });
  const picture = thumbnail({ ...options, token, size, shownWidth: widthAtHeight(size, SHOT_HEIGHT) });
  return html`<a class="frame" href="${options.href}">${picture}</a>`;
}

interface FigureOptions extends FrameOptions {
  readonly decision: Decision;
  readonly caption: HtmlContent;
}

/** A picture of a set with its caption, in the color of its decision. */
export function shotFigure(shot: Shot, { decision, caption, ...options }: FigureOptions): Html {
  return html`<figure class="shot ${decision}">${frame(shot, options)}<figcaption>${caption}</figcaption></figure>`;
}

interface WholePicture {
  readonly paths: PagePaths;
  readonly token: string;
  readonly alt: string;
  readonly size: PictureSize;
  /** The widths on the page, as `sizes` names them. The picture is never shown wider than it is. */
  readonly sizes: string;
}

/** A picture that is shown alone. The original is many times as large, and a link leads to it. */
export function wholePicture({ paths, token, alt, size: { width, height }, sizes }: WholePicture): Html {
  const pathOf = (most: number) => paths.thumbnail(token, { width: most, isWhole: true });
  const srcset = WHOLE_WIDTHS.map((most) => `${pathOf(most)} ${Math.min(most, width)}w`).join(', ');
  return html`<img src="${pathOf(Math.max(...WHOLE_WIDTHS))}" srcset="${srcset}" sizes="${sizes}" alt="${alt}"
    width="${width}" height="${height}">`;
}

/** A thumbnail with 1.5 times the pixels is sharp enough on a screen with twice the pixels. */
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

/** Closed, because only some readers need them. */
export function metadataList(metadata: Metadata): HtmlContent {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  const rows = pairs.map(([key, value]) => html`<dt><bdi>${key}</bdi></dt><dd><bdi>${value}</bdi></dd>`);
  return html`<details class="note"><summary>Metadata</summary><dl>${rows}</dl></details>`;
}

/** The warnings of a picture, near the picture. */
export function warningList(warnings: readonly Warning[]): HtmlContent {
  if (warnings.length === 0) return null;
  return html`<ul class="note warnings" aria-label="Warnings">${warnings.map(({ message }) => html`<li>${message}</li>`)}</ul>`;
}

/** The address has no query, which may hold a token of a page that is not public. */
export function siteName(siteUrl: string): { readonly host: string; readonly address: string } {
  const url = URL.parse(withScheme(siteUrl));
  if (url === null) return { host: siteUrl, address: siteUrl };
  return { host: url.host, address: `${url.host}${url.pathname.replace(/\/$/, '')}` };
}

/** @returns a link for http and https addresses and host names, otherwise the plain text, so that `javascript:` never becomes a link. */
export function webLink(address: string, text: HtmlContent = address): Html {
  const url = withScheme(address);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return html`${text}`;
  return html`<a href="${url}" rel="noopener noreferrer nofollow" target="_blank">${text}</a>`;
}

interface NumberedPages {
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  addressOf(page: number): string;
  /** The address at which the list is read again from its beginning. */
  readonly first?: string;
  /** Whether more pages may follow than are known. */
  readonly isOpen?: boolean;
  readonly texts?: Texts['parts'];
}

/** Links to the list pages before and after this one; nothing if there is one page. */
export function numberedPages(given: NumberedPages): HtmlContent {
  const { page, pages, addressOf, first, isOpen = false, texts = textsOf('en').parts } = given;
  if (pages <= 1) return null;
  const link = (to: number, rel: 'prev' | 'next', text: string) =>
    html`<a class="button" rel="${rel}" href="${addressOf(to)}">${text}</a>`;
  const restart = first !== undefined && html`<a class="button" href="${first}">${texts.list.first}</a>`;
  return html`<nav class="pages" aria-label="${texts.list.label}">
    ${page > 1 && [restart, link(page - 1, 'prev', texts.list.previous)]}
    <span>${texts.list.page} ${isOpen ? page : texts.place(page, pages)}</span>
    ${page < pages && link(page + 1, 'next', texts.list.next)}
  </nav>`;
}
