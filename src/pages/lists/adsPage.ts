/** The list of the ads of an organization, also of those that no set shows. */
import { adFilters, uuid } from '../../contract/queries.ts';
import { type ListedAd, listAds } from '../../core/ads/listAds.ts';
import { AD_STATUSES } from '../../domain/states.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { AD_LABELS, timeElement } from '../labels.ts';
import { thumbnail, widthAtHeight } from '../parts.ts';
import type { PagePaths } from '../paths.ts';
import { ANY, campaignChoices, DATES, emptyList, filterForm, sortHeading } from './filterForm.ts';
import { type ListQuery, readListQuery } from './listQuery.ts';
import { pageLinks } from './pageLinks.ts';

const SORTS = ['newest', 'oldest', 'name'] as const;
const DEFINITION = { filters: { ...adFilters, campaign_id: uuid.optional() }, sorts: SORTS };

export async function adsPage(
  { store: { db } }: PagesOptions,
  given: Readonly<Record<string, unknown>>,
  { viewer, paths }: { viewer: Viewer; paths: PagePaths },
): Promise<ResultsPage> {
  const query = readListQuery(given, DEFINITION);
  const { q, campaign_id, ...others } = query.filters;
  const filter = {
    organizationId: viewer.organizationId,
    text: q,
    campaignId: campaign_id,
    sort: query.sort,
    ...others,
  };
  const found = await listAds(db, filter, query.page);
  const fields = [
    { name: 'status', label: 'Status', choices: [ANY, ...AD_STATUSES.map((s) => [s, AD_LABELS[s]] as const)] },
    { name: 'campaign_id', label: 'Campaign', choices: await campaignChoices(db, viewer.organizationId, campaign_id) },
    ...DATES,
  ];
  const form = filterForm(query, { path: paths.ads, search: 'Name, lookup key or id', fields, sorts: SORTS });
  const body = html`<section class="head"><h1>Ads</h1></section>
${form}
${found.rows.length === 0 ? emptyList('ads', { query, viewer, paths, path: paths.ads }) : adTable(found.rows, { paths, query })}
${pageLinks(found, paths.ads, query)}`;
  return { title: `Ads of ${viewer.slug}`, section: 'ads', assets: ['lists.css'], body };
}

interface AdTableOptions {
  readonly paths: PagePaths;
  /** Absent on the page of a campaign, which does not repeat the campaign. */
  readonly query?: ListQuery<unknown>;
}

export function adTable(rows: readonly ListedAd[], { paths, query }: AdTableOptions): Html {
  const heading = (label: string, sorts: readonly ('newest' | 'oldest' | 'name')[]) =>
    query === undefined ? html`<th scope="col">${label}</th>` : sortHeading(query, label, { path: paths.ads, sorts });
  return html`<table class="list ads"><thead><tr><th scope="col">Preview</th>${heading('Ad', ['name'])}<th scope="col">Status</th><th scope="col">Size</th>${query !== undefined && html`<th scope="col">Campaign</th>`}${heading('Created', ['newest', 'oldest'])}</tr></thead>
<tbody>${rows.map((row) => adRow(row, paths, query !== undefined))}</tbody></table>`;
}

function adRow(row: ListedAd, paths: PagePaths, namesCampaign: boolean): Html {
  const { id, name, lookup_key, status, reason, warnings, width, height } = row;
  const count = warnings.length;
  return html`<tr><td class="thumbs">${preview(row, paths)}</td>
<td class="main"><a href="${paths.ad(id)}"><bdi>${name}</bdi></a>${lookup_key !== null && html`<span class="meta"><code>${lookup_key}</code></span>`}${reason !== null && html`<span class="meta reason">${reason}</span>`}</td>
<td><span class="state ${status}">${AD_LABELS[status]}</span>${count > 0 && html`<span class="meta">${count === 1 ? '1 warning' : `${count} warnings`}</span>`}</td>
<td class="number">${width !== null && height !== null && `${width} × ${height}`}</td>
${namesCampaign && html`<td><a href="${paths.campaign(row.campaign_id)}"><bdi>${row.campaign}</bdi></a></td>`}<td class="time">${timeElement(row.created_at)}</td></tr>`;
}

/** CSS pixels, as in the style sheet. */
const SHOWN_HEIGHT = 44;

function preview({ preview_token: token, width, height }: ListedAd, paths: PagePaths): HtmlContent {
  if (token === null || width === null || height === null) return null;
  const size = { width, height };
  return thumbnail({ paths, token, alt: '', size, shownWidth: widthAtHeight(size, SHOWN_HEIGHT) });
}
