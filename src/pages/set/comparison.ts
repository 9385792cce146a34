/** Two pictures side by side, and the choice of the second one. */
import { readScreenshot } from '../../core/sets/readScreenshots.ts';
import type { VersionRow } from '../../core/sets/readVersions.ts';
import type { PagesOptions } from '../context.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { markerLabel, timeElement } from '../labels.ts';
import type { PagePaths } from '../paths.ts';
import { siteName } from '../siteNames.ts';
import type { PictureFacts, PicturePageOptions } from './pictureFacts.ts';

/** Pictures to compare with. A longer list would be of no use. */
const MOST_CHOICES = 60;

/** Pictures of the same site or ad, which people compare most. */
export function comparisonChoice({ view, places, versions }: PictureFacts, paths: PagePaths): HtmlContent {
  const others = places.filter(
    ({ id, status, site_url, ad }) =>
      id !== view.id && status === 'uploaded' && (site_url === view.site_url || ad.id === view.ad.id),
  );
  const earlier = versions.filter(({ id, image_token }) => id !== view.shownId && image_token !== null);
  if (others.length + earlier.length === 0) return null;
  const name = (place: (typeof others)[number]) =>
    `${siteName(place.site_url).host}, ${place.device}${place.marker_ms === null ? '' : `, ${markerLabel(place.marker_ms)}`}, ${place.ad.name}`;
  return html`<form class="bar compare" method="get" action="${paths.screenshot(view.id)}"><label for="with">Compare with</label><select id="with" name="with">${earlier.map(({ id, captured_at }) => html`<option value="${id}">this picture${captured_at !== null && ` of ${captured_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`}</option>`)}${others.slice(0, MOST_CHOICES).map((place) => html`<option value="${place.id}">${name(place)}</option>`)}</select><button>Compare</button></form>`;
}

interface Side {
  readonly site_url: string;
  readonly device: string;
  readonly marker_ms: number | null;
  readonly captured_at: Date | null;
  readonly image_token: string | null;
  readonly image_width: number | null;
  readonly image_height: number | null;
}

/** @returns undefined if there is nothing to compare with. */
export async function comparison(
  { store: { db } }: PagesOptions,
  { view, versions }: PictureFacts,
  { viewer: { organizationId }, paths, compareWith }: PicturePageOptions,
): Promise<Html | undefined> {
  const version: VersionRow | undefined = versions.find(({ id }) => id === compareWith);
  const other: Side | undefined = version ?? (await readScreenshot(db, { organizationId, screenshotId: compareWith }));
  if (other === undefined || other.image_token === null || view.image_token === null) return undefined;
  return html`<div class="sides">${[view, other].map((side) => sideOf(side, paths))}</div>
<p><a href="${paths.screenshot(view.id)}">Show only the first one</a></p>`;
}

function sideOf(side: Side, paths: PagePaths): HtmlContent {
  if (side.image_token === null) return null;
  const address = paths.image(side.image_token);
  const name = `${siteName(side.site_url).host}, ${side.device}`;
  return html`<figure><a href="${address}" target="_blank" rel="noopener"><img src="${address}" alt="${name}" width="${side.image_width}" height="${side.image_height}"></a><figcaption class="meta">${name}${side.marker_ms !== null && `, ${markerLabel(side.marker_ms)}`}${side.captured_at !== null && html`, ${timeElement(side.captured_at)}`}</figcaption></figure>`;
}
