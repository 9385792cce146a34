/** The page of one picture: the picture with the slots of its page, its review, retakes, history and record. */
import { readProvenance, readScreenshot } from '../../core/sets/readScreenshots.ts';
import { readSetHead } from '../../core/sets/readSet.ts';
import { type PlacedScreenshot, readPlaces, readVersionsOf } from '../../core/sets/readVersions.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { markerLabel } from '../labels.ts';
import type { PagePaths } from '../paths.ts';
import { siteName } from '../siteNames.ts';
import { foundSlots } from './candidates.ts';
import { comparison, comparisonChoice } from './comparison.ts';
import { slotOverlay } from './explain.ts';
import { inPageOrder, stripKey } from './grouping.ts';
import { details, fault } from './pictureDetails.ts';
import type { PictureFacts, PicturePageOptions } from './pictureFacts.ts';
import { currentVersion, withReviews } from './pictures.ts';
import { isRunning } from './setFacts.ts';

/** @param id of the set's own version. @returns undefined if this organization has no such screenshot. */
export async function picturePage(
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
    ...(isLive && { events: `${paths.set(set.id)}/events` }),
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
