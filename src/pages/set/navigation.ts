/** Links inside a large set: how its pictures are grouped, its groups, and its list pages. */
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { groupId } from './grid.ts';
import { GROUPINGS, type Grouping, groupName, groupPictures } from './grouping.ts';
import { type PictureView, type SetFacts, SHOWN, type Shown } from './pictures.ts';

const SHOWN_NAMES: Readonly<Record<Shown, string>> = {
  all: 'All',
  open: 'Not reviewed',
  approved: 'Approved',
  rejected: 'Rejected',
};

type Reviewed = Pick<SetFacts, 'decisions'>;

export interface Place {
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
  readonly by: Grouping;
  readonly show: Shown;
  /** The path of the set's page. */
  readonly path: string;
}

/** A list of more groups would itself be a long page. */
const MOST_GROUPS = 1_000;
const NAMES: Readonly<Record<Grouping, string>> = { site: 'Site', device: 'Device', ad: 'Ad' };

export function placeAddress({ path, by, show }: Place, page: number, hash = ''): string {
  const query = new URLSearchParams();
  if (by !== 'site') query.set('group', by);
  if (show !== 'all') query.set('show', show);
  if (page > 1) query.set('page', String(page));
  return `${path}${query.size > 0 ? `?${query}` : ''}${hash}`;
}

export function groupingLinks(place: Place): Html {
  const current = (by: Grouping) => by === place.by && html` aria-current="true"`;
  return html`<p class="pills"><span>Group by</span> ${GROUPINGS.map((by) => html`<a href="${placeAddress({ ...place, by }, 1)}"${current(by)}>${NAMES[by]}</a>`)}</p>`;
}

/** @param ordered all pictures of the set in the order of the page. */
export function sectionLinks(ordered: readonly PictureView[], place: Place): HtmlContent {
  if (ordered.length <= place.perPage) return null;
  const groups = groupPictures(ordered, place.by);
  const starts = new Map(ordered.map(({ id }, index) => [id, index] as const).toReversed());
  const items = groups.slice(0, MOST_GROUPS).map((group) => {
    const page = Math.floor((starts.get(group.first.id) ?? 0) / place.perPage) + 1;
    const count = group.strips.reduce((sum, { frames }) => sum + frames.length, 0);
    return html`<li><a href="${placeAddress(place, page, `#${groupId(group)}`)}"><bdi>${groupName(group)}</bdi></a> <span class="meta">${count}</span></li>`;
  });
  return html`<details class="toc"><summary>${groups.length} ${place.by === 'ad' ? 'ads' : `${place.by}s`}</summary><ol>${items}</ol></details>`;
}

/** Shows only the pictures of a set that a person still has to review, approved or rejected. */
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
    html`<a href="${placeAddress({ ...place, show }, 1)}"${show === place.show && html` aria-current="true"`}>${SHOWN_NAMES[show]} ${reviewFilter(views, show, facts).length}</a>`;
  return html`<p class="pills"><span>Show</span> ${SHOWN.map(link)}</p>`;
}
