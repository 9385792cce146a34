/** The list of the screenshot sets of an organization. */

import { createHash } from 'node:crypto';
import { setFilters, uuid } from '../../contract/queries.ts';
import { countSets, type ListedSet, listSets, type SetFilter, withPreviews } from '../../core/sets/listSets.ts';
import { DEVICE_NAMES } from '../../domain/devices.ts';
import { SET_STATUSES } from '../../domain/states.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { SET_LABELS } from '../labels.ts';
import type { LiveSource } from '../live.ts';
import { addressOf, type PagePaths } from '../paths.ts';
import { ANY, campaignChoices, DATES, emptyList, type FilterField, filterForm } from './filterForm.ts';
import { readListQuery } from './listQuery.ts';
import { pageLinks, pageParameters } from './pageLinks.ts';
import { setTable } from './setTable.ts';

/** More are shown as "100+". */
const NEWER_MOST = 100;

const SORTS = ['newest', 'oldest'] as const;

const DEFINITION = { filters: { ...setFilters, campaign_id: uuid.optional() }, sorts: SORTS };
export type SetListQuery = ReturnType<typeof readSetListQuery>;

export const readSetListQuery = (query: Readonly<Record<string, unknown>>) => readListQuery(query, DEFINITION);

function setFilterOf({ filters, sort }: SetListQuery, organizationId: string): SetFilter {
  const { q, campaign_id, ...others } = filters;
  return { organizationId, text: q, campaignId: campaign_id, sort, ...others };
}

export async function setsPage(
  options: PagesOptions,
  query: SetListQuery,
  { viewer, paths }: { viewer: Viewer; paths: PagePaths },
): Promise<ResultsPage> {
  const { db } = options.store;
  const filter = setFilterOf(query, viewer.organizationId);
  const found = await listSets(db, filter, query.page);
  const fields = await fieldsOf(options, query, viewer);
  const form = filterForm(query, {
    path: paths.sets,
    search: 'Campaign, ad, lookup key, site or id',
    fields,
    sorts: SORTS,
  });
  const table = setTable(await withPreviews(db, found.rows), { viewer, paths, query });
  const body = html`<section class="head bar"><h1>Sets</h1>${newRequest(viewer, paths)}</section>
${form}
<p id="newer" class="newer" role="status" data-one="1 new set" data-many="new sets" hidden><a href="${addressOf(paths.sets, query.given)}"></a></p>
${found.rows.length === 0 ? emptyList('sets', { query, viewer, paths, path: paths.sets }) : table}
${pageLinks(found, paths.sets, query)}`;
  return {
    title: `Sets of ${viewer.slug}`,
    section: 'sets',
    assets: ['lists.css', 'lists.js'],
    body,
    events: addressOf(`${paths.sets}/events`, {
      ...query.given,
      ...pageParameters(query),
      since: sinceOf(query, found.rows),
    }),
  };
}

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

/** When the newest set of the first page was requested; other pages do not announce new sets. */
function sinceOf({ page, until, sort }: SetListQuery, rows: readonly ListedSet[]): string | undefined {
  const isFirst = page.page === 1 && until === undefined && sort === 'newest';
  return isFirst ? (rows[0]?.created_at ?? new Date(0)).toISOString() : undefined;
}

/** @param since when the newest set was requested at the time that the page was made. */
export function listSource(
  { store: { db } }: PagesOptions,
  query: SetListQuery,
  { since, findViewer }: { since: Date | undefined; findViewer: () => Promise<Viewer | undefined> },
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
      const { rows } = await listSets(db, filter, query.page);
      shown = new Set(rows.map(({ id }) => id));
      const state = rows.map(({ id, status, counts, cancel_requested_at }) => [
        id,
        status,
        counts,
        cancel_requested_at,
      ]);
      const newer =
        since === undefined ? 0 : await countSets(db, { ...filter, from: new Date(since.getTime() + 1) }, NEWER_MOST);
      const status = createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16);
      return { status, resolved: 0, total: 0, over: false, newer };
    },
  };
}

/** A notification without fields means that anything may have changed. */
const isEmpty = (change: object) => Object.keys(change).length === 0;
