import { countStatuses, reviewNotes, totalsOf } from '../../domain/reviewNotes.ts';
import type { ScreenshotRow } from '../../store/database/rows.ts';
import { listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { readProvenance, readScreenshots } from '../../store/screenshots/readScreenshots.ts';
import { readSetHead, type SetHead } from '../../store/sets/readSet.ts';
import type { PagesOptions, ResultsPage, Viewer } from './context.ts';
import { deliveryList } from './deliveries.ts';
import { failures } from './failures.ts';
import { hiddenFields } from './forms.ts';
import { inPageOrder } from './grouping.ts';
import { type Html, type HtmlContent, html } from './html.ts';
import { formatTime, progressLabel, SET_LABELS } from './labels.ts';
import type { PagePaths } from './paths.ts';
import { screenshotSections } from './screenshots.ts';
import { signShare } from './signatures.ts';

/** Screenshots on one list page of a set; more would make a browser slow. */
const PER_PAGE = 240;
const SHARE_DAYS = 30;
const DELIVERIES_SHOWN = 50;

interface SetPageOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** Number of the list page, from 1. */
  readonly page: number;
  /** The parameter `s` of a share link, which links on the page must keep; '' without one. */
  readonly share: string;
}

/** @returns undefined if this organization has no such set. */
export async function setPage(
  options: PagesOptions,
  id: string,
  pageOptions: SetPageOptions,
): Promise<ResultsPage | undefined> {
  const { db } = options.store;
  const { viewer, paths, page, share } = pageOptions;
  const set = await readSetHead(db, { id, organizationId: viewer.organizationId });
  if (set === undefined) return undefined;
  const screenshots = await readScreenshots(db, id);
  const ordered = inPageOrder(screenshots);
  const shown = ordered.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const ids = shown.map((screenshot) => screenshot.id);
  const records = await readProvenance(db, ids);
  const withRecords = shown.map((screenshot) => ({ ...screenshot, record: records.get(screenshot.id) }));
  const query = share === '' ? '' : `?s=${share}`;
  const isShared = viewer.sharedSet !== undefined;
  const body = html`
${head(set, screenshots, { paths, query })}
<section id="actions" data-live>${viewer.canWrite && actions(set, pageOptions)}</section>
<section id="failures" class="panel" data-live>${failures(screenshots)}</section>
${screenshotSections(withRecords, { paths, linksAds: !isShared })}
${pageLinks(ordered.length, pageOptions, paths.set(id))}
${!isShared && html`<section id="deliveries" class="panel" data-live>${await deliveriesOf(options, id, pageOptions)}</section>`}
${viewer.canWrite && shareLink(options, set, pageOptions)}`;
  const isLive = set.settled_at === null && (set.status === 'draft' || set.status === 'capturing');
  return {
    title: `${set.campaign}, ${SET_LABELS[set.status]}`,
    body,
    ...(isLive && { events: `${paths.set(id)}/events${query}` }),
  };
}

function head(
  set: SetHead,
  screenshots: readonly ScreenshotRow[],
  { paths, query }: { paths: PagePaths; query: string },
): Html {
  const counts = countStatuses(screenshots.map(({ status }) => status));
  const totals = totalsOf(counts);
  const notes = reviewNotes(set, counts);
  const isCanceling = set.cancel_requested_at !== null && set.status !== 'canceled';
  return html`<section id="head" class="head" data-live>
  <p class="crumb">Placement previews: Tearsheet put these ads into live pages. Screenshot set <code>${set.id}</code></p>
  <h1>${set.campaign}</h1>
  <p class="what"><span class="state ${set.status}">${SET_LABELS[set.status]}</span> <span class="meta">requested ${formatTime(set.created_at)}${set.settled_at !== null && html`, finished ${formatTime(set.settled_at)}`}</span></p>
  <div class="progress"><progress value="${totals.total - totals.pending}" max="${Math.max(1, totals.total)}" aria-label="Screenshots finished"></progress>
  <p>${progressLabel(totals)}${isCanceling && ', canceling'}</p></div>
  ${set.instructions !== null && note('Instructions', set.instructions)}
  ${notes !== null && note('Review notes', notes)}
  <p class="links"><a href="${paths.set(set.id)}.json${query}">JSON</a></p>
</section>`;
}

function note(title: string, text: string): Html {
  return html`<div class="note"><h2>${title}</h2><p>${text}</p></div>`;
}

function actions(set: SetHead, { paths, viewer }: SetPageOptions): HtmlContent {
  const path = paths.set(set.id);
  if (set.status === 'in_review') {
    return html`<form class="review" method="post" action="${path}/approve">${hiddenFields(viewer, path)}
  <label for="notes">Notes for the review</label><textarea id="notes" name="notes" rows="2" maxlength="10000"></textarea>
  <button class="primary">Approve</button> <button class="danger" formaction="${path}/reject">Reject</button></form>`;
  }
  if ((set.status !== 'draft' && set.status !== 'capturing') || set.cancel_requested_at !== null) return null;
  return html`<form method="post" action="${path}/cancel">${hiddenFields(viewer, path)}<button>Cancel this set</button></form>`;
}

async function deliveriesOf({ store }: PagesOptions, setId: string, { viewer, paths }: SetPageOptions): Promise<Html> {
  const filter = { organizationId: viewer.organizationId, setId };
  const { rows } = await listDeliveries(store.db, filter, { page: 1, perPage: DELIVERIES_SHOWN });
  return deliveryList(rows, { paths, viewer, next: paths.set(setId) });
}

/** The link expires at the end of a day, so that it stays the same while the page refreshes. */
function shareLink({ secret, publicUrl }: PagesOptions, set: SetHead, { viewer, paths }: SetPageOptions): Html {
  const day = 86_400;
  const expires = (Math.floor(Date.now() / 1000 / day) + SHARE_DAYS + 1) * day;
  const token = signShare(secret, { slug: viewer.slug, setId: set.id, expires });
  const address = `${publicUrl}${paths.set(set.id).slice(paths.base.length)}?s=${token}`;
  return html`<section class="panel share"><h2>Share</h2><p>Everyone with this link can see this set until ${formatTime(new Date(expires * 1000))}: its screenshots, reasons and records, but not its deliveries.</p>
<input readonly value="${address}" aria-label="Link to share"></section>`;
}

function pageLinks(total: number, { page, share }: SetPageOptions, path: string): HtmlContent {
  const pages = Math.ceil(total / PER_PAGE);
  if (pages <= 1) return null;
  const link = (to: number, text: string) =>
    html`<a href="${path}?page=${to}${share !== '' && `&s=${share}`}">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages">${page > 1 && link(page - 1, 'Previous')} <span>Page ${page} of ${pages}</span> ${page < pages && link(page + 1, 'Next')}</nav>`;
}
