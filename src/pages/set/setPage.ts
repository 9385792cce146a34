import { withSetHistory } from '../../core/reviews/reviewQueries.ts';
import { reviewSet, type SetAction } from '../../core/reviews/reviews.ts';
import { readSetRecord } from '../../core/sets/readRecords.ts';
import { readDecisions } from '../../core/sets/readScreenshots.ts';
import { readProgress, readSetHead } from '../../core/sets/readSet.ts';
import { readLaterRetakes } from '../../core/sets/readVersions.ts';
import { listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { deliveryList } from '../deliveries/deliveryPage.ts';
import { formField } from '../forms.ts';
import { setLabel } from '../labels.ts';
import { setSource } from '../live.ts';
import { goBack, idOf, type PageRoutes, pageOf, recordQuery } from '../pageRoutes.ts';
import { numberedPages } from '../parts.ts';
import { sharePanel } from '../sharePanel.ts';
import { failures, failuresOf } from './failures.ts';
import { grid } from './grid.ts';
import { groupingOf, groupPictures, inPageOrder } from './grouping.ts';
import { groupingLinks, placeAddress, reviewFilter, reviewLinks, sectionLinks } from './navigation.ts';
import {
  isFinished,
  isRunning,
  type PictureView,
  readPictures,
  type SetFacts,
  type SetPageOptions,
  shownOf,
  withReviews,
} from './pictures.ts';
import { actions, setHead, totalsOfViews } from './setHead.ts';

const SET_ACTIONS: readonly SetAction[] = ['approve', 'reject', 'cancel'];

/** Screenshots on one list page of a set; more would make a browser slow. */
const PER_PAGE = 240;
const DELIVERIES_SHOWN = 50;

/** @returns undefined if this organization has no such set. */
async function setPage(options: PagesOptions, id: string, given: SetPageOptions): Promise<ResultsPage | undefined> {
  const facts = await readSetFacts(options, { id, organizationId: given.viewer.organizationId });
  if (facts === undefined) return undefined;
  const { set, views, retakes } = facts;
  const { viewer, paths } = given;
  const failureOptions = { viewer, paths, setId: id, isFinished: isFinished(set) };
  const body = html`
<div class="intro">${setHead(facts, paths)}
<section id="actions" data-live>${actions(facts, given)}</section></div>
${await pictures(options, facts, given)}
<section id="failures" class="failures" data-live>${failures(views, failureOptions)}</section>
<section id="deliveries" class="panel" data-live>${await deliveriesOf(options, id, given)}</section>
${viewer.canWrite && (await sharePanel(options, id, given))}`;
  const isLive = !isFinished(set) || retakes.some(isRunning);
  return {
    title: `${set.campaign}, ${setLabel(set.status, totalsOfViews(views))}`,
    body,
    section: 'sets',
    assets: ['set.css', 'review.js', 'lightbox.js', 'downloads.js'],
    events: isLive ? `${paths.set(id)}/events` : undefined,
  };
}

export async function readSetFacts(
  { store: { db } }: PagesOptions,
  ref: { id: string; organizationId: string },
): Promise<SetFacts | undefined> {
  const head = await readSetHead(db, ref);
  const [set] = head === undefined ? [] : await withSetHistory(db, [head]);
  if (set === undefined) return undefined;
  const retakes = await readLaterRetakes(db, ref.id);
  const views = await readPictures(db, ref.id, { hasRetakes: retakes.length > 0 });
  const decisions = await readDecisions(
    db,
    views.map(({ shownId }) => shownId),
  );
  return { set, retakes, views, decisions };
}

async function pictures(
  { store }: PagesOptions,
  facts: SetFacts,
  { paths, page, by, show }: SetPageOptions,
): Promise<HtmlContent> {
  const { set, views } = facts;
  const inGrid = views.filter(isInGrid);
  const ordered = inPageOrder(reviewFilter(inGrid, show, facts), by);
  const place = { total: ordered.length, page, perPage: PER_PAGE, by, show, path: paths.set(set.id) };
  const shown = await withReviews(store.db, ordered.slice((page - 1) * PER_PAGE, page * PER_PAGE));
  const ads = new Set(views.map(({ ad }) => ad.id)).size;
  return html`<nav id="sections" class="bar jump" aria-label="Pictures" data-live>${groupingLinks(place)}${reviewLinks(inGrid, facts, place)}${sectionLinks(ordered, place)}${failureLink(views)}</nav>
${grid(groupPictures(shown, by), { paths, ads })}
${numberedPages({ page, pages: Math.ceil(place.total / PER_PAGE), addressOf: (to) => placeAddress(place, to) })}`;
}

/** Pictures, and what is or will be taken. Failures have a section of their own. */
const isInGrid = ({ status, image_token, runningIn }: PictureView) =>
  image_token !== null || status === 'pending' || runningIn !== undefined;

function failureLink(views: readonly PictureView[]): HtmlContent {
  const count = failuresOf(views).length;
  return count > 0 && html`<a class="to-failures" href="#failures">${count} failed</a>`;
}

async function deliveriesOf({ store }: PagesOptions, setId: string, { viewer, paths }: SetPageOptions): Promise<Html> {
  const filter = { organizationId: viewer.organizationId, setId };
  const { rows } = await listDeliveries(store.db, filter, { page: 1, perPage: DELIVERIES_SHOWN });
  return deliveryList(rows, { paths, viewer, next: paths.set(setId) });
}

/** Routes of the page of a set and its actions. */
export function addSetRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { db } = options.store;
  const path = '/o/:slug/screenshot_sets/:id';
  pages.json(`${path}.json`, (given) => readSetRecord(db, recordQuery(options, given)));
  pages.get(path, ({ request, viewer, paths }) => {
    const { group, show } = request.query;
    const place = { page: pageOf(request), by: groupingOf(group), show: shownOf(show) };
    return setPage(options, idOf(request), { ...place, viewer, paths });
  });
  pages.events(`${path}/events`, async ({ request, viewer: { organizationId } }, findAgain) => {
    const id = idOf(request);
    return (await readProgress(db, { id, organizationId })) && setSource(options, id, findAgain);
  });
  for (const action of SET_ACTIONS)
    pages.post(`${path}/${action}`, async (given) => {
      const notes = formField(given.request, 'notes');
      await actOnSet(options, given.viewer, { id: idOf(given.request), action, notes });
      return goBack(given);
    });
}

/** @throws Failure: 404 if there is no such set, 409 if its status forbids the action. */
export async function actOnSet(
  options: PagesOptions,
  { organizationId, keyId }: Viewer,
  { id, action, notes }: { id: string; action: SetAction; notes: string },
): Promise<void> {
  const review = { action, organizationId, setId: id, keyId, notes: notes.trim() || null };
  await options.store.db.transaction().execute((tx) => reviewSet(tx, review, options));
}
