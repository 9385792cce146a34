/** The parts of all lists: filters, headings that sort, links to other pages, and the text of an empty list. */

import { listCampaigns, readCampaign } from '../../core/sets/campaigns.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, TOTAL_MOST } from '../../db/list.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, emptyState, linkButton, type Sorting } from '../parts/components.ts';
import type { Viewer } from '../parts/context.ts';
import { type Choice, selectField, textField } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { numberedPages } from '../parts/pictureParts.ts';
import type { ListQuery, SortName } from './listQuery.ts';

/** The search finds the others. */
const OFFERED = 50;

const WHAT = {
  sets: 'A set holds the pictures of one request: your ads, on the sites and devices that you choose.',
  ads: 'An ad is a named creative. The first request with a creative creates it.',
  campaigns: 'A campaign groups ads and sets. The first request that names it creates it.',
} as const;

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

/** @returns the choices of a filter. @param labels by the value in the address. */
export const anyOf = (labels: Readonly<Record<string, string>>): Choice[] => [['', 'Any'], ...Object.entries(labels)];

export const DATES: readonly FilterField[] = [
  { name: 'from', label: 'From (UTC)', type: 'date' },
  { name: 'to', label: 'To (UTC)', type: 'date' },
];

interface FilterFormOptions {
  readonly path: string;
  /** The fields that the search reads, as a placeholder. */
  readonly search?: string;
  readonly fields: readonly FilterField[];
  readonly sorts?: readonly SortName[];
}

/** A GET form, so the address of a list has its filters. */
function filterForm(query: ListQuery<unknown>, { path, search, fields, sorts }: FilterFormOptions): Html {
  const { given, sort, isFiltered, faults: errors } = query;
  const form = { values: given, errors };
  const control = ({ name, choices, ...field }: FilterField) =>
    choices === undefined
      ? textField({ name, id: `filter-${name}`, ...field }, form)
      : selectField({ name, id: `filter-${name}`, choices, ...field }, form);
  const isChosen = Object.keys(given).some((name) => name !== 'q');
  const sorting = sorts && {
    name: 'sort',
    label: 'Sort by',
    value: sort,
    choices: sorts.map((name) => [name, SORT_LABELS[name]] as const),
  };
  const finder =
    search !== undefined &&
    textField({ name: 'q', id: 'filter-q', label: 'Search', type: 'search', placeholder: search, max: 200 }, form);
  const clear =
    isFiltered && linkButton({ href: addressOf(path, { sort: given['sort'] }), label: 'Clear filters', kind: 'quiet' });
  return html`<form class="filters" method="get" action="${path}" role="search">
    ${finder}
    <details${isChosen && html` open`}>
      <summary>Filters</summary>
      ${fields.map(control)}${sorting && selectField({ id: 'filter-sort', ...sorting }, form)}
    </details>
    <div class="actions">${button({ label: 'Apply' })}${clear}</div>
  </form>`;
}

/** @param sorts the sortings by this column; the link of its heading leads to the next one. */
export function sortingBy(query: ListQuery<unknown>, path: string, sorts: readonly SortName[]): Sorting {
  const current = sorts.indexOf(query.sort);
  const next = sorts[(current + 1) % sorts.length];
  const isAscending = query.sort === 'oldest' || query.sort === 'name';
  const state = current < 0 ? undefined : isAscending ? 'ascending' : 'descending';
  return { href: addressOf(path, { ...query.given, sort: next }), state };
}

interface FilteredList extends FilterFormOptions {
  /** For example "sets". */
  readonly what: string;
  /** Says what to do first, where there is nothing to filter. */
  readonly none: Html;
  readonly list: Html;
}

/** The filters, the rows that match, and links to the pages of the list. */
export function filteredList(
  query: ListQuery<unknown>,
  found: ListPage<{ readonly created_at: Date }>,
  { what, none, list, ...form }: FilteredList,
): Html {
  const { path } = form;
  const isEmpty = found.rows.length === 0;
  if (isEmpty && !query.isFiltered && query.page.page === 1) return none;
  return html`${filterForm(query, form)}
${isEmpty ? noMatch(what, { query, path }) : list}
${pageLinks(found, path, query)}`;
}

/** Links to the pages of a list. */
function pageLinks(
  { rows, total }: ListPage<{ readonly created_at: Date }>,
  path: string,
  query: ListQuery<unknown>,
): HtmlContent {
  const { page, perPage } = query.page;
  const until = query.until ?? (query.sort === 'newest' ? rows[0]?.created_at : undefined);
  return numberedPages({
    page,
    pages: Math.ceil(total / perPage),
    addressOf: (to) => addressOf(path, { ...query.given, ...pageParameters({ page: { page: to }, until }) }),
    first: addressOf(path, query.given),
    isOpen: total >= TOTAL_MOST,
  });
}

export const pageParameters = ({ page, until }: { page: { page: number }; until: Date | undefined }) => ({
  page: page.page > 1 ? String(page.page) : undefined,
  until: until && String(until.getTime()),
});

/** Says that no row is left. */
function noMatch(what: string, { query, path }: { query: ListQuery<unknown>; path: string }): Html {
  return emptyState({
    title: `No ${what} match`,
    text: 'Check the spelling, or use fewer filters. Search matches ids and the beginnings of words.',
    action: linkButton({ href: addressOf(path, { sort: query.given['sort'] }), label: `Show all ${what}` }),
  });
}

/** Says what to do where there is no set, ad or campaign yet. */
export function emptyList(
  kind: keyof typeof WHAT,
  { viewer, paths }: { readonly viewer: Viewer; readonly paths: PagePaths },
): Html {
  const action = viewer.canWrite
    ? html`<div class="actions">${linkButton({ href: paths.newRequest, label: 'Make the first request', icon: 'plus', kind: 'primary' })}
      <form method="post" action="${paths.newRequest}/sample">${hiddenFields(viewer, paths.organization)}${button({ label: 'Try with a sample' })}</form></div>`
    : html`<p class="hint">You have read-only access. Ask an administrator for a key or a role that can make requests.</p>`;
  return emptyState({ title: `No ${kind} yet`, text: WHAT[kind], action });
}

/** @returns the campaigns that were active last, and the chosen one. */
export async function campaignChoices(
  db: Queryable,
  organizationId: string,
  chosen: string | undefined,
): Promise<Choice[]> {
  const filter = { organizationId, sort: 'active', hasDrafts: false } as const;
  const { rows: recent } = await listCampaigns(db, filter, { page: 1, perPage: OFFERED });
  const isMissing = chosen !== undefined && recent.every(({ id }) => id !== chosen);
  const other = isMissing ? await readCampaign(db, { id: chosen, organizationId }) : undefined;
  const offered = other === undefined ? recent : [other, ...recent];
  return [...anyOf({}), ...offered.map(({ id, name }) => [id, name] as const)];
}
