/** The page of one picture: the picture with the slots of its page, its review, retakes, history and record. */

import type { Request } from 'express';
import { threadsOfScreenshots } from '../../core/reviews/commentQueries.ts';
import { reviewScreenshots } from '../../core/reviews/reviews.ts';
import { readImageSizes } from '../../core/sets/images.ts';
import { readPictureHistory } from '../../core/sets/pictureHistory.ts';
import { readNoSlotFacts, readProvenance, readScreenshot } from '../../core/sets/readScreenshots.ts';
import { readSetHead } from '../../core/sets/readSet.ts';
import { type PlacedScreenshot, readPlaces, readVersionsOf, type VersionRow } from '../../core/sets/readVersions.ts';
import { findRuleOfPages } from '../../core/siteRules/siteRuleQueries.ts';
import { shortDevice } from '../../domain/devices.ts';
import { conflict } from '../../domain/failure.ts';
import { COMMENT_MAX, DECISIONS } from '../../domain/reviews.ts';
import { setName } from '../../domain/setNames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { cutCodePoints, storable } from '../../domain/text.ts';
import { chooseVersion } from '../../domain/versions.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { formField, redirectPath } from '../parts/forms.ts';
import { icon as iconOf } from '../parts/icons.ts';
import { decisionBadge, markerLabel } from '../parts/labels.ts';
import { addressOf } from '../parts/paths.ts';
import { siteName } from '../parts/pictureParts.ts';
import { inPageOrder } from '../pictures/grouping.ts';
import { currentVersion, withReviews } from '../pictures/pictures.ts';
import { chosenSlot, pagesOfOffer } from '../pictures/slotOffer.ts';
import { foundSlots, slotOverlay, WHOLE_DESKTOP } from '../pictures/slots.ts';
import {
  comparison,
  comparisonChoice,
  isLike,
  moments,
  nameOf,
  neighbours,
  neighboursIn,
  type Side,
  sizeOf,
  stage,
} from '../pictures/stage.ts';
import { answerBadge, pins } from '../pictures/threads.ts';
import {
  goBack,
  idOf,
  type PageResult,
  type PageRoutes,
  REVIEW,
  redirectTo,
  type ViewerRequest,
} from '../routes/pageRoutes.ts';
import { details, fault, isSlotUncertain, type PictureFacts, type PicturePageOptions } from './pictureDetails.ts';
import { isDecidedMeanwhile, noteMark, questionPage, readSeen, unseenChanges } from './seenReviews.ts';
import { doneAddress, undoToast } from './setReviews.ts';

/** @param id of the set's own version. @returns undefined if this organization has no such screenshot. */
async function picturePage(
  options: PagesOptions,
  id: string,
  given: PicturePageOptions & Pick<ViewerRequest, 'response'>,
): Promise<PageResult> {
  const facts = await readPictureFacts(options, id, given);
  if (facts === undefined) return undefined;
  const original = facts.versions.find((version) => version.set_id === facts.set.original_id);
  if (original !== undefined) return redirectToOriginal(given, facts, original.id);
  const { view, set } = facts;
  const { paths } = given;
  const body = html`${head(facts, given)}
<div class="one"><section id="stage" data-live>${await shown(options, facts, given)}</section>
${details(facts, given)}</div>
${given.done}`;
  return {
    title: nameOf(view),
    body,
    section: 'campaigns',
    assets: ['set.css', 'live.js', 'set.js'],
    events: `${paths.set(set.id)}/events`,
  };
}

/** People see a retake as a version of the picture that it takes again. */
function redirectToOriginal(
  { response, paths, compareWith }: PicturePageOptions & Pick<ViewerRequest, 'response'>,
  { view, versions }: PictureFacts,
  own: string,
): 'sent' {
  const isShown = chooseVersion(versions, { own })?.shown.id === view.id;
  const query = { version: isShown ? undefined : view.id, with: compareWith || undefined };
  response.redirect(302, addressOf(paths.screenshot(own), query));
  return 'sent';
}

function head(facts: PictureFacts, { paths }: PicturePageOptions): Html {
  const { view, set } = facts;
  const moment = view.marker_ms !== null && `, ${markerLabel(view.marker_ms)}`;
  const title = pageHead({
    up: { href: `${paths.set(set.id)}#screenshot-${view.id}`, label: html`<bdi>${setName(set)}</bdi>` },
    title: html`${siteName(view.site_url).host} <span class="meta">${shortDevice(view.device)}${moment}</span>`,
    badge: html`${decisionBadge(view.review?.decision ?? 'none')} ${answerBadge(view.answer)}`,
    actions: neighbours(neighboursIn(facts.places, placeOf(facts)), ({ id }) => paths.screenshot(id)),
  });
  return html`<div id="head" class="picture-head" data-live>${title}</div>`;
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
  const asked =
    wanted === undefined ? current : { ...current, ...wanted, id: own.id, shownId: wanted.id, versionIds: [wanted.id] };
  const [view] = await withReviews(db, [asked]);
  if (view === undefined) return undefined;
  const ofVersions = await threadsOfScreenshots(db, view.versionIds);
  const threads = view.versionIds.flatMap((id) => ofVersions.get(id) ?? []);
  const ids = versions.map((one) => one.id);
  const events = await readPictureHistory(db, { organizationId, ids });
  const record = (await readProvenance(db, [view.shownId])).get(view.shownId);
  const { shownId, page_token: page } = view;
  const pageSize = page === null ? undefined : (await readImageSizes(db, [page])).get(page);
  const found = view.status === 'no_slots' ? (await readNoSlotFacts(db, [shownId])).get(shownId) : undefined;
  const pages = chosenSlot(record) && pagesOfOffer({ site: view.site_url, device: view.device });
  const rule = pages && (await findRuleOfPages(db, organizationId, pages));
  const ordered = inPageOrder(await readPlaces(db, set.id), 'site');
  // As on the page of the set, failures come after the pictures.
  const places = [...ordered.filter(hasPicture), ...ordered.filter((place) => !hasPicture(place))];
  return {
    view,
    set,
    versions,
    record,
    slots: foundSlots(record, pageSize !== undefined),
    pageSize,
    found,
    rule,
    places,
    threads,
    events,
  };
}

const hasPicture = ({ status }: PlacedScreenshot) => status === 'uploaded' || status === 'pending';

const placeOf = ({ view, places }: PictureFacts) => places.find(({ id }) => id === view.id);

async function shown(options: PagesOptions, facts: PictureFacts, given: PicturePageOptions): Promise<HtmlContent> {
  const { view, slots, places, threads } = facts;
  const { paths, compareWith } = given;
  const other = compareWith === '' ? undefined : await otherSide(options, facts, given);
  if (other !== undefined) return comparison([view, other], paths.screenshot(view.id), { paths });
  if (view.image_token === null) return html`${fault(facts, given)}${failedPage(facts, given)}`;
  const size = sizeOf(view);
  const overlay = slots && slotOverlay(slots, size);
  const here = paths.screenshot(view.id);
  const strip = moments(places, placeOf(facts), ({ id }) => paths.screenshot(id));
  const pictureStage = stage(view.image_token, view, {
    paths,
    alt: `${view.ad.name} on ${view.site_url}`,
    tools: [overlay && SLOT_SWITCH, strip, comparisonChoice(here, choices(facts))],
    animation: view.animation,
    canDownload: true,
    overlay: html`${overlay}${pins(
      threads.filter(({ screenshot_id }) => screenshot_id === view.shownId),
      size,
    )}`,
  });
  return html`${overlay && slotBox(isSlotUncertain(view))}${pictureStage}`;
}

const SLOT_SWITCH = html`<label for="show-slots" class="button">${iconOf('eye')}<span>Slots</span> <kbd>E</kbd></label>`;
const slotBox = (isChecked: boolean) =>
  html`<input type="checkbox" id="show-slots" class="show-slots"${isChecked && html` checked`}>`;

/** The page on which the screenshot failed, with its slots, each of which leads to its place in the list. */
function failedPage({ view, slots, pageSize }: PictureFacts, { paths }: PicturePageOptions): HtmlContent {
  const { page_token: token, runningIn } = view;
  if (token === null || pageSize === undefined || runningIn !== undefined) return null;
  const { width, height } = pageSize;
  const links = { idOf: 'drawn', hrefOf: (number: number) => `#slot-${number}`, ad: undefined };
  const overlay = slots && slotOverlay(slots, pageSize, links);
  const options = { paths, alt: `The page ${view.site_url}`, animation: null, canDownload: false, overlay };
  const side = { ...view, image_width: width, image_height: height };
  const pictured = stage(token, side, { ...options, tools: overlay && SLOT_SWITCH, isWide: width > WHOLE_DESKTOP });
  return html`<h2>The page at the time of the failure</h2>${overlay && slotBox(true)}${pictured}`;
}

/** Earlier versions first. */
function choices({ view, places, versions }: PictureFacts) {
  const others = places.filter((place) => place.id !== view.id && place.status === 'uploaded' && isLike(place, view));
  const earlier = versions.filter(({ id, image_token }) => id !== view.shownId && image_token !== null);
  return [
    ...earlier.map(({ id, captured_at }) => {
      const time = captured_at?.toISOString().slice(0, 16).replace('T', ' ');
      return { value: id, name: html`this picture${time && ` of ${time} UTC`}` };
    }),
    ...others.map((place) => ({ value: place.id, name: `${nameOf(place)}, ${place.ad.name}` })),
  ];
}

/** @returns undefined if there is nothing to compare with. */
async function otherSide(
  { store: { db } }: PagesOptions,
  { view, versions }: PictureFacts,
  { viewer: { organizationId }, compareWith }: PicturePageOptions,
): Promise<Side | undefined> {
  const version: VersionRow | undefined = versions.find(({ id }) => id === compareWith);
  const other = version ?? (await readScreenshot(db, { organizationId, screenshotId: compareWith }));
  return other === undefined || other.image_token === null || view.image_token === null ? undefined : other;
}

/** Routes of the page of one picture and its review. */
export function addPictureRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/screenshots/:id';
  const show = ({ request, response, viewer, paths }: ViewerRequest) => {
    const [version, compareWith] = [uuidOf(request, 'version'), uuidOf(request, 'with')];
    const { locations } = options;
    const done = undoToast(request, viewer, paths);
    return picturePage(options, idOf(request), { response, viewer, paths, locations, version, compareWith, done });
  };
  pages.get(path, show, { readsSet: true });
  pages.post(
    `${path}/review`,
    async (given) => {
      const form = readForm(given.request);
      const { question, note } = await knownReview(options, given, form);
      if (question !== undefined) return question;
      const { request, viewer, actor, paths } = given;
      const { decision, comment, seen } = form;
      const expected = { decision: [...seen.values()][0]?.decision, comment: note };
      const reviews = [{ screenshotId: idOf(request), decision, comment, expected }];
      const { organizationId } = viewer;
      try {
        const { reviewId } = await options.store.db
          .transaction()
          .execute((tx) => reviewScreenshots(tx, { organizationId, reviews, actor }, options));
        if (decision === undefined || decision === 'none') return goBack(given);
        const next = redirectPath(paths, formField(request, 'after') || formField(request, 'next'));
        return redirectTo(given, doneAddress(next, { decision, count: 1, reviewId }));
      } catch (error) {
        const known = isDecidedMeanwhile(error) ? await knownReview(options, given, form) : undefined;
        if (known?.question === undefined) throw error;
        return known.question;
      }
    },
    REVIEW,
  );
}

/** The form of the decision. The comment is undefined if the reviewer did not change it. */
function readForm(request: Request) {
  const decision = DECISIONS.find((name) => name === formField(request, 'decision'));
  if (decision === undefined && formField(request, 'decision') !== '')
    throw conflict('decision', 'must be approved, rejected or none.');
  const typed = cutCodePoints(storable(formField(request, 'comment')), COMMENT_MAX);
  const noted = formField(request, 'noted');
  return { decision, comment: noteMark(typed) === noted ? undefined : typed, noted, seen: readSeen(request) };
}

interface KnownReview {
  /** The page that asks first, if others have decided or changed the note, or the picture was taken again. */
  readonly question?: ResultsPage;
  /** The present note, which the reviewer has seen. */
  readonly note?: string;
}

async function knownReview(
  options: PagesOptions,
  { request, viewer, paths }: ViewerRequest,
  { decision, comment, noted, seen }: ReturnType<typeof readForm>,
): Promise<KnownReview> {
  const [id] = seen.keys();
  const version = formField(request, 'version');
  const given = { viewer, paths, locations: options.locations, version, compareWith: '', done: null };
  const facts = id !== undefined && isUuid(id) ? await readPictureFacts(options, id, given) : undefined;
  if (facts === undefined) return {};
  const { view } = facts;
  const note = view.review?.comment ?? '';
  const isNoteReplaced = comment !== undefined && ![noted, noteMark(comment)].includes(noteMark(note));
  if (!isNoteReplaced && unseenChanges([view], { seen, decision, own: undefined }).length === 0) return { note };
  const after = formField(request, 'after');
  const question = questionPage({
    ...{ viewer, paths, decision, seen, views: [view], changed: [view], back: paths.screenshot(view.id) },
    action: `${paths.screenshot(view.shownId)}/review`,
    decide: { name: 'decision', value: decision ?? '' },
    fields: { after, version, noted: noteMark(note), comment: comment ?? note },
  });
  return { question };
}

/** @returns '' if the query has no such id. */
function uuidOf(request: Request, name: string): string {
  const id = String(request.query[name] ?? '').toLowerCase();
  return isUuid(id) ? id : '';
}
