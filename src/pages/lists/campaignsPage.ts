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
import { listSets, withPreviews } from '../../core/sets/listSets.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { timeElement } from '../labels.ts';
import { OBJECT_TYPES } from '../objects/managedObjects.ts';
import { objectActions } from '../objects/objectPages.ts';
import { addressOf, type PagePaths } from '../paths.ts';
import { adTable } from './adsPage.ts';
import { DATES, emptyList, filterForm, sortHeading } from './filterForm.ts';
import { type ListQuery, readListQuery } from './listQuery.ts';
import { pageLinks } from './pageLinks.ts';
import { setTable } from './setTable.ts';

const SORTS = ['active', 'newest', 'oldest', 'name'] as const;
const DEFINITION = { filters: campaignFilters, sorts: SORTS };

export interface PageOptions {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

export async function campaignsPage(
  { store: { db } }: PagesOptions,
  given: Readonly<Record<string, unknown>>,
  { viewer, paths }: PageOptions,
): Promise<ResultsPage> {
  const query = readListQuery(given, DEFINITION);
  const { q, ...range } = query.filters;
  const filter = { organizationId: viewer.organizationId, text: q, sort: query.sort, ...range };
  const found = await listCampaigns(db, filter, query.page);
  const path = paths.campaigns;
  const fields = DATES.map((field) => ({ ...field, label: field.label.replace('(UTC)', 'created (UTC)') }));
  const body = html`<section class="head"><h1>Campaigns</h1></section>
${filterForm(query, { path, search: 'Name or id', fields, sorts: SORTS })}
${found.rows.length === 0 ? emptyList('campaigns', { query, viewer, paths, path }) : table(await withCounts(db, found.rows), paths, query)}
${pageLinks(found, path, query)}`;
  return { title: `Campaigns of ${viewer.slug}`, section: 'campaigns', assets: ['lists.css'], body };
}

function table(rows: readonly CountedCampaign[], paths: PagePaths, query: ListQuery<unknown>): Html {
  const heading = (label: string, sorts: readonly (typeof SORTS)[number][]) =>
    sortHeading(query, label, { path: paths.campaigns, sorts });
  return html`<table class="list campaigns"><thead><tr>${heading('Campaign', ['name'])}<th scope="col">Sets</th><th scope="col">In review</th><th scope="col">Ads</th>${heading('Last activity', ['active'])}${heading('Created', ['newest', 'oldest'])}</tr></thead>
<tbody>${rows.map((row) => campaignRow(row, paths))}</tbody></table>`;
}

function campaignRow(row: CountedCampaign, paths: PagePaths): Html {
  const { id, name, in_review } = row;
  const waiting =
    in_review > 0 &&
    html`<a href="${addressOf(paths.sets, { campaign_id: id, status: 'in_review' })}">${countLabel(in_review)}</a>`;
  return html`<tr><td class="main"><a href="${paths.campaign(id)}"><bdi>${name}</bdi></a></td><td class="number" data-label="Sets">${countLabel(row.sets)}</td><td class="number" data-label="In review">${waiting || '0'}</td><td class="number" data-label="Ads">${countLabel(row.ads)}</td><td class="time" data-label="Last activity">${timeElement(row.active_at)}</td><td class="time" data-label="Created">${timeElement(row.created_at)}</td></tr>`;
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
  const [sets, ads] = await Promise.all([listSets(db, filter, FIRST), listAds(db, filter, FIRST)]);
  const { name, created_at, active_at } = campaign;
  const body = html`<section class="head"><p class="crumb"><a href="${paths.campaigns}">Campaigns</a></p><h1><bdi>${name}</bdi></h1>
<p class="meta">Created ${timeElement(created_at)}, last activity ${timeElement(active_at)}. Campaign <code>${id}</code></p>
${objectActions(OBJECT_TYPES.campaign, paths.campaign(id), viewer)}</section>
<section class="part"><h2>Sets <span class="meta">${countLabel(campaign.sets)}</span></h2>
${sets.rows.length === 0 ? html`<p class="hint">No set of this campaign yet.</p>` : setTable(await withPreviews(db, sets.rows), { viewer, paths })}
${sets.total > SHOWN && all(paths.sets, id, 'sets')}</section>
<section class="part"><h2>Ads <span class="meta">${countLabel(campaign.ads)}</span></h2>
${ads.rows.length === 0 ? html`<p class="hint">No ad of this campaign yet.</p>` : adTable(ads.rows, { paths })}
${ads.total > SHOWN && all(paths.ads, id, 'ads')}</section>`;
  return { title: name, section: 'campaigns', assets: ['lists.css'], body };
}

function all(path: string, campaignId: string, what: string): HtmlContent {
  return html`<p><a href="${addressOf(path, { campaign_id: campaignId })}">All ${what} of this campaign</a></p>`;
}
