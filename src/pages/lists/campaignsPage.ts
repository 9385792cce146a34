/** The list of campaigns, and the page of one. */
import { campaignFilters } from '../../contract/queries.ts';
import { pageOfAds } from '../../core/ads/pageOfAds.ts';
import { type CampaignListRow, COUNT_MOST, pageOfCampaigns, readCampaign } from '../../core/sets/pageOfCampaigns.ts';
import { pageOfSets } from '../../core/sets/pageOfSets.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { timeElement } from '../labels.ts';
import { OBJECT_TYPES } from '../objects/managedObjects.ts';
import { objectActions } from '../objects/objectPages.ts';
import { addressOf, type PagePaths } from '../paths.ts';
import { adTable } from './adsPage.ts';
import { DATES, emptyList, filterForm, sortHeading } from './filterForm.ts';
import { type ListQuery, readListQuery } from './listQuery.ts';
import { pageLinks } from './place.ts';
import { setTable } from './setTable.ts';

const SORTS = ['active', 'newest', 'oldest', 'name'] as const;
const DEFINITION = { filters: campaignFilters, sorts: SORTS };
const COLUMNS = {
  active: { sort: 'active', direction: 'desc' },
  newest: { sort: 'created', direction: 'desc' },
  oldest: { sort: 'created', direction: 'asc' },
  name: { sort: 'name', direction: 'asc' },
} as const;

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
  const filter = { organizationId: viewer.organizationId, text: q, ...range };
  const found = await pageOfCampaigns(db, filter, { ...COLUMNS[query.sort], page: query.page });
  const path = paths.campaigns;
  const fields = DATES.map((field) => ({ ...field, label: field.label.replace('(UTC)', 'created (UTC)') }));
  const body = html`<section class="head"><h1>Campaigns</h1></section>
${filterForm(query, { path, search: 'Name or id', fields, sorts: SORTS })}
${found.rows.length === 0 ? emptyList('campaigns', { query, viewer, paths, path }) : table(found.rows, paths, query)}
${pageLinks(found, path, query.given)}`;
  return { title: `Campaigns of ${viewer.slug}`, section: 'campaigns', assets: ['lists.css'], body };
}

function table(rows: readonly CampaignListRow[], paths: PagePaths, query: ListQuery<unknown>): Html {
  const heading = (label: string, sorts: readonly (typeof SORTS)[number][]) =>
    sortHeading(query, label, { path: paths.campaigns, sorts });
  return html`<table class="list campaigns"><thead><tr>${heading('Campaign', ['name'])}<th scope="col">Sets</th><th scope="col">In review</th><th scope="col">Ads</th>${heading('Last activity', ['active'])}${heading('Created', ['newest', 'oldest'])}</tr></thead>
<tbody>${rows.map((row) => campaignRow(row, paths))}</tbody></table>`;
}

function campaignRow(row: CampaignListRow, paths: PagePaths): Html {
  const { id, name, inReview } = row;
  const waiting =
    inReview > 0 &&
    html`<a href="${addressOf(paths.sets, { campaign_id: id, status: 'in_review' })}">${countLabel(inReview)}</a>`;
  return html`<tr><td class="main"><a href="${paths.campaign(id)}"><bdi>${name}</bdi></a></td><td class="number" data-label="Sets">${countLabel(row.sets)}</td><td class="number" data-label="In review">${waiting || '0'}</td><td class="number" data-label="Ads">${countLabel(row.ads)}</td><td class="time" data-label="Last activity">${timeElement(row.active_at)}</td><td class="time" data-label="Created">${timeElement(row.created_at)}</td></tr>`;
}

const countLabel = (count: number) => `${count.toLocaleString('en')}${count >= COUNT_MOST ? '+' : ''}`;

const SHOWN = 10;
const FIRST = { size: SHOWN };

/** @returns undefined if the organization has no such campaign. */
export async function campaignPage(
  { store: { db } }: PagesOptions,
  id: string,
  { viewer, paths }: PageOptions,
): Promise<ResultsPage | undefined> {
  const { organizationId } = viewer;
  const campaign = await readCampaign(db, { id, organizationId });
  if (campaign === undefined) return undefined;
  const filter = { organizationId, campaignId: id };
  const [sets, ads] = await Promise.all([
    pageOfSets(db, filter, { direction: 'desc', page: FIRST, pictures: 3 }),
    pageOfAds(db, filter, { sort: 'created', direction: 'desc', page: FIRST }),
  ]);
  const { name, created_at, active_at } = campaign;
  const body = html`<section class="head"><p class="crumb"><a href="${paths.campaigns}">Campaigns</a></p><h1><bdi>${name}</bdi></h1>
<p class="meta">Created ${timeElement(created_at)}, last activity ${timeElement(active_at)}. Campaign <code>${id}</code></p>
${objectActions(OBJECT_TYPES.campaign, paths.campaign(id), viewer)}</section>
<section class="part"><h2>Sets <span class="meta">${countLabel(campaign.sets)}</span></h2>
${sets.rows.length === 0 ? html`<p class="hint">No set of this campaign yet.</p>` : setTable(sets.rows, { viewer, paths })}
${sets.hasAfter && all(paths.sets, id, 'sets')}</section>
<section class="part"><h2>Ads <span class="meta">${countLabel(campaign.ads)}</span></h2>
${ads.rows.length === 0 ? html`<p class="hint">No ad of this campaign yet.</p>` : adTable(ads.rows, { paths })}
${ads.hasAfter && all(paths.ads, id, 'ads')}</section>`;
  return { title: name, section: 'campaigns', assets: ['lists.css'], body };
}

function all(path: string, campaignId: string, what: string): HtmlContent {
  return html`<p><a href="${addressOf(path, { campaign_id: campaignId })}">All ${what} of this campaign</a></p>`;
}
