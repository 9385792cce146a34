/** The list of campaigns, and the page of one. */
import { campaignFilters } from '../../contract/queries.ts';
import { listAds } from '../../core/ads/listAds.ts';
import {
  COUNT_MOST,
  type CountedCampaign,
  listCampaigns,
  readCountedCampaign,
  withCounts,
} from '../../core/sets/campaigns.ts';
import { withPreviews } from '../../core/sets/listSets.ts';
import { listRounds } from '../../core/sets/rounds.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { OBJECT_TYPES } from '../objects/managedObjects.ts';
import { objectLinks } from '../objects/objectPages.ts';
import { type Column, copyText, facts, pageHead, table, tabs } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { DATES, emptyList, filteredList, sortingBy } from '../tables/listParts.ts';
import { type ListQuery, readListQuery } from '../tables/listQuery.ts';
import { adTable } from './adsPage.ts';
import { setTable } from './setTable.ts';

const SORTS = ['active', 'newest', 'oldest', 'name'] as const;
const DEFINITION = { filters: campaignFilters, sorts: SORTS };

export interface PageOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

/** The top of the lists of the section. */
export function campaignsHead(
  paths: PagePaths,
  current: 'campaigns' | 'sets' | 'schedules',
  actions: HtmlContent = null,
): Html {
  return html`${pageHead({ title: 'Campaigns', actions })}
${tabs('Campaigns', [
  { label: 'Campaigns', href: paths.campaigns, isCurrent: current === 'campaigns' },
  { label: 'All sets', href: paths.sets, isCurrent: current === 'sets' },
  { label: 'Schedules', href: paths.schedules, isCurrent: current === 'schedules' },
])}`;
}

export async function campaignsPage(
  { store: { db } }: PagesOptions,
  given: Readonly<Record<string, unknown>>,
  { viewer, paths }: PageOptions,
): Promise<ResultsPage> {
  const query = readListQuery(given, DEFINITION);
  const { q: text, ...range } = query.filters;
  const { organizationId } = viewer;
  const filter = { organizationId, text, sort: query.sort, hasDrafts: false, ...range } as const;
  const found = await listCampaigns(db, filter, query.page);
  const path = paths.campaigns;
  const rows = await withCounts(db, found.rows);
  const shown = {
    ...{ what: 'campaigns', path, search: 'Name or id', fields: DATES, sorts: SORTS },
    none: emptyList('campaigns', { viewer, paths }),
    list: table({ columns: columns(paths, query), rows }),
  };
  const body = html`${campaignsHead(paths, 'campaigns')}
${filteredList(query, found, shown)}`;
  return { title: `Campaigns of ${viewer.slug}`, section: 'campaigns', body };
}

function columns(paths: PagePaths, query: ListQuery<unknown>): Column<CountedCampaign>[] {
  const sorting = (...sorts: (typeof SORTS)[number][]) => sortingBy(query, paths.campaigns, sorts);
  const waiting = (id: string) => addressOf(paths.sets, { campaign_id: id, status: 'in_review' });
  return [
    {
      label: 'Campaign',
      kind: 'main',
      sorting: sorting('name'),
      cell: ({ id, name }) => html`<a href="${paths.campaign(id)}"><bdi>${name}</bdi></a>`,
    },
    { label: 'Sets', kind: 'number', cell: ({ sets }) => countLabel(sets) },
    {
      label: 'In review',
      kind: 'number',
      cell: ({ id, in_review }) => (in_review === 0 ? 0 : html`<a href="${waiting(id)}">${countLabel(in_review)}</a>`),
    },
    { label: 'Ads', kind: 'number', cell: ({ ads }) => countLabel(ads) },
    {
      label: 'Last activity',
      kind: 'time',
      sorting: sorting('active'),
      cell: ({ active_at }) => timeElement(active_at),
    },
    {
      label: 'Created',
      kind: 'time',
      sorting: sorting('newest', 'oldest'),
      cell: ({ created_at }) => timeElement(created_at),
    },
  ];
}

const countLabel = (count: number) => `${count.toLocaleString('en')}${count >= COUNT_MOST ? '+' : ''}`;

const SHOWN = 10;
const FIRST = { page: 1, perPage: SHOWN };

/** @returns undefined if the organization has no such campaign. */
export async function campaignPage(
  { store: { db } }: PagesOptions,
  id: string,
  { viewer, paths }: PageOptions,
): Promise<ResultsPage | undefined> {
  const { organizationId } = viewer;
  const campaign = await readCountedCampaign(db, { id, organizationId });
  if (campaign === undefined) return undefined;
  const filter = { organizationId, campaignId: id };
  const [sets, ads] = await Promise.all([listRounds(db, filter, FIRST), listAds(db, filter, FIRST)]);
  const { name, created_at, active_at } = campaign;
  const part = (title: string, count: number, none: string, list: HtmlContent, path: string) => {
    const all = html`<a href="${addressOf(path, { campaign_id: id })}">All ${title.toLowerCase()} of this campaign</a>`;
    return html`<section class="part">
      <h2>${title} <span class="count">${countLabel(count)}</span></h2>
      ${count === 0 ? html`<p class="hint">${none}</p>` : list}
      ${count > SHOWN && html`<p>${all}</p>`}
    </section>`;
  };
  const head = pageHead({
    title: html`<bdi>${name}</bdi>`,
    up: { href: paths.campaigns, label: 'Campaigns' },
    meta: html`Created ${timeElement(created_at)}, last activity ${timeElement(active_at)}`,
    actions: objectLinks(OBJECT_TYPES.campaign, paths.campaign(id), viewer),
  });
  const setRows = setTable(await withPreviews(db, sets.rows), { viewer, paths });
  const body = html`${head}
${part('Sets', campaign.sets, 'No sets in this campaign yet.', setRows, paths.sets)}
${part('Ads', campaign.ads, 'No ads in this campaign yet.', adTable(ads.rows, { paths }), paths.ads)}
<details><summary>Details</summary>${facts([['Id', copyText('the campaign id', id)]])}</details>`;
  return { title: name, section: 'campaigns', body };
}
