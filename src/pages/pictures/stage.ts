/** The large picture and what surrounds it, on the page of a reviewer and on that of a share link. */
import type { StoredAnimation } from '../../domain/animations.ts';
import { findDevice } from '../../domain/devices.ts';
import type { PictureSize } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, linkButton } from '../parts/components.ts';
import { type IconName, icon as iconOf } from '../parts/icons.ts';
import { markerLabel } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { siteName, wholePicture } from '../parts/pictureParts.ts';
import { MEMBER_WORDS, type Words } from '../parts/words.ts';
import { type Groupable, stripKey } from './grouping.ts';
import { WHOLE_DESKTOP } from './slots.ts';

/** The name of a picture. */
type Named = Pick<Groupable, 'site_url' | 'device' | 'marker_ms'>;

/** A picture that can be shown beside another one. */
export interface Side extends Named {
  readonly captured_at: Date | null;
  readonly image_token: string | null;
  readonly image_width: number | null;
  readonly image_height: number | null;
}

/** Pictures to compare with. A longer list would be of no use. */
const MOST_CHOICES = 60;

export const nameOf = ({ site_url, device, marker_ms }: Named, { language, texts } = MEMBER_WORDS) =>
  `${siteName(site_url).host}, ${texts.device(device)}${marker_ms === null ? '' : `, ${markerLabel(marker_ms, language)}`}`;

export interface Neighbours<P> {
  /** The place of the picture among all, from 1; 0 if it has none. */
  readonly place: number;
  readonly total: number;
  readonly previous: P | undefined;
  readonly next: P | undefined;
}

export function neighboursIn<P>(places: readonly P[], view: P | undefined): Neighbours<P> {
  const at = view === undefined ? -1 : places.indexOf(view);
  return { place: at + 1, total: places.length, previous: places[at - 1], next: places[at + 1] };
}

/** Links to the picture before and after this one. */
export function neighbours<P>(
  { place: at, total, previous, next }: Neighbours<P>,
  addressOf: (place: P) => string,
  { texts } = MEMBER_WORDS,
): Html {
  const { pictures, place: placeOf } = texts.parts;
  const link = (place: P | undefined, text: string, icon: IconName, rel: string) =>
    place !== undefined &&
    html`<a class="button icon-only" rel="${rel}" href="${addressOf(place)}" aria-label="${text}" title="${text}">${iconOf(icon)}</a>`;
  return html`<nav class="bar" aria-label="${pictures.label}">
    ${link(previous, pictures.previous, 'arrow-left', 'prev')}
    <span class="count">${placeOf(at, total)}</span>
    ${link(next, pictures.next, 'arrow-right', 'next')}
  </nav>`;
}

/** The moments of one placement. */
export function moments<P extends Groupable>(
  places: readonly P[],
  view: P | undefined,
  addressOf: (place: P) => string,
  { language, texts } = MEMBER_WORDS,
): HtmlContent {
  const strip = view === undefined ? [] : places.filter((place) => stripKey(place) === stripKey(view));
  if (strip.length < 2) return null;
  const momentOf = ({ marker_ms }: P) =>
    marker_ms === null ? texts.document.defaultMoment : markerLabel(marker_ms, language);
  const link = (place: P) =>
    html`<a href="${addressOf(place)}"${place === view && html` aria-current="true"`}>${momentOf(place)}</a>`;
  return html`<span class="pills" aria-label="${texts.parts.stage.moments}">${strip.map(link)}</span>`;
}

interface Choice {
  readonly value: string;
  readonly name: HtmlContent;
}

/** @param action the path of the page. */
export function comparisonChoice(action: string, choices: readonly Choice[], { texts } = MEMBER_WORDS): HtmlContent {
  const { compare } = texts.parts;
  if (choices.length === 0) return null;
  const options = choices
    .slice(0, MOST_CHOICES)
    .map(({ value, name }) => html`<option value="${value}">${name}</option>`);
  return html`<form class="bar compare" method="get" action="${action}">
    <select name="with" aria-label="${compare.with}">${options}</select>
    ${button({ label: compare.label, icon: 'columns-2' })}
  </form>`;
}

/** Pictures of the same site or ad, which people compare most. */
export const isLike = (a: Groupable, b: Groupable): boolean => a.site_url === b.site_url || a.ad.id === b.ad.id;

type Look = Pick<StageOptions, 'paths' | 'words'>;

/** Two pictures beside each other. @param back the path of the page of the first one. */
export function comparison(sides: readonly Side[], back: string, { paths, words = MEMBER_WORDS }: Look): Html {
  const { end, overlay } = words.texts.parts.compare;
  return html`<div class="bar tools">
    ${linkButton({ href: back, label: end, icon: 'x' })}
    <label class="slide">${overlay} <input type="range" min="0" max="100" value="0"></label>
  </div>
  <div class="pane"><div class="sides">${sides.map((side) => sideOf(side, { paths, words }))}</div></div>`;
}

function sideOf(side: Side, { paths, words }: Required<Look>): HtmlContent {
  if (side.image_token === null) return null;
  const token = side.image_token;
  const name = nameOf(side, words);
  const picture = wholePicture({ paths, token, alt: name, size: sizeOf(side), sizes: '50vw' });
  const date = side.captured_at !== null && html`, ${words.date(side.captured_at)}`;
  return html`<figure>
    <a href="${paths.image(token)}" target="_blank" rel="noopener noreferrer">${picture}</a>
    <figcaption class="meta">${name}${date}</figcaption>
  </figure>`;
}

interface StageOptions {
  readonly paths: PagePaths;
  readonly alt: string;
  /** Beside the button that shows real pixels. */
  readonly tools: HtmlContent;
  /** The moving picture, if there is one. */
  readonly animation: StoredAnimation | null;
  /** Whether the moving picture may be downloaded as a file. */
  readonly canDownload: boolean;
  /** Drawings over the picture. */
  readonly overlay: HtmlContent;
  /** Whether it is shown as wide as possible. Default: a picture that is wider than high, and the long one of a desktop. */
  readonly isWide?: boolean;
  readonly words?: Words;
}

/** @param token of the picture. */
export function stage(token: string, side: Side, options: StageOptions): Html {
  const { paths, alt, tools, animation, overlay, isWide = isWider(side), words = MEMBER_WORDS } = options;
  const { actual, open } = words.texts.parts.stage;
  const { width, height } = sizeOf(side);
  const look = [isWide ? 'wide' : 'tall', isLong({ width, height }) && 'long'].filter(Boolean).join(' ');
  const most = (part: string) => `min(${part}, ${width}px)`;
  const sizes = isWide ? `(max-width: 60rem) ${most('100vw')}, ${most('calc(100vw - 28rem)')}` : most('28rem');
  const picture = wholePicture({ paths, token, alt, size: { width, height }, sizes });
  return html`<div class="bar tools">
    <button type="button" data-zoom aria-pressed="false">${iconOf('zoom-in')}<span>${actual}</span> <kbd>Z</kbd></button>
    ${animation && movingLinks(animation, options)}${tools}
  </div>
  <div class="pane"><div class="stage ${look}"><a href="${paths.image(token)}" target="_blank" rel="noopener noreferrer"
    aria-label="${open}">${picture}</a>${overlay}</div></div>`;
}

/** Links to the files; a script plays the WebP in the place of the picture. */
function movingLinks(
  { webp, gif }: StoredAnimation,
  { paths, canDownload, words: { language, texts } = MEMBER_WORDS }: StageOptions,
): Html {
  const { play, stop } = texts.parts.stage;
  const megabytes = (gif.bytes / 1_000_000).toLocaleString(language, { maximumFractionDigits: 1 });
  const file = html`<a class="button" href="${paths.animation(gif.token, 'gif')}" download>GIF, ${megabytes} MB</a>`;
  return html`<a class="button" href="${paths.animation(webp.token, 'webp')}" target="_blank" rel="noopener noreferrer"
    data-play="${play}" data-stop="${stop}">${iconOf('film')}<span>${play}</span></a>${canDownload && file}`;
}

/** Too high to be seen at once. It scrolls beside the text. */
const isLong = ({ width, height }: PictureSize) => height > 2.5 * width;

function isWider(side: Side): boolean {
  const size = sizeOf(side);
  return size.width > size.height || (isLong(size) && (findDevice(side.device)?.viewport.width ?? 0) > WHOLE_DESKTOP);
}

export const sizeOf = ({ image_width, image_height }: Side) => ({ width: image_width ?? 1, height: image_height ?? 1 });
