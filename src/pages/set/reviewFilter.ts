/** Shows only the pictures of a set that a person still has to review, approved or rejected. */
import { type HtmlContent, html } from '../html.ts';
import { type Place, placeAddress } from './navigation.ts';
import type { PictureView } from './pictures.ts';
import type { SetFacts } from './setFacts.ts';
import { SHOWN, type Shown } from './shown.ts';

const NAMES: Readonly<Record<Shown, string>> = {
  all: 'All',
  open: 'Not reviewed',
  approved: 'Approved',
  rejected: 'Rejected',
};

type Reviewed = Pick<SetFacts, 'decisions'>;

function isShown({ shownId, image_token }: PictureView, show: Shown, { decisions }: Reviewed): boolean {
  if (show === 'all') return true;
  return image_token !== null && (decisions.get(shownId) ?? 'open') === show;
}

export function reviewFilter<V extends PictureView>(views: readonly V[], show: Shown, reviewed: Reviewed): V[] {
  return views.filter((view) => isShown(view, show, reviewed));
}

/** @returns nothing for a set that no person reviews. */
export function reviewLinks(views: readonly PictureView[], facts: SetFacts, place: Place): HtmlContent {
  if (facts.decisions.size === 0 && facts.set.status !== 'in_review') return null;
  const link = (show: Shown) =>
    html`<a href="${placeAddress({ ...place, show }, 1)}"${show === place.show && html` aria-current="true"`}>${NAMES[show]} ${reviewFilter(views, show, facts).length}</a>`;
  return html`<p class="pills"><span>Show</span> ${SHOWN.map(link)}</p>`;
}
