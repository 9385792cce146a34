/** Links inside a set: its tabs, how its pictures are grouped and filtered, its groups, and its list pages. */
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { tabs } from '../parts/components.ts';
import { addressOf } from '../parts/paths.ts';
import { GROUPINGS, type Grouping, groupName, groupPictures, oncePerPicture } from '../pictures/grouping.ts';
import { type PictureView, type SetFacts, SHOWN, type Shown } from '../pictures/pictures.ts';
import { failuresOf } from './failures.ts';
import { groupId } from './grid.ts';

/** The parts of a set's page. The first one has no name in its address. */
export const TABS = ['pictures', 'failed', 'rounds', 'shared', 'activity'] as const;
export type TabName = (typeof TABS)[number];

export const tabOf = (text: unknown): TabName => TABS.find((tab) => tab === text) ?? 'pictures';

const SHOWN_NAMES: Readonly<Record<Shown, string>> = {
  all: 'All',
  open: 'To review',
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

export function setTabs({ views, retakes }: SetFacts, { path, current, shares }: TabOptions): Html {
  const counts = {
    pictures: oncePerPicture(views.filter(isInGrid)).length,
    failed: failuresOf(views).length,
    shared: shares,
  };
  const tab = (name: TabName, label: string, count?: number) => ({
    label,
    href: addressOf(path, { tab: name === 'pictures' ? undefined : name }),
    isCurrent: name === current,
    ...(count !== undefined && { count }),
  });
  const list = tabs('Parts of the set', [
    tab('pictures', 'Pictures', counts.pictures),
    ...(counts.failed > 0 || current === 'failed' ? [tab('failed', 'Failed', counts.failed)] : []),
    ...(retakes.length > 0 ? [tab('rounds', 'Rounds', retakes.length + 1)] : []),
    tab('shared', 'Shared', counts.shared),
    tab('activity', 'Activity'),
  ]);
  return html`<div id="tabs" data-live>${list}</div>`;
}

interface TabOptions {
  readonly path: string;
  readonly current: TabName;
  /** The number of share links. */
  readonly shares: number;
}

/** Pictures, and what is or will be taken. Failures have a tab of their own. */
export const isInGrid = ({ status, image_token, runningIn }: PictureView) =>
  image_token !== null || status === 'pending' || runningIn !== undefined;

export const hasOnlyFailures = ({ views }: Pick<SetFacts, 'views'>): boolean =>
  !views.some(isInGrid) && failuresOf(views).length > 0;

export function placeAddress({ path, by, show }: Place, page: number, hash = ''): string {
  const query = {
    group: by === 'site' ? undefined : by,
    show: show === 'all' ? undefined : show,
    page: page > 1 ? String(page) : undefined,
  };
  return `${addressOf(path, query)}${hash}`;
}

export function groupingLinks(place: Place): Html {
  const link = (by: Grouping) =>
    html`<a href="${placeAddress({ ...place, by }, 1)}"${by === place.by && html` aria-current="true"`}>${NAMES[by]}</a>`;
  return html`<p class="pills"><span>Group by</span> ${GROUPINGS.map(link)}</p>`;
}

/** @param ordered all pictures of the set in the order of the page. */
export function sectionLinks(ordered: readonly PictureView[], place: Place): HtmlContent {
  if (ordered.length <= place.perPage) return null;
  const groups = groupPictures(ordered, place.by);
  const starts = new Map(ordered.map(({ id }, index) => [id, index] as const).toReversed());
  const items = groups.slice(0, MOST_GROUPS).map((group) => {
    const page = Math.floor((starts.get(group.first.id) ?? 0) / place.perPage) + 1;
    const address = placeAddress(place, page, `#${groupId(group)}`);
    const count = group.strips.flat().length;
    return html`<li><a href="${address}"><bdi>${groupName(group)}</bdi></a> <span class="meta">${count}</span></li>`;
  });
  const what = place.by === 'ad' ? 'ads' : `${place.by}s`;
  return html`<details class="toc"><summary>${groups.length} ${what}</summary><ol>${items}</ol></details>`;
}

/** @returns only the pictures of a set that a person still has to review, approved or rejected. */
export const reviewFilter = <V extends PictureView>(views: readonly V[], show: Shown, { decisions }: Reviewed): V[] =>
  views.filter(
    ({ shownId, image_token }) =>
      show === 'all' || (image_token !== null && (decisions.get(shownId) ?? 'open') === show),
  );

/** @returns nothing for a set that no person reviews. */
export function reviewLinks(views: readonly PictureView[], facts: SetFacts, place: Place): HtmlContent {
  if (facts.decisions.size === 0 && facts.set.status !== 'in_review') return null;
  const link = (show: Shown) => {
    const current = show === place.show && html` aria-current="true"`;
    const count = html`<span class="count">${oncePerPicture(reviewFilter(views, show, facts)).length}</span>`;
    return html`<a href="${placeAddress({ ...place, show }, 1)}"${current}>${SHOWN_NAMES[show]} ${count}</a>`;
  };
  return html`<p class="pills"><span>Show</span> ${SHOWN.map(link)}</p>`;
}
