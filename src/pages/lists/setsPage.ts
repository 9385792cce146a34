/** The list of the screenshot sets of an organization. */

import { setFilters, uuid } from '../../contract/queries.ts';
import { type SetFilter, withPreviews } from '../../core/sets/listSets.ts';
import { listRounds } from '../../core/sets/rounds.ts';
import { DEVICE_NAMES, shortDevice } from '../../domain/devices.ts';
import { html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { SET_LABELS } from '../parts/labels.ts';
import { type LiveSource, setsSource } from '../parts/live.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import {
  anyOf,
  campaignChoices,
  DATES,
  emptyList,
  type FilterField,
  filteredList,
  pageParameters,
} from '../tables/listParts.ts';
import { readListQuery } from '../tables/listQuery.ts';
import { campaignsHead } from './campaignsPage.ts';
import { setTable } from './setTable.ts';

const SORTS = ['newest', 'oldest'] as const;

const DEFINITION = { filters: { ...setFilters, campaign_id: uuid.optional() }, sorts: SORTS };
export type SetListQuery = ReturnType<typeof readSetListQuery>;

export const readSetListQuery = (query: Readonly<Record<string, unknown>>) => readListQuery(query, DEFINITION);

function setFilterOf({ filters, sort }: SetListQuery, organizationId: string): SetFilter {
  const { q, campaign_id, ...others } = filters;
  return { organizationId, text: q, campaignId: campaign_id, sort, withRounds: true, ...others };
}

export async function setsPage(
  options: PagesOptions,
  query: SetListQuery,
  { viewer, paths }: { viewer: Viewer; paths: PagePaths },
): Promise<ResultsPage> {
  const { db } = options.store;
  const filter = setFilterOf(query, viewer.organizationId);
  const found = await listRounds(db, filter, query.page);
  const path = paths.sets;
  const list = setTable(await withPreviews(db, found.rows), paths, query);
  const shown = {
    ...{ what: 'sets', path, search: 'Campaign, ad, site or id', sorts: SORTS, list },
    fields: await fieldsOf(options, query, viewer),
    none: emptyList('sets', { viewer, paths }),
  };
  const body = html`${campaignsHead(paths, 'sets')}
${isNewest(query) && newer(addressOf(path, query.given))}
${filteredList(query, found, shown)}`;
  return {
    title: `Sets of ${viewer.slug}`,
    section: 'campaigns',
    body,
    events: addressOf(`${path}/events`, { ...query.given, ...pageParameters(query) }),
  };
}

async function fieldsOf(
  { store: { db } }: PagesOptions,
  { filters }: SetListQuery,
  { organizationId }: Viewer,
): Promise<FilterField[]> {
  return [
    { name: 'status', label: 'Status', choices: anyOf(SET_LABELS) },
    { name: 'campaign_id', label: 'Campaign', choices: await campaignChoices(db, organizationId, filters.campaign_id) },
    { name: 'site', label: 'Site', placeholder: 'news.example' },
    {
      name: 'device',
      label: 'Device',
      choices: anyOf(Object.fromEntries(DEVICE_NAMES.map((name) => [name, shortDevice(name)]))),
    },
    ...DATES,
  ];
}

/** Other pages do not announce new sets. */
const isNewest = ({ page, until, sort }: SetListQuery) => page.page === 1 && until === undefined && sort === 'newest';

const newer = (path: string) =>
  html`<p id="newer" class="newer" role="status" hidden><a href="${path}">New sets: show</a></p>`;

/** Follows the sets of a list page with their retakes, and new ones. */
export function listSource({ store: { db } }: PagesOptions, query: SetListQuery, organizationId: string): LiveSource {
  return setsSource(async () => {
    const { rows } = await listRounds(db, setFilterOf(query, organizationId), query.page);
    return rows.flatMap(({ id, retakeIds }) => [id, ...retakeIds]);
  }, organizationId);
}
