/** The history of one picture on its page: all versions, decisions, answers of clients and resolved comments, newest first. */
import type { PictureEvent, RetakeChange } from '../../core/sets/pictureHistory.ts';
import type { SetHead } from '../../core/sets/readSet.ts';
import type { VersionRow } from '../../core/sets/readVersions.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { DECISION_LABELS, SCREENSHOT_LABELS, timeElement } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import type { PictureView } from '../pictures/pictures.ts';
import { answerBadge } from '../pictures/threads.ts';

interface Facts {
  readonly view: PictureView;
  readonly set: SetHead;
  readonly versions: readonly VersionRow[];
  /** Newest first. */
  readonly events: readonly PictureEvent[];
}

const CHANGES: Readonly<Record<RetakeChange, string>> = {
  page: 'another page',
  device: 'another device',
  slot: 'another slot',
  location: 'another location',
  options: 'other options',
};

export function pictureHistory(facts: Facts, paths: PagePaths): Html {
  const item = (event: PictureEvent) => {
    const who = event.who !== null && html`by <bdi>${event.who}</bdi>, `;
    const isShown = event.kind === 'taken' && event.version === facts.view.shownId;
    return html`<li${isShown && html` aria-current="true"`}>
      <p>${what(event, facts, paths)} <span class="meta">${who}${timeElement(event.at)}</span></p>
      ${event.text !== null && html`<p class="said"><bdi>${event.text}</bdi></p>`}
    </li>`;
  };
  return html`<h2>History</h2><ol class="log">${facts.events.map(item)}</ol>`;
}

function what(event: PictureEvent, facts: Facts, paths: PagePaths): HtmlContent {
  switch (event.kind) {
    case 'requested':
      if (event.changes === null) return 'Requested';
      return ['Requested again', ...event.changes.map((change) => CHANGES[change])].join(', ');
    case 'taken':
      return taken(event.version, SCREENSHOT_LABELS[event.word], { facts, paths });
    case 'reviewed':
      return event.word === null ? 'Note changed' : DECISION_LABELS[event.word];
    case 'answered':
      return answerBadge({ answer: event.word });
    case 'resolved':
      return 'Comment resolved';
  }
}

interface Given {
  readonly facts: Facts;
  readonly paths: PagePaths;
}

/** Links to the version, to its set, and to the comparison with the shown one. */
function taken(id: string, label: string, { facts: { view, set, versions }, paths }: Given): Html {
  const path = paths.screenshot(view.id);
  const version = versions.find((one) => one.id === id);
  const isOther = version !== undefined && version.set_id !== set.id;
  const canCompare = id !== view.shownId && version?.image_token != null && view.image_token !== null;
  return html`<a href="${path}?version=${id}">${label}</a>${
    isOther && html` in <a href="${paths.set(version.set_id)}">another round</a>`
  }${canCompare && html` <a href="${path}?with=${id}">Compare</a>`}`;
}
