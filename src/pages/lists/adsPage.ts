/** The list of the ads of an organization, also of those that no set shows. */
import { adFilters, uuid } from '../../contract/queries.ts';
import { type ListedAd, listAds } from '../../core/ads/listAds.ts';
import { counted } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, type Column, pageHead, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { AD_LABELS, timeElement } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { thumbnail, widthAtHeight } from '../parts/pictureParts.ts';
import { anyOf, campaignChoices, DATES, emptyList, filteredList, sortingBy } from '../tables/listParts.ts';
import { type ListQuery, readListQuery, type SortName } from '../tables/listQuery.ts';

const SORTS = ['newest', 'oldest', 'name'] as const;
const DEFINITION = { filters: { ...adFilters, campaign_id: uuid.optional() }, sorts: SORTS };

export async function adsPage(
  { store: { db } }: PagesOptions,
  given: Readonly<Record<string, unknown>>,
  { viewer, paths }: { viewer: Viewer; paths: PagePaths },
): Promise<ResultsPage> {
  const query = readListQuery(given, DEFINITION);
  const { organizationId } = viewer;
  const { q: text, campaign_id: campaignId, ...others } = query.filters;
  const filter = { organizationId, text, campaignId, sort: query.sort, hasDrafts: false, ...others } as const;
  const found = await listAds(db, filter, query.page);
  const path = paths.ads;
  const fields = [
    { name: 'status', label: 'Status', choices: anyOf(AD_LABELS) },
    { name: 'campaign_id', label: 'Campaign', choices: await campaignChoices(db, organizationId, campaignId) },
    ...DATES,
  ];
  const shown = {
    ...{ what: 'ads', path, search: 'Name or id', fields, sorts: SORTS },
    none: emptyList('ads', { viewer, paths }),
    list: adTable(found.rows, { paths, query }),
  };
  const body = html`${pageHead({ title: 'Ads' })}
${filteredList(query, found, shown)}`;
  return { title: `Ads of ${viewer.slug}`, section: 'ads', body };
}

interface AdTableOptions {
  readonly paths: PagePaths;
  /** Absent on the page of a campaign, which does not repeat the campaign. */
  readonly query?: ListQuery<unknown>;
}

export function adTable(rows: readonly ListedAd[], { paths, query }: AdTableOptions): Html {
  const sorting = (...sorts: SortName[]) => query && sortingBy(query, paths.ads, sorts);
  const campaign: Column<ListedAd> = {
    label: 'Campaign',
    cell: (row) => html`<a href="${paths.campaign(row.campaign_id)}"><bdi>${row.campaign}</bdi></a>`,
  };
  const columns: Column<ListedAd>[] = [
    { label: 'Preview', kind: 'preview', cell: (row) => preview(row, paths) },
    { label: 'Ad', kind: 'main', sorting: sorting('name'), cell: (row) => nameCell(row, paths) },
    { label: 'Status', cell: statusCell },
    {
      label: 'Size',
      kind: 'number',
      cell: ({ width, height }) => width !== null && height !== null && `${width} × ${height}`,
    },
    ...(query === undefined ? [] : [campaign]),
    {
      label: 'Created',
      kind: 'time',
      sorting: sorting('newest', 'oldest'),
      cell: (row) => timeElement(row.created_at),
    },
  ];
  return table({ columns, rows });
}

function nameCell({ id, name, reason }: ListedAd, paths: PagePaths): Html {
  return html`<a href="${paths.ad(id)}"><bdi>${name}</bdi></a>${reason !== null && html`<span class="meta reason">${reason}</span>`}`;
}

function statusCell({ status, warnings: { length } }: ListedAd): Html {
  return html`${badge(status, AD_LABELS[status])}${length > 0 && html` <span class="meta">${counted(length, 'warning')}</span>`}`;
}

/** CSS pixels, as in the style sheet. */
const SHOWN_HEIGHT = 44;

function preview({ preview_token: token, width, height }: ListedAd, paths: PagePaths): HtmlContent {
  if (token === null || width === null || height === null) return null;
  const size = { width, height };
  return thumbnail({ paths, token, alt: '', size, shownWidth: widthAtHeight(size, SHOWN_HEIGHT) });
}
