import { countStatuses, reviewNotes } from '../../domain/reviewNotes.ts';
import type { ScreenshotRow } from '../../store/database/rows.ts';
import { listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { readProvenance, readScreenshots } from '../../store/screenshots/readScreenshots.ts';
import { readSetHead, type SetHead } from '../../store/sets/readSet.ts';
import type { PagePaths, PagesOptions, ResultsPage, Viewer } from './context.ts';
import { deliveries, hidden } from './deliveries.ts';
import { failures } from './failures.ts';
import type { ScreenshotView } from './grouping.ts';
import { inPageOrder } from './grouping.ts';
import { type Html, type HtmlContent, html } from './html.ts';
import { formatTime, SET_LABELS } from './labels.ts';
import { screenshotSections } from './screenshots.ts';
import { signShare } from './signatures.ts';

/** Pictures on one page of a set: more would make a browser slow. */
const PER_PAGE = 240;
const SHARE_DAYS = 30;
const DELIVERIES_SHOWN = 50;

interface Given {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** Which part of the pictures, from 1. */
  readonly page: number;
  /** The `s` of a share link, which links within must keep; ''. */
  readonly share: string;
}

/** @returns undefined when this organization has no such set. */
export async function setPage(options: PagesOptions, id: string, given: Given): Promise<ResultsPage | undefined> {
  const { db } = options.store;
  const { viewer, paths } = given;
  const set = await readSetHead(db, { id, organizationId: viewer.organizationId });
  if (set === undefined) return undefined;
  const shots = (await readScreenshots(db, id)).map(paged);
  const ordered = inPageOrder(shots);
  const part = ordered.slice((given.page - 1) * PER_PAGE, given.page * PER_PAGE);
  const records = await readProvenance(
    db,
    part.map((shot) => shot.id),
  );
  const query = given.share === '' ? '' : `?s=${given.share}`;
  const isShared = viewer.sharedSet !== undefined;
  const body = html`
${head(set, shots, { paths, query })}
<section id="actions" data-live>${viewer.canWrite && actions(set, given)}</section>
<section id="failures" class="panel" data-live>${failures(shots)}</section>
${screenshotSections(
  part.map((shot) => ({ ...shot, record: records.get(shot.id) })),
  { paths, linksAds: !isShared },
)}
${pageLinks(ordered.length, given, paths.set(id))}
${!isShared && html`<section id="deliveries" class="panel" data-live>${await deliveriesOf(options, id, given)}</section>`}
${viewer.canWrite && shareLink(options, set, given)}`;
  const live = set.settled_at === null && (set.status === 'draft' || set.status === 'capturing');
  return {
    title: `${set.campaign}, ${SET_LABELS[set.status]}`,
    body,
    ...(live && { events: `${paths.set(id)}/events${query}` }),
  };
}

function paged(row: ScreenshotRow): ScreenshotView {
  return { ...row, siteUrl: row.site_url, adId: row.ad.id, markerMs: row.marker_ms };
}

function head(
  set: SetHead,
  shots: readonly ScreenshotRow[],
  { paths, query }: { paths: PagePaths; query: string },
): Html {
  const counts = countStatuses(shots.map((shot) => shot.status));
  const resolved = shots.length - (counts.pending ?? 0);
  const notes = reviewNotes(set, counts);
  return html`<section id="head" class="head" data-live>
  <p class="crumb">Screenshot set <code>${set.id}</code></p>
  <h1>${set.campaign}</h1>
  <p class="what"><span class="state ${set.status}">${SET_LABELS[set.status]}</span> <span class="meta">requested ${formatTime(set.created_at)}${set.settled_at !== null && html`, done ${formatTime(set.settled_at)}`}</span></p>
  <div class="progress"><progress value="${resolved}" max="${Math.max(1, shots.length)}" aria-label="Pictures resolved"></progress>
  <p><strong>${resolved}</strong> of ${shots.length} resolved, ${counts.uploaded ?? 0} captured${set.cancel_requested_at !== null && set.status !== 'canceled' && ', canceling'}</p></div>
  ${set.instructions !== null && note('Instructions', set.instructions)}
  ${notes !== null && note('Review notes', notes)}
  <p class="links"><a href="${paths.set(set.id)}.json${query}">JSON</a></p>
</section>`;
}

function note(title: string, text: string): Html {
  return html`<div class="note"><h2>${title}</h2><p>${text}</p></div>`;
}

function actions(set: SetHead, { paths, viewer }: Given): HtmlContent {
  const path = paths.set(set.id);
  if (set.status === 'in_review') {
    return html`<form class="review" method="post" action="${path}/approve">${hidden(viewer, path)}
  <label for="notes">Notes for the review</label><textarea id="notes" name="notes" rows="2" maxlength="10000"></textarea>
  <button class="primary">Approve</button> <button class="danger" formaction="${path}/reject">Reject</button></form>`;
  }
  if ((set.status !== 'draft' && set.status !== 'capturing') || set.cancel_requested_at !== null) return null;
  return html`<form method="post" action="${path}/cancel">${hidden(viewer, path)}<button>Cancel this set</button></form>`;
}

async function deliveriesOf({ store }: PagesOptions, setId: string, { viewer, paths }: Given): Promise<Html> {
  const filter = { organizationId: viewer.organizationId, setId };
  const { rows } = await listDeliveries(store.db, filter, { page: 1, perPage: DELIVERIES_SHOWN });
  return deliveries(rows, { paths, viewer, next: paths.set(setId) });
}

/** Whole days, so that the link stays the same while somebody reads the page. */
function shareLink({ secret, publicUrl }: PagesOptions, set: SetHead, { viewer, paths }: Given): Html {
  const day = 86_400;
  const expires = (Math.floor(Date.now() / 1000 / day) + SHARE_DAYS + 1) * day;
  const token = signShare(secret, { slug: viewer.slug, setId: set.id, expires });
  const address = `${publicUrl}${paths.set(set.id).slice(paths.base.length)}?s=${token}`;
  return html`<section class="panel share"><h2>Share</h2><p>Whoever has this link sees this set, until ${formatTime(new Date(expires * 1000))}: its pictures, reasons and records, not its deliveries.</p>
<input readonly value="${address}" aria-label="Link to share"></section>`;
}

function pageLinks(total: number, { page, share }: Given, path: string): HtmlContent {
  const pages = Math.ceil(total / PER_PAGE);
  if (pages <= 1) return null;
  const link = (to: number, text: string) =>
    html`<a href="${path}?page=${to}${share !== '' && `&s=${share}`}">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages">${page > 1 && link(page - 1, 'Previous')} <span>Page ${page} of ${pages}</span> ${page < pages && link(page + 1, 'Next')}</nav>`;
}
