/** The list of the screenshot sets of an organization. */

import { createHash } from 'node:crypto';
import { setFilters, uuid } from '../../contract/queries.ts';
import { countNewerSets, pageOfSets, type SetListRow } from '../../core/sets/pageOfSets.ts';
import type { SetFilter } from '../../core/sets/setFilter.ts';
import type { KeysetRows } from '../../db/keyset.ts';
import { DEVICE_NAMES } from '../../domain/devices.ts';
import { SET_STATUSES } from '../../domain/states.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { SET_LABELS } from '../labels.ts';
import type { LiveSource } from '../live.ts';
import { addressOf, type PagePaths } from '../paths.ts';
import { ANY, campaignChoices, DATES, emptyList, type FilterField, filterForm } from './filterForm.ts';
import { type ListQuery, readListQuery } from './listQuery.ts';
import { pageLinks, placeText } from './place.ts';
import { setTable } from './setTable.ts';

/** More are shown as "100+". */
const NEWER_MOST = 100;

const SORTS = ['newest', 'oldest'] as const;
const PICTURES = 3;

const DEFINITION = { filters: { ...setFilters, campaign_id: uuid.optional() }, sorts: SORTS };
export type SetListQuery = ReturnType<typeof readSetListQuery>;

export const readSetListQuery = (query: Readonly<Record<string, unknown>>) => readListQuery(query, DEFINITION);

function setFilterOf({ filters }: SetListQuery, organizationId: string): SetFilter {
  const { q, campaign_id, ...others } = filters;
  return { organizationId, text: q, campaignId: campaign_id, ...others };
}

export async function setsPage(
  options: PagesOptions,
  query: SetListQuery,
  { viewer, paths }: { viewer: Viewer; paths: PagePaths },
): Promise<ResultsPage> {
  const { db } = options.store;
  const filter = setFilterOf(query, viewer.organizationId);
  const found = await pageOfSets(db, filter, listOptionsOf(query));
  const fields = await fieldsOf(options, query, viewer);
  const form = filterForm(query, {
    path: paths.sets,
    search: 'Campaign, ad, lookup key, site or id',
    fields,
    sorts: SORTS,
  });
  const table = setTable(found.rows, { viewer, paths, query });
  const body = html`<section class="head bar"><h1>Sets</h1>${newRequest(viewer, paths)}</section>
${form}
<p id="newer" class="newer" role="status" data-one="1 new set" data-many="new sets" hidden><a href="${addressOf(paths.sets, query.given)}"></a></p>
${found.rows.length === 0 ? emptyList('sets', { query, viewer, paths, path: paths.sets }) : table}
${pageLinks(found, paths.sets, query.given)}`;
  return {
    title: `Sets of ${viewer.slug}`,
    section: 'sets',
    assets: ['lists.css', 'lists.js'],
    body,
    events: addressOf(`${paths.sets}/events`, { ...placeOf(query), ...query.given, ...sinceOf(query, found) }),
  };
}

const listOptionsOf = ({ sort, page }: SetListQuery) =>
  ({ direction: sort === 'oldest' ? 'asc' : 'desc', page, pictures: PICTURES }) as const;

function newRequest({ canWrite }: Viewer, paths: PagePaths): HtmlContent {
  return canWrite && html`<a class="button primary" href="${paths.newRequest}">New request</a>`;
}

async function fieldsOf(
  { store: { db } }: PagesOptions,
  { filters }: SetListQuery,
  { organizationId }: Viewer,
): Promise<FilterField[]> {
  return [
    { name: 'status', label: 'Status', choices: [ANY, ...SET_STATUSES.map((s) => [s, SET_LABELS[s]] as const)] },
    { name: 'campaign_id', label: 'Campaign', choices: await campaignChoices(db, organizationId, filters.campaign_id) },
    { name: 'site', label: 'Site', placeholder: 'news.example' },
    { name: 'device', label: 'Device', choices: [ANY, ...DEVICE_NAMES.map((name) => [name, name] as const)] },
    ...DATES,
  ];
}

const placeOf = ({ page: { after, before } }: ListQuery<unknown>) => ({
  after: after && placeText(after),
  before: before && placeText(before),
});

/** The newest set of the first page; other pages do not announce new sets. */
function sinceOf({ page, sort }: SetListQuery, { rows }: KeysetRows<SetListRow>) {
  const isFirst = page.after === undefined && page.before === undefined && sort === 'newest';
  return { since: isFirst ? (rows[0]?.place.value ?? '1970-01-01T00:00:00.000000Z') : undefined };
}

/** @param since the newest set when the page was made, as in the place of a row. */
export function listSource(
  { store: { db } }: PagesOptions,
  query: SetListQuery,
  { since, findViewer }: { since: string | undefined; findViewer: () => Promise<Viewer | undefined> },
): LiveSource {
  let shown = new Set<string>();
  let organizationId = '';
  return {
    concerns: ({ set, organization, ...others }) =>
      organization === organizationId || (set === undefined ? isEmpty(others) : shown.has(set)),
    read: async () => {
      const viewer = await findViewer();
      if (viewer === undefined) return undefined;
      organizationId = viewer.organizationId;
      const filter = setFilterOf(query, organizationId);
      const { rows } = await pageOfSets(db, filter, { ...listOptionsOf(query), pictures: 0 });
      shown = new Set(rows.map(({ id }) => id));
      const state = rows.map(({ id, status, counts, cancel_requested_at }) => [
        id,
        status,
        counts,
        cancel_requested_at,
      ]);
      const newer = since === undefined ? 0 : await countNewerSets(db, filter, { since, most: NEWER_MOST });
      const status = createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16);
      return { status, resolved: 0, total: 0, over: false, newer };
    },
  };
}

/** A notification without fields means that anything may have changed. */
const isEmpty = (change: object) => Object.keys(change).length === 0;
