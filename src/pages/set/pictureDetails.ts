/** The text beside one picture, on its page and in the lightbox. */

import type { VersionRow } from '../../core/sets/readVersions.ts';
import { COMMENT_MAX } from '../../domain/reviews.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html, webLink } from '../html.ts';
import { reviewedBy, SCREENSHOT_ADVICE, SCREENSHOT_LABELS, timeElement } from '../labels.ts';
import { warningList } from '../warnings.ts';
import { slotList } from './explain.ts';
import { isFailure } from './failures.ts';
import type { PictureFacts, PicturePageOptions } from './pictureFacts.ts';
import { provenance } from './provenance.ts';
import { NO_CHANGES, retakeFields } from './retakeForm.ts';
import { isRunning } from './setFacts.ts';

export function details(facts: PictureFacts, options: PicturePageOptions): Html {
  const { view, record } = facts;
  return html`${about(facts, options)}
${warningList(view.warnings)}
${review(facts, options)}
${retake(facts, options)}
${history(facts, options)}
${slots(facts, options)}
${provenance(view, record)}`;
}

function about({ view }: PictureFacts, { paths }: PicturePageOptions): Html {
  const { ad } = view;
  const size = ad.width !== null && ad.height !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  return html`<dl class="about"><dt>Page</dt><dd>${webLink(view.site_url)}</dd><dt>Ad</dt><dd><a href="${paths.ad(ad.id)}"><bdi>${ad.name}</bdi></a>${size}</dd><dt>Device</dt><dd>${view.device}</dd>
${view.captured_at !== null && html`<dt>Taken</dt><dd>${timeElement(view.captured_at)}</dd>`}
${view.image_width !== null && html`<dt>Picture</dt><dd>${view.image_width} × ${view.image_height} pixels</dd>`}</dl>`;
}

/** Why there is no picture, and what to do. */
export function fault({ view: { status, reason, runningIn } }: PictureFacts): HtmlContent {
  if (!isFailure(status)) return status !== 'uploaded' && html`<p>${SCREENSHOT_LABELS[status]}</p>`;
  if (runningIn !== undefined) return null;
  return html`<div class="note fault"><p><strong>${SCREENSHOT_LABELS[status]}</strong></p><p class="reason">${reason}</p><p class="advice">${SCREENSHOT_ADVICE[status]}</p></div>`;
}

function review({ view }: PictureFacts, { viewer, paths }: PicturePageOptions): HtmlContent {
  const { review, status, shownId } = view;
  const decision = review?.decision ?? 'none';
  const now = html`<p class="meta">${decision === 'none' ? 'Not reviewed' : html`<span class="state ${decision}">${decision}</span>`} ${review !== null && reviewedBy(review)}</p>`;
  if (!viewer.canWrite)
    return html`<section><h2>Review</h2>${now}${review?.comment && html`<p><bdi>${review.comment}</bdi></p>`}</section>`;
  const decide =
    status === 'uploaded' &&
    html`<button name="decision" value="approved" data-key="a">Approve <kbd>A</kbd></button> <button class="danger" name="decision" value="rejected" data-key="r">Reject <kbd>R</kbd></button> ${decision !== 'none' && html`<button name="decision" value="none" data-key="u">Withdraw <kbd>U</kbd></button> `}`;
  return html`<section><h2>Review</h2>${now}<form class="decide" method="post" action="${paths.screenshot(shownId)}/review">${hiddenFields(viewer, paths.screenshot(view.id))}
<label for="comment">Comment <kbd>C</kbd></label><textarea id="comment" name="comment" rows="2" maxlength="${COMMENT_MAX}">${review?.comment}</textarea>
<p class="bar">${decide}<button name="decision" value="">Save the comment</button></p></form></section>`;
}

function retake(facts: PictureFacts, { viewer, paths }: PicturePageOptions): HtmlContent {
  const { view } = facts;
  if (view.runningIn !== undefined) {
    return html`<p class="meta"><span class="state pending">Being taken again</span> in <a href="${paths.set(view.runningIn)}">a set of its own</a></p>`;
  }
  const path = retakePath(facts, viewer.canWrite, paths);
  if (path === undefined) return null;
  const isOpen = isFailure(view.status) && html` open`;
  return html`<details${isOpen}><summary>Take this picture again</summary><form method="post" action="${path}">${hiddenFields(viewer, paths.screenshot(view.id))}<div class="fields">${retakeFields(NO_CHANGES)}<button>Take again</button></div></form></details>`;
}

/** @returns undefined if the shown version cannot be taken again at the moment. */
function retakePath(
  { view, set, versions }: PictureFacts,
  canWrite: boolean,
  paths: PicturePageOptions['paths'],
): string | undefined {
  const version = versions.find(({ id }) => id === view.shownId);
  const isBusy = isRunning({ status: version?.set_status ?? set.status }) || view.runningIn !== undefined;
  return canWrite && !isBusy ? `${paths.screenshot(view.shownId)}/retake` : undefined;
}

function history({ view, set, versions }: PictureFacts, { paths }: PicturePageOptions): HtmlContent {
  if (versions.length < 2) return null;
  const compare = ({ id }: VersionRow) => html` <a href="${paths.screenshot(view.id)}?with=${id}">Compare</a>`;
  return html`<section><h2>History</h2><ol class="versions">${versions.map(
    (version) =>
      html`<li${version.id === view.shownId && html` aria-current="true"`}><a href="${paths.screenshot(view.id)}?version=${version.id}">${timeElement(version.captured_at ?? version.requested_at)}</a> <span class="meta">${SCREENSHOT_LABELS[version.status]}${version.set_id !== set.id && html`, in <a href="${paths.set(version.set_id)}">a set of its own</a>`}</span>${version.decision !== null && html` <span class="state ${version.decision}">${version.decision}</span>`}${version.id !== view.shownId && version.image_token !== null && view.image_token !== null && compare(version)}</li>`,
  )}</ol></section>`;
}

function slots(facts: PictureFacts, { viewer, paths }: PicturePageOptions): HtmlContent {
  const { view, slots: found } = facts;
  if (found === undefined) return null;
  const size = view.image_token === null ? undefined : { width: view.image_width ?? 1, height: view.image_height ?? 1 };
  const retakeAt = retakePath(facts, viewer.canWrite, paths);
  const list = slotList(found, { viewer, retakePath: retakeAt, next: paths.screenshot(view.id), size });
  return html`<section id="slots"><h2>Slots of the page</h2><p class="hint">Tearsheet uses the slot with the highest score that can hold the ad.</p>${list}</section>`;
}
