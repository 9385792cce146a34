/** The page of a set: its head, and a tab each for pictures, failures, share links and activity. */
import type { Response } from 'express';
import { costOfPictures } from '../../api/limits/costs.ts';
import { reviewRounds } from '../../core/reviews/reviews.ts';
import { readSetText } from '../../core/sets/readRecords.ts';
import { readSetVersion } from '../../core/sets/readSet.ts';
import { countShared } from '../../core/sharing/sharedPictures.ts';
import type { ShareLinkRow } from '../../core/sharing/shareLinks.ts';
import { setName } from '../../domain/setNames.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions } from '../parts/context.ts';
import { formField, hiddenFields, redirectPath } from '../parts/forms.ts';
import { setLabel } from '../parts/labels.ts';
import { setSource } from '../parts/live.ts';
import { addressOf } from '../parts/paths.ts';
import { numberedPages } from '../parts/pictureParts.ts';
import { groupingOf, groupPictures, inPageOrder, oncePerPicture } from '../pictures/grouping.ts';
import {
  isFinished,
  PER_PAGE,
  type PictureView,
  type ReviewedPicture,
  readSetFacts,
  type SetFacts,
  type SetPageOptions,
  shownOf,
  withReviews,
} from '../pictures/pictures.ts';
import {
  goBack,
  idOf,
  type PageResult,
  type PageRoutes,
  pageOf,
  rateKeyOf,
  recordQuery,
  redirectTo,
  refOf,
  type ViewerRequest,
} from '../routes/pageRoutes.ts';
import { readShares, shareDialog, shareList } from '../sharing/sharePanel.ts';
import { activity } from './activity.ts';
import { failures } from './failures.ts';
import { grid, pictureBar } from './grid.ts';
import {
  groupingLinks,
  hasOnlyFailures,
  isInGrid,
  placeAddress,
  reviewFilter,
  reviewLinks,
  sectionLinks,
  setTabs,
  type TabName,
  tabOf,
} from './navigation.ts';
import { roundList } from './rounds.ts';
import { notes, setDialogs, setHead, stateOf, totalsOfViews } from './setHead.ts';
import { doneAddress, undoToast } from './setReviews.ts';

/** A reviewer decides about the set, and ends no work. */
const SET_ACTIONS = [
  { action: 'approve', scope: 'review', decision: 'approved' },
  { action: 'reject', scope: 'review', decision: 'rejected' },
  { action: 'reopen', scope: 'review', decision: undefined },
  { action: 'cancel', scope: 'write', decision: undefined },
] as const;

/** @returns undefined if this organization has no such set. */
async function setPage(
  options: PagesOptions,
  id: string,
  given: SetPageOptions & {
    readonly tab: TabName;
    readonly done: HtmlContent;
    readonly created: string;
    readonly response: Response;
  },
): Promise<PageResult> {
  const facts = await readSetFacts(options, { id, organizationId: given.viewer.organizationId });
  if (facts === undefined) return undefined;
  const { set, views } = facts;
  const { viewer, paths, tab } = given;
  if (set.original_id !== null) return redirectToOriginal(given, set.original_id);
  const path = paths.set(id);
  const owner = { setId: id };
  const shares = await readShares(options, { ...owner, organizationId: set.organization_id });
  const current = tab === 'pictures' && hasOnlyFailures(facts) ? 'failed' : tab;
  const body = html`${setHead(facts, given)}
${setTabs(facts, { path, current, shares: shares.total })}
${await content(options, facts, { ...given, shares: shares.rows })}
${setDialogs(facts, given)}${viewer.canWrite && shareDialog({ ...given, owner, ...(await countShared(options.store.db, owner)) })}
${given.done}`;
  return {
    title: `${setName(set)}, ${setLabel(stateOf(facts), totalsOfViews(views))}`,
    body,
    section: 'campaigns',
    assets: ['set.css', 'live.js', 'set.js', 'downloads.js'],
    events: `${path}/events`,
  };
}

/** People see a retake as a round of the set that it takes again. */
function redirectToOriginal({ response, paths }: Pick<ViewerRequest, 'response' | 'paths'>, id: string): 'sent' {
  response.redirect(302, addressOf(paths.set(id), { tab: 'rounds' }));
  return 'sent';
}

async function content(
  options: PagesOptions,
  facts: SetFacts,
  given: SetPageOptions & { readonly tab: TabName; readonly created: string; readonly shares: readonly ShareLinkRow[] },
): Promise<HtmlContent> {
  const { set, views } = facts;
  const failed = async (isShown = true) =>
    html`<section id="failures" data-live>${isShown && (await failures(options, views, { ...given, set }))}</section>`;
  switch (given.tab) {
    case 'pictures':
      return [notes(facts), await pictures(options, facts, given), await failed(hasOnlyFailures(facts))];
    case 'failed':
      return failed();
    case 'rounds':
      return roundList(options, facts, given.paths);
    case 'shared':
      return shareList(options, given.shares, given);
    case 'activity':
      return html`<div id="activity" class="part" data-live>${await activity(options, facts, given)}</div>`;
  }
}

async function pictures({ store }: PagesOptions, facts: SetFacts, given: SetPageOptions): Promise<Html> {
  const { page, by, show } = given;
  const ordered = oncePerPicture(inPageOrder(reviewFilter(facts.views.filter(isInGrid), show, facts), by), by);
  const shown = await withReviews(store.db, ordered.slice((page - 1) * PER_PAGE, page * PER_PAGE));
  return pictureList(facts, { ordered, shown }, given);
}

/** @param ordered all pictures that the person chose, in the order of the page. @param shown those of this list page. */
export function pictureList(
  facts: SetFacts,
  { ordered, shown }: { readonly ordered: readonly PictureView[]; readonly shown: readonly ReviewedPicture[] },
  { paths, viewer, page, by, show }: SetPageOptions,
): Html {
  const { set, views } = facts;
  const inGrid = views.filter(isInGrid);
  const path = paths.set(set.id);
  const place = { total: ordered.length, page, perPage: PER_PAGE, by, show, path };
  const ads = new Set(views.map(({ ad }) => ad.id)).size;
  const canReview = viewer.canReview && isFinished(set);
  const retakePath = viewer.canWrite ? `${path}/selected/retake` : undefined;
  const cells = grid(groupPictures(shown, by), { paths, ads, canReview, retakePath });
  const here = placeAddress(place, page);
  const links = html`${reviewLinks(inGrid, facts, place)}${groupingLinks(place)}${sectionLinks(ordered, place)}`;
  const form = html`<form id="review" method="post" action="${path}/reviews" data-inplace>
    ${hiddenFields(viewer, here)}${cells}
    ${pictureBar(viewer, path)}
  </form>`;
  return html`<nav id="sections" class="bar jump" aria-label="Pictures" data-live>${inGrid.length > 0 && links}</nav>
${viewer.canReview ? form : cells}
${ordered.length === 0 && !hasOnlyFailures(facts) && html`<p class="hint">No pictures here.</p>`}
${numberedPages({ page, pages: Math.ceil(place.total / PER_PAGE), addressOf: (to) => placeAddress(place, to) })}`;
}

/** Routes of the page of a set and its actions. */
export function addSetRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const { db } = options.store;
  const path = '/o/:slug/screenshot_sets/:id';
  const readsSet = { readsSet: true };
  const readText = async (given: ViewerRequest) => {
    const { pictures = 0 } = (await readSetVersion(db, refOf(given))) ?? {};
    await options.requestLimits?.take(rateKeyOf(given.viewer), costOfPictures(pictures), given.response);
    return readSetText(db, recordQuery(options, given));
  };
  pages.json(`${path}.json`, readText, readsSet);
  const show = ({ request, response, viewer, paths }: ViewerRequest) => {
    const { group, show, tab, created = '' } = request.query;
    const place = { page: pageOf(request), by: groupingOf(group), show: shownOf(show), tab: tabOf(tab) };
    const done = undoToast(request, viewer, paths);
    return setPage(options, idOf(request), { ...place, response, viewer, paths, created: String(created), done });
  };
  pages.get(path, show, readsSet);
  pages.events(`${path}/events`, (given) => setSource(options, refOf(given)));
  for (const { action, scope, decision } of SET_ACTIONS)
    pages.post(
      `${path}/${action}`,
      async (given) => {
        const { request, actor } = given;
        const { id: setId, organizationId } = refOf(given);
        const notes = formField(request, 'notes').trim() || null;
        const review = { action, organizationId, setId, actor, notes };
        const reviewId = await db.transaction().execute((tx) => reviewRounds(tx, review, options));
        const next = redirectPath(given.paths, formField(request, 'next'));
        if (decision === undefined) return goBack(given);
        return redirectTo(given, doneAddress(next, { decision, count: 'set', reviewId }));
      },
      { scope, ...readsSet },
    );
}
