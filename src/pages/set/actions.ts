/** The actions on the whole set: review it, take it again, or cancel it. */
import { downloadPanel } from '../downloads/downloadPanel.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { OBJECT_TYPES } from '../objects/managedObjects.ts';
import { objectLinks } from '../objects/objectPages.ts';
import { isFinished, type SetFacts, type SetPageOptions } from './setFacts.ts';
import { totalsOfViews } from './setHead.ts';

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
