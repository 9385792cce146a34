/** The head of a set's page: which set it is, what became of it, and who reviewed it. */
import type { SetHead } from '../../core/sets/readSet.ts';
import { countStatuses, reviewNotes, type ScreenshotTotals, totalsOf } from '../../domain/reviewNotes.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { downloadPanel } from '../downloads.ts';
import { hiddenFields } from '../forms.ts';
import { progressLabel, reviewedBy, setLabel, setState, timeElement } from '../labels.ts';
import { OBJECT_TYPES } from '../objects/managedObjects.ts';
import { objectLinks } from '../objects/objectPages.ts';
import { metadataList } from '../parts.ts';
import type { PagePaths } from '../paths.ts';
import { isFinished, isRunning, type PictureView, type SetFacts, type SetPageOptions } from './pictures.ts';

/** The keys of lightbox.js. */
const KEYS = [
  ['Enter', 'open'],
  ['← →', 'next picture'],
  ['Z', 'real pixels'],
  ['V', 'compare'],
  ['E', 'explain'],
  ['A', 'approve'],
  ['R', 'reject'],
  ['C', 'comment'],
] as const;

/** The counts of what people see now: after retakes. */
export const totalsOfViews = (views: readonly PictureView[]) =>
  totalsOf(countStatuses(views.map(({ status }) => status)));

export function setHead(facts: SetFacts, paths: PagePaths): Html {
  const { set, views } = facts;
  const totals = totalsOfViews(views);
  const notes = reviewNotes(set, countStatuses(views.map(({ status }) => status)));
  return html`<section id="head" class="head" data-live>
  <p class="crumb">Placement previews: Tearsheet put these ads into live pages.</p>
  <h1><bdi>${set.campaign}</bdi></h1>
  <p class="what"><span class="state ${setState(set.status, totals)}">${setLabel(set.status, totals)}</span> <span class="meta">requested ${timeElement(set.created_at)}${set.settled_at !== null && html`, finished ${timeElement(set.settled_at)}`}</span></p>
  ${progress(set, totals)}
  ${relations(facts, paths)}
  ${set.review !== null && html`<p class="meta">Reviewed ${reviewedBy(set.review)}</p>`}
  ${set.instructions !== null && note('Instructions', set.instructions)}
  ${notes !== null && note('Review notes', notes)}
  ${metadataList(set.metadata)}
</section>`;
}

function progress(set: SetHead, totals: ScreenshotTotals): HtmlContent {
  const text = html`<p>${progressLabel(totals)}${set.cancel_requested_at !== null && set.status !== 'canceled' && ', canceling'}</p>`;
  if (isFinished(set)) return text;
  return html`<div class="progress"><progress value="${totals.total - totals.pending}" max="${Math.max(1, totals.total)}" aria-label="Screenshots finished"></progress>${text}</div>`;
}

function relations({ set, retakes }: SetFacts, paths: PagePaths): HtmlContent {
  const running = retakes.filter(isRunning);
  const [newest] = retakes;
  return [
    set.retake_of !== null &&
      html`<p class="meta">This set is a retake of <a href="${paths.set(set.retake_of)}">an earlier set</a>.</p>`,
    ...running.map(
      ({ id, total, resolved }) =>
        html`<p class="meta"><span class="state pending">Taking ${total === 1 ? '1 picture' : `${total} pictures`} again</span> ${resolved} of ${total} finished, in <a href="${paths.set(id)}">a set of their own</a></p>`,
    ),
    running.length === 0 &&
      newest !== undefined &&
      html`<p class="meta">Pictures of this set were taken again, last in <a href="${paths.set(newest.id)}">the set of ${timeElement(newest.created_at)}</a>.</p>`,
  ];
}

/** A longer text would push the pictures down. */
const SHORT = 300;

function note(title: string, text: string): Html {
  if (text.length > SHORT) return html`<details class="note"><summary>${title}</summary><p>${text}</p></details>`;
  return html`<div class="note"><h2>${title}</h2><p>${text}</p></div>`;
}

/** The actions on the whole set: review it, take it again, or cancel it. */
export function actions(facts: SetFacts, options: SetPageOptions): HtmlContent {
  const { set } = facts;
  const path = options.paths.set(set.id);
  const pictures = totalsOfViews(facts.views).uploaded;
  const files = html`<span class="links"><a href="${path}.json">JSON</a></span>`;
  return html`${options.viewer.canWrite && [review(facts, options), cancel(facts, options)]}
<p class="bar tools">${options.viewer.canWrite && isFinished(set) && html`<a class="button" href="${path}/retake">Take again or duplicate</a>`}${objectLinks(OBJECT_TYPES.set, path, options.viewer)}${files}<span class="keys" aria-label="Keys on a picture">${KEYS.map(([key, what]) => html`<span><kbd>${key}</kbd> ${what}</span> `)}</span></p>
${isFinished(set) && pictures > 0 && downloadPanel({ path, pictures, hasTimeZone: true })}`;
}

function review({ set, views }: SetFacts, { paths, viewer }: SetPageOptions): HtmlContent {
  if (set.status !== 'in_review') return null;
  const path = paths.set(set.id);
  const { total, uploaded } = totalsOfViews(views);
  return html`<form class="review" method="post" action="${path}/approve">${hiddenFields(viewer, path)}
  <label for="notes">Notes for the review</label><textarea id="notes" name="notes" rows="2" maxlength="10000"></textarea>
  <p class="bar"><button class="primary" data-key="A">Approve${uploaded < total && ` without ${total - uploaded}`}</button> <button class="danger" data-key="R" formaction="${path}/reject">Reject</button> <span class="meta"><kbd>Shift+A</kbd> and <kbd>Shift+R</kbd> go to these buttons</span></p></form>`;
}

/** Asks first, because nothing brings the other pictures back. */
function cancel({ set, views }: SetFacts, { paths, viewer }: SetPageOptions): HtmlContent {
  if (isFinished(set) || set.cancel_requested_at !== null) return null;
  const path = paths.set(set.id);
  const { uploaded, pending } = totalsOfViews(views);
  return html`<details class="confirm"><summary class="button">Cancel this set</summary>
<form class="note fault" method="post" action="${path}/cancel">${hiddenFields(viewer, path)}<p>${question(uploaded, pending)}</p><button class="danger">Cancel ${pending === 1 ? '1 picture' : `${pending} pictures`}</button></form></details>`;
}

function question(uploaded: number, pending: number): Html {
  const kept =
    uploaded === 0
      ? 'No picture was taken yet.'
      : `${uploaded === 1 ? '1 picture was' : `${uploaded} pictures were`} taken and ${uploaded === 1 ? 'stays' : 'stay'}.`;
  return html`${kept} ${pending === 1 ? 'The last one' : `The other ${pending}`} will not be taken.`;
}
