/** The pictures of a set: a dense grid in groups, with the frames of one placement beside each other. */
import { createHash } from 'node:crypto';
import { findDevice } from '../../domain/devices.ts';
import { shownPart } from '../../domain/thumbnails.ts';
import { withScheme } from '../../domain/webAddresses.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { markerLabel, SCREENSHOT_LABELS, timeElement } from '../labels.ts';
import { siteName, thumbnail, warningList, webLink, widthAtHeight } from '../parts.ts';
import type { PagePaths } from '../paths.ts';
import { type FilmStrip, type Group, type Grouping, groupName } from './grouping.ts';
import type { ReviewedPicture } from './pictures.ts';

interface GridOptions {
  readonly paths: PagePaths;
  /** How many ads the whole set shows. The name of the only one is not repeated under each picture. */
  readonly ads: number;
}

/** CSS pixels, as in set.css. */
const SHOWN_HEIGHT = 200;
/** About two rows; a browser loads the others when they come near. */
const AT_ONCE = 8;

export function grid(groups: readonly Group<ReviewedPicture>[], options: GridOptions): Html {
  const first = new Set(groups.flatMap(({ strips }) => strips.flatMap(({ frames }) => frames)).slice(0, AT_ONCE));
  return html`<section id="pictures" class="groups" data-keyed aria-label="Pictures">${groups.map((group) => section(group, { ...options, first }))}</section>`;
}

interface CellOptions extends GridOptions {
  readonly by: Grouping;
  readonly first: ReadonlySet<ReviewedPicture>;
  /** The id of the film strip around it. */
  readonly film?: string;
}

/** The same on each list page and after each change, so that links and live updates find the group. */
export function groupId({ by, key }: Pick<Group<ReviewedPicture>, 'by' | 'key'>): string {
  return `${by}-${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
}

function section(group: Group<ReviewedPicture>, options: Omit<CellOptions, 'by'>): Html {
  const id = groupId(group);
  return html`<section class="group" id="${id}"><header><h2><bdi>${groupName(group)}</bdi></h2><p class="meta">${about(group, options.paths)}</p></header>
<div class="cells" id="${id}-cells" data-keyed>${group.strips.map((strip) => stripOf(strip, { ...options, by: group.by }))}</div></section>`;
}

function about({ by, first }: Group<ReviewedPicture>, paths: PagePaths): HtmlContent {
  if (by === 'site') return address(first.site_url);
  if (by === 'ad') return html`${sizeOf(first)} <a href="${paths.ad(first.ad.id)}">Open the ad</a>`;
  const device = findDevice(first.device);
  return device && html`${device.viewport.width} × ${device.viewport.height}, ratio ${device.ratio}`;
}

/** The heading names the host already. */
function address(siteUrl: string): HtmlContent {
  const { pathname = '/', search = '' } = URL.parse(withScheme(siteUrl)) ?? {};
  return webLink(siteUrl, pathname + search === '/' ? 'Open the page' : pathname + search);
}

function sizeOf({ ad }: ReviewedPicture): HtmlContent {
  return ad.width !== null && ad.height !== null && html`${ad.width} × ${ad.height}`;
}

function stripOf({ frames }: FilmStrip<ReviewedPicture>, options: CellOptions): HtmlContent {
  const [first] = frames;
  if (frames.length < 2 || first === undefined) return frames.map((frame) => cell(frame, options));
  const film = `film-${first.id}`;
  return html`<div class="film" id="${film}" data-keyed>${frames.map((frame) => cell(frame, { ...options, film }))}</div>`;
}

function cell(view: ReviewedPicture, options: CellOptions): Html {
  return html`<figure id="screenshot-${view.id}" class="shot ${view.status}" data-live>${
    view.image_token === null ? placeholder(view, options) : picture(view, view.image_token, options)
  }<figcaption>${caption(view, options)}</figcaption></figure>`;
}

function picture(view: ReviewedPicture, token: string, { paths, ...options }: CellOptions): Html {
  const size = shownPart({ width: view.image_width ?? 1, height: view.image_height ?? 1 });
  const shownWidth = widthAtHeight(size, SHOWN_HEIGHT);
  const lazy = !options.first.has(view);
  const film = options.film && html` data-strip="${options.film}" data-marker="${markerLabel(view.marker_ms)}"`;
  return html`<a class="frame" href="${paths.screenshot(view.id)}" data-picture="${paths.image(token)}" data-width="${view.image_width}" data-height="${view.image_height}" data-title="${titleOf(view)}"${film}>${thumbnail({ paths, token, alt: altOf(view), size, shownWidth, lazy })}</a>`;
}

/** Has the shape of the picture, so that the page does not move when the picture arrives. */
function placeholder({ id, device }: ReviewedPicture, { paths }: CellOptions): Html {
  const { width, height } = findDevice(device)?.viewport ?? { width: 1, height: 1 };
  return html`<a class="frame" href="${paths.screenshot(id)}" aria-label="Not taken yet"><svg class="empty" viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg></a>`;
}

function titleOf({ site_url, device, marker_ms, ad }: ReviewedPicture): string {
  const marker = marker_ms === null ? '' : `, ${markerLabel(marker_ms)}`;
  return `${siteName(site_url).host}, ${device}${marker}, ${ad.name}`;
}

function altOf({ ad, site_url, device, marker_ms }: ReviewedPicture): string {
  return `${ad.name} on ${site_url}, ${device}, ${markerLabel(marker_ms)}`;
}

function caption(view: ReviewedPicture, { by, ads }: CellOptions): HtmlContent {
  const { device, ad, marker_ms } = view;
  const names = [
    by !== 'site' && html`<bdi>${siteName(view.site_url).host}</bdi>`,
    by !== 'device' && device,
    marker_ms !== null && html`<span class="marker">${markerLabel(marker_ms)}</span>`,
  ].filter((name) => name !== false);
  return html`<p class="what">${names.map((name, index) => html`${index > 0 && ' · '}${name}`)}</p>
${by !== 'ad' && ads > 1 && html`<p class="meta ad"><bdi>${ad.name}</bdi></p>`}${status(view)}${decision(view)}${retakeNote(view)}${warnings(view)}`;
}

function status({ status, runningIn }: ReviewedPicture): HtmlContent {
  if (runningIn !== undefined) return html`<p class="meta"><span class="state pending">Being taken again</span></p>`;
  return status === 'pending' && html`<p class="meta">${SCREENSHOT_LABELS.pending}</p>`;
}

function decision({ review }: ReviewedPicture): HtmlContent {
  if (review === null) return html`<p class="meta decision"></p>`;
  const { decision, comment } = review;
  return html`<p class="meta decision">${decision !== 'none' && html`<span class="state ${decision}">${decision}</span> `}${comment !== null && html`<bdi>${comment}</bdi>`}</p>`;
}

function retakeNote({ retake, captured_at }: ReviewedPicture): HtmlContent {
  return (
    retake && html`<p class="meta retake">Retaken${captured_at !== null && html` ${timeElement(captured_at)}`}</p>`
  );
}

function warnings({ warnings }: ReviewedPicture): HtmlContent {
  if (warnings.length === 0) return null;
  return html`<details class="warned"><summary>${warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}</summary>${warningList(warnings)}</details>`;
}
