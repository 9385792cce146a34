/** The form with the filters of a list. It is a GET form, so the address of a list contains its filters. */

import { listCampaigns, readCampaign } from '../../core/sets/campaigns.ts';
import type { Queryable } from '../../db/database.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { Viewer } from '../context.ts';
import { addressOf, type PagePaths } from '../paths.ts';
import type { ListQuery, SortName } from './listQuery.ts';

/** The search finds the others. */
const OFFERED = 50;

const WHAT = {
  sets: 'A set holds the pictures of one request: your ads, on the sites and devices that you choose.',
  ads: 'An ad is a creative under a name. The first request with a creative makes one.',
  campaigns: 'A campaign groups ads and sets. The first request that names it makes it.',
} as const;

interface EmptyListOptions {
  readonly query: ListQuery<unknown>;
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The path of the list. */
  readonly path: string;
}

export type Choice = readonly [value: string, label: string];

export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** Absent for a text. */
  readonly choices?: readonly Choice[];
  readonly type?: 'date';
  readonly placeholder?: string;
}

const SORT_LABELS: Readonly<Record<SortName, string>> = {
  active: 'Last activity',
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name',
};

export const ANY: Choice = ['', 'Any'];

export const DATES: readonly FilterField[] = [
  { name: 'from', label: 'From (UTC)', type: 'date' },
  { name: 'to', label: 'To (UTC)', type: 'date' },
];

interface FilterFormOptions {
  readonly path: string;
  /** The fields that the search reads, as a placeholder. */
  readonly search: string;
  readonly fields: readonly FilterField[];
  readonly sorts: readonly SortName[];
}

export function filterForm(query: ListQuery<unknown>, { path, search, fields, sorts }: FilterFormOptions): Html {
  const { given, sort, isFiltered } = query;
  const sorting = { name: 'sort', label: 'Sort by', choices: sorts.map((name) => [name, SORT_LABELS[name]] as const) };
  const isChosen = Object.keys(given).some((name) => name !== 'q');
  const clear = html`<a class="button quiet" href="${addressOf(path, { sort: given['sort'] })}">Clear filters</a>`;
  return html`<form class="filters" method="get" action="${path}" role="search">
  <div class="search"><label for="filter-q">Search</label>
    <input id="filter-q" name="q" type="search" value="${given['q'] ?? ''}" placeholder="${search}" maxlength="200"${describedBy(query, 'q')}>${fault(query, 'q')}
    <button class="primary">Apply</button> ${isFiltered && clear}</div>
  <details class="choices"${isChosen && html` open`}><summary>Filters and sorting</summary><div>${fields.map((field) => control(query, field, given[field.name] ?? ''))}
  ${control(query, sorting, sort)}</div></details>
</form>`;
}

function control(query: ListQuery<unknown>, field: FilterField, value: string): Html {
  const { name, label, choices, type = 'text', placeholder = '' } = field;
  const id = `filter-${name}`;
  const text = html`<input id="${id}" name="${name}" type="${type}" value="${value}" placeholder="${placeholder}"${describedBy(query, name)}>`;
  const choice =
    choices &&
    html`<select id="${id}" name="${name}"${describedBy(query, name)}>${choices.map((one) => option(one, value))}</select>`;
  return html`<div><label for="${id}">${label}</label>${choice ?? text}${fault(query, name)}</div>`;
}

function option([value, label]: Choice, chosen: string): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
}

const describedBy = ({ faults }: ListQuery<unknown>, name: string): HtmlContent =>
  faults[name] !== undefined && html` aria-invalid="true" aria-describedby="fault-${name}"`;

const fault = ({ faults }: ListQuery<unknown>, name: string): HtmlContent =>
  faults[name] !== undefined && html`<p class="fault" id="fault-${name}">This ${faults[name]}</p>`;

/** A heading of a column by which the list can be sorted. @param sorts the sortings by this column; a link leads to the next one. */
export function sortHeading(
  query: ListQuery<unknown>,
  label: string,
  given: { path: string; sorts: readonly SortName[] },
): Html {
  const { path, sorts } = given;
  const current = sorts.indexOf(query.sort);
  const next = sorts[(current + 1) % sorts.length];
  const state = current < 0 ? undefined : query.sort === 'oldest' || query.sort === 'name' ? 'ascending' : 'descending';
  return html`<th scope="col"${state && html` aria-sort="${state}"`}><a href="${addressOf(path, { ...query.given, sort: next })}">${label}</a></th>`;
}

/** Lists without rows say what to do next. */
export function emptyList(kind: keyof typeof WHAT, { query, viewer, paths, path }: EmptyListOptions): Html {
  if (query.isFiltered || query.page.page > 1) {
    return html`<section class="empty-list"><h2>No ${kind} match</h2>
<p>Check the spelling, or use fewer filters. The search finds the beginnings of words, and ids.</p>
<p><a class="button" href="${addressOf(path, { sort: query.given['sort'] })}">Show all ${kind}</a></p></section>`;
  }
  const request = html`<p><a class="button primary" href="${paths.newRequest}">Make the first request</a></p>`;
  const readOnly = html`<p class="hint">Your key may only read. A person whose key has the scope <code>write</code> can make a request.</p>`;
  return html`<section class="empty-list"><h2>No ${kind} yet</h2><p>${WHAT[kind]}</p>${viewer.canWrite ? request : readOnly}
<p class="hint">Programs send a POST to <code>/api/v1/orgs/${viewer.slug}/screenshot_requests</code>; see <a href="${paths.base}/docs">the API reference</a>.</p></section>`;
}

/** @returns the campaigns that were active last, and the chosen one. */
export async function campaignChoices(
  db: Queryable,
  organizationId: string,
  chosen: string | undefined,
): Promise<Choice[]> {
  const { rows: recent } = await listCampaigns(db, { organizationId, sort: 'active' }, { page: 1, perPage: OFFERED });
  const isMissing = chosen !== undefined && recent.every(({ id }) => id !== chosen);
  const other = isMissing ? await readCampaign(db, { id: chosen, organizationId }) : undefined;
  const offered = other === undefined ? recent : [other, ...recent];
  return [ANY, ...offered.map(({ id, name }) => [id, name] as const)];
}
