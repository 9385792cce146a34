/** The page of one picture: the picture with the slots of its page, its review, retakes, history and record. */

import type { Request } from 'express';
import { reviewScreenshot } from '../../core/reviews/reviews.ts';
import { readProvenance, readScreenshot } from '../../core/sets/readScreenshots.ts';
import { readSetHead } from '../../core/sets/readSet.ts';
import { type PlacedScreenshot, readPlaces, readVersionsOf, type VersionRow } from '../../core/sets/readVersions.ts';
import { conflict } from '../../domain/failure.ts';
import { COMMENT_MAX, DECISIONS } from '../../domain/reviews.ts';
import { isUuid } from '../../domain/slugs.ts';
import { cutCodePoints, storable } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { formField } from '../forms.ts';
import { markerLabel, timeElement } from '../labels.ts';
import { goBack, idOf, type PageRoutes } from '../pageRoutes.ts';
import { siteName } from '../parts.ts';
import type { PagePaths } from '../paths.ts';
import { inPageOrder, stripKey } from './grouping.ts';
import { details, fault, type PictureFacts, type PicturePageOptions } from './pictureDetails.ts';
import { currentVersion, isRunning, withReviews } from './pictures.ts';
import { foundSlots, slotOverlay } from './slots.ts';

/** Pictures to compare with. A longer list would be of no use. */
const MOST_CHOICES = 60;

interface Side {
  readonly site_url: string;
  readonly device: string;
  readonly marker_ms: number | null;
  readonly captured_at: Date | null;
  readonly image_token: string | null;
  readonly image_width: number | null;
  readonly image_height: number | null;
}

/** @param id of the set's own version. @returns undefined if this organization has no such screenshot. */
async function picturePage(
  options: PagesOptions,
  id: string,
  given: PicturePageOptions,
): Promise<ResultsPage | undefined> {
  const facts = await readPictureFacts(options, id, given);
  if (facts === undefined) return undefined;
  const { view, set } = facts;
  const { paths } = given;
  const name = siteName(view.site_url).host;
  const body = html`
<section class="head"><p class="crumb"><a href="${paths.set(set.id)}#screenshot-${view.id}"><bdi>${set.campaign}</bdi></a></p>
<h1>${name} <span class="meta">${view.device}${view.marker_ms !== null && `, ${markerLabel(view.marker_ms)}`}</span></h1>
${neighbours(facts, paths)}</section>
<div class="one"><section id="stage" data-live>${await shown(options, facts, given)}</section>
<aside id="details" class="details" data-live data-review="${view.review?.decision ?? 'none'}">${details(facts, given)}</aside></div>`;
  const isLive = view.runningIn !== undefined || isRunning(set);
  return {
    title: `${name}, ${view.device}`,
    body,
    section: 'sets',
    assets: ['set.css', 'review.js', 'picture.js'],
    events: isLive ? `${paths.set(set.id)}/events` : undefined,
  };
}

async function readPictureFacts(
  { store: { db } }: PagesOptions,
  screenshotId: string,
  { viewer: { organizationId }, version }: PicturePageOptions,
): Promise<PictureFacts | undefined> {
  const own = await readScreenshot(db, { organizationId, screenshotId });
  const set = own && (await readSetHead(db, { id: own.set_id, organizationId }));
  if (own === undefined || set === undefined) return undefined;
  const versions = await readVersionsOf(db, own.id);
  const current = currentVersion(own, versions);
  const wanted = versions.find(({ id }) => id === version);
  const asked = wanted === undefined ? current : { ...current, ...wanted, id: own.id, shownId: wanted.id };
  const [view] = await withReviews(db, [asked]);
  if (view === undefined) return undefined;
  const record = (await readProvenance(db, [view.shownId])).get(view.shownId);
  const ordered = inPageOrder(await readPlaces(db, set.id), 'site');
  // As on the page of the set, failures come after the pictures.
  const places = [...ordered.filter(hasPicture), ...ordered.filter((place) => !hasPicture(place))];
  return { view, set, versions, record, slots: foundSlots(record), places };
}

const hasPicture = ({ status }: PlacedScreenshot) => status === 'uploaded' || status === 'pending';

function neighbours({ view, places }: PictureFacts, paths: PagePaths): Html {
  const at = places.findIndex(({ id }) => id === view.id);
  const link = (place: PlacedScreenshot | undefined, text: string, rel: string) =>
    place && html`<a class="button" rel="${rel}" href="${paths.screenshot(place.id)}">${text}</a> `;
  return html`<nav class="bar" aria-label="Pictures of the set">${link(places[at - 1], '← Previous', 'prev')}${link(places[at + 1], 'Next →', 'next')}<span class="meta">${at + 1} of ${places.length}</span>${frames({ view, places }, paths)}</nav>`;
}

/** The markers of one placement. */
function frames({ view, places }: Pick<PictureFacts, 'view' | 'places'>, paths: PagePaths): HtmlContent {
  const strip = places.filter((place) => stripKey(place) === stripKey(view));
  if (strip.length < 2) return null;
  return html`<span class="pills" aria-label="Markers">${strip.map((place) => html`<a href="${paths.screenshot(place.id)}"${place.id === view.id && html` aria-current="true"`}>${markerLabel(place.marker_ms)}</a>`)}</span>`;
}

async function shown(options: PagesOptions, facts: PictureFacts, given: PicturePageOptions): Promise<HtmlContent> {
  const { view, slots } = facts;
  const { paths, compareWith } = given;
  const compared = compareWith === '' ? undefined : await comparison(options, facts, given);
  if (compared !== undefined) return compared;
  if (view.image_token === null) return html`${fault(facts)}`;
  const size = { width: view.image_width ?? 1, height: view.image_height ?? 1 };
  const address = paths.image(view.image_token);
  const overlay = slots && slotOverlay(slots, size);
  const shape = size.width > size.height ? 'wide' : 'tall';
  return html`${overlay && html`<input type="checkbox" id="show-slots" class="show-slots"> <label for="show-slots">Show the slots of the page <kbd>E</kbd></label>`}
<div class="stage ${shape}"><a href="${address}" target="_blank" rel="noopener" aria-label="Open in real pixels"><img src="${address}" alt="${view.ad.name} on ${view.site_url}" width="${size.width}" height="${size.height}"></a>${overlay}</div>
${comparisonChoice(facts, paths)}`;
}

/** Pictures of the same site or ad, which people compare most. */
function comparisonChoice({ view, places, versions }: PictureFacts, paths: PagePaths): HtmlContent {
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

/** @returns undefined if there is nothing to compare with. */
async function comparison(
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

/** Routes of the page of one picture and its review. */
export function addPictureRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/screenshots/:id';
  pages.get(path, ({ request, viewer, paths }) => {
    const [version, compareWith] = [uuidOf(request, 'version'), uuidOf(request, 'with')];
    return picturePage(options, idOf(request), { viewer, paths, version, compareWith });
  });
  pages.post(`${path}/review`, async (given) => {
    const { request, viewer } = given;
    const decision = DECISIONS.find((name) => name === formField(request, 'decision'));
    if (decision === undefined && formField(request, 'decision') !== '') {
      throw conflict('decision', 'must be approved, rejected or none.');
    }
    const comment = cutCodePoints(storable(formField(request, 'comment')), COMMENT_MAX);
    const { organizationId, keyId } = viewer;
    const review = { organizationId, screenshotId: idOf(request), keyId, decision, comment };
    await options.store.db.transaction().execute((tx) => reviewScreenshot(tx, review, options));
    return goBack(given);
  });
}

/** @returns '' if the query has no such id. */
function uuidOf(request: Request, name: string): string {
  const id = String(request.query[name] ?? '').toLowerCase();
  return isUuid(id) ? id : '';
}
