/** The head of a set's page: which set it is, what became of it, and who reviewed it. */

import type { SetHead } from '../../core/sets/readSet.ts';
import { countStatuses, reviewNotes, type ScreenshotTotals, totalsOf } from '../../domain/reviewNotes.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import { progressLabel, reviewedBy, setLabel, setState, timeElement } from '../labels.ts';
import { metadataList } from '../metadata.ts';
import type { PagePaths } from '../paths.ts';
import type { PictureView } from './pictures.ts';
import { isFinished, isRunning, type SetFacts } from './setFacts.ts';

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
