/** The list of campaigns, and the page of one. */
import { campaignFilters } from '../../contract/queries.ts';
import { listAds } from '../../core/ads/listAds.ts';
import {
  type CampaignNews,
  type CampaignOverview,
  readCampaignOverviews,
  readCampaignPeople,
  readCampaignSites,
} from '../../core/sets/campaignNews.ts';
import {
  COUNT_MOST,
  type CountedCampaign,
  listCampaigns,
  readCampaignLogo,
  readCountedCampaign,
  withCounts,
} from '../../core/sets/campaigns.ts';
import { withPreviews } from '../../core/sets/listSets.ts';
import { listRounds } from '../../core/sets/rounds.ts';
import { countShared } from '../../core/sharing/sharedPictures.ts';
import type { Logo } from '../../domain/branding.ts';
import { counted } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { objectLinks } from '../objects/objectPages.ts';
import {
  badge,
  button,
  type Column,
  copyText,
  dialog,
  facts,
  linkButton,
  pageHead,
  table,
  tabs,
} from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { EMPTY_FORM, type FormState, field, otherFaults } from '../parts/formFields.ts';
import { hiddenFields } from '../parts/forms.ts';
import { timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { siteName } from '../parts/pictureParts.ts';
import { downloadForm } from '../pictures/downloads.ts';
import { campaignChooser } from '../pictures/pictureChooser.ts';
import { LOGO_HINT, logoControl } from '../routes/logoForms.ts';
import { idOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { readShares, shareDialog, shareList } from '../sharing/sharePanel.ts';
import { DATES, emptyList, filteredList, sortingBy } from '../tables/listParts.ts';
import { type ListQuery, readListQuery } from '../tables/listQuery.ts';
import { adTable } from './adsPage.ts';
import { inbox } from './inbox.ts';
import { listThumbnail, setTable } from './setTable.ts';

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
  options: PagesOptions,
  given: Readonly<Record<string, unknown>>,
  { viewer, paths }: PageOptions,
): Promise<ResultsPage> {
  const { db } = options.store;
  const query = readListQuery(given, DEFINITION);
  const { q: text, ...range } = query.filters;
  const { organizationId } = viewer;
  const filter = { organizationId, text, sort: query.sort, hasDrafts: false, ...range } as const;
  const found = await listCampaigns(db, filter, query.page);
  const path = paths.campaigns;
  const overviews = await readCampaignOverviews(
    db,
    found.rows.map(({ id }) => id),
  );
  const rows = (await withCounts(db, found.rows)).map((row) => ({ ...row, overview: overviews.get(row.id) }));
  const shown = {
    ...{ what: 'campaigns', path, search: 'Name or id', fields: DATES, sorts: SORTS },
    none: emptyList('campaigns', { viewer, paths }),
    list: table({ columns: columns(paths, query), rows }),
  };
  const isFirst = !query.isFiltered && query.page.page === 1;
  const body = html`${campaignsHead(paths, 'campaigns')}
${isFirst && html`<div id="inbox" data-live>${await inbox(options, { viewer, paths })}</div>`}
${filteredList(query, found, shown)}`;
  return { title: `Campaigns of ${viewer.slug}`, section: 'campaigns', body, events: `${paths.sets}/events` };
}

type ListedCampaign = CountedCampaign & { readonly overview: CampaignOverview | undefined };

function columns(paths: PagePaths, query: ListQuery<unknown>): Column<ListedCampaign>[] {
  const sorting = (...sorts: (typeof SORTS)[number][]) => sortingBy(query, paths.campaigns, sorts);
  const waiting = (id: string) => addressOf(paths.sets, { campaign_id: id, status: 'in_review' });
  return [
    { label: 'Cover', kind: 'thumbs', cell: ({ overview }) => overview?.cover && listThumbnail(overview.cover, paths) },
    {
      label: 'Campaign',
      kind: 'main',
      sorting: sorting('name'),
      cell: ({ id, name }) => html`<a href="${paths.campaign(id)}"><bdi>${name}</bdi></a>`,
    },
    {
      label: 'Progress',
      cell: ({ id, in_review, overview }) => [
        (overview?.running ?? 0) > 0 && badge('capturing', `${overview?.running} capturing`),
        in_review > 0 &&
          html` <a href="${waiting(id)}">${badge('in_review', `${countLabel(in_review)} in review`)}</a>`,
      ],
    },
    { label: 'Sets', kind: 'number', cell: ({ sets }) => countLabel(sets) },
    { label: 'Ads', kind: 'number', cell: ({ ads }) => countLabel(ads) },
    {
      label: 'Last news',
      kind: 'time',
      sorting: sorting('active'),
      cell: ({ active_at, overview }) => (overview?.news ? newsLine(overview.news) : timeElement(active_at)),
    },
    {
      label: 'Created',
      kind: 'time',
      sorting: sorting('newest', 'oldest'),
      cell: ({ created_at }) => timeElement(created_at),
    },
  ];
}

const NEWS: Readonly<Record<CampaignNews['kind'], (by: HtmlContent) => HtmlContent>> = {
  requested: () => 'Requested',
  ready: () => 'Pictures are ready',
  failed: () => 'All pictures failed',
  approved: (by) => html`${by} approved a set`,
  rejected: (by) => html`${by} rejected a set`,
  client_approved: (by) => html`${by} (client) approved`,
  changes_requested: (by) => html`${by} (client) asks for changes`,
};

function newsLine({ kind, by, at }: CampaignNews): Html {
  return html`${NEWS[kind](html`<bdi>${by ?? 'A reviewer'}</bdi>`)}, ${timeElement(at)}`;
}

const countLabel = (count: number) => `${count.toLocaleString('en')}${count >= COUNT_MOST ? '+' : ''}`;

const SHOWN = 10;
const FIRST = { page: 1, perPage: SHOWN };
const SITES_SHOWN = 30;
const PEOPLE_SHOWN = 12;

/** @returns undefined if the organization has no such campaign. */
export async function campaignPage(
  options: PagesOptions,
  { request, viewer, paths }: Pick<ViewerRequest, 'request' | 'viewer' | 'paths'>,
  form = EMPTY_FORM,
): Promise<ResultsPage | undefined> {
  const { db } = options.store;
  const id = idOf(request);
  const created = String(request.query['created'] ?? '');
  const owner = { campaignId: id };
  const { organizationId } = viewer;
  const campaign = await readCountedCampaign(db, { id, organizationId });
  if (campaign === undefined) return undefined;
  const filter = { organizationId, campaignId: id };
  const [sets, ads, sites, people, links, counts, found] = await Promise.all([
    listRounds(db, filter, FIRST),
    listAds(db, filter, FIRST),
    readCampaignSites(db, id, SITES_SHOWN),
    readCampaignPeople(db, { id, organizationId }, PEOPLE_SHOWN),
    readShares(options, { organizationId, campaignId: id }),
    countShared(db, owner),
    readCampaignLogo(db, { id, organizationId }),
  ]);
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
    actions: [
      viewer.canWrite && button({ label: 'Share', icon: 'share-2', opens: 'share' }),
      counts.pictures > 0 && button({ label: 'Download', icon: 'download', opens: 'download' }),
      viewer.canWrite &&
        linkButton({
          href: addressOf(paths.newRequest, { of: id }),
          label: 'New request',
          icon: 'plus',
          kind: 'primary',
        }),
      ...objectLinks(paths.campaign(id), viewer),
    ],
  });
  const setRows = setTable(await withPreviews(db, sets.rows), paths);
  const chooser = await campaignChooser(db, { campaignId: id, ...counts }, paths);
  const body = html`${head}
<div id="sets" data-live>${part('Sets', campaign.sets, 'No sets in this campaign yet.', setRows, paths.sets)}</div>
${part('Ads', campaign.ads, 'No ads in this campaign yet.', adTable(ads.rows, { paths }), paths.ads)}
${sites.length > 0 && siteList(sites, id, paths)}
${people.length > 0 && peopleList(people)}
${links.total > 0 && html`<section class="part"><h2>Share links</h2>${shareList(options, links.rows, { viewer, paths, created })}</section>`}
${viewer.canWrite && logoForm(found?.logo ?? null, { viewer, paths, id, form })}
${viewer.canWrite && shareDialog({ viewer, paths, owner, ...counts })}
${counts.pictures > 0 && dialog('download', 'Download', downloadForm({ path: paths.campaign(id), ...counts, isShared: false, chooser }))}
<details><summary>Details</summary>${facts([['Id', copyText('the campaign id', id)]])}</details>`;
  const events = addressOf(`${paths.sets}/events`, { campaign_id: id });
  const assets = ['set.css', 'set.js', 'downloads.js'] as const;
  return { title: name, section: 'campaigns', body, events, assets, status: form.status };
}

function logoForm(logo: Logo | null, { viewer, paths, id, form }: PageOptions & { id: string; form: FormState }): Html {
  const path = paths.campaign(id);
  const shown = { name: 'logo', label: 'Logo', hint: `On the cover of files, beside your own logo. ${LOGO_HINT}` };
  return html`<section class="part"><h2>Logo of the client</h2>
<form class="fields" method="post" action="${path}" enctype="multipart/form-data">${hiddenFields(viewer, path)}
${otherFaults(form.errors, ['logo'])}${field(shown, form.errors, logoControl(logo, { paths, form }))}
${button({ label: 'Save the logo' })}</form></section>`;
}

function siteList(sites: Awaited<ReturnType<typeof readCampaignSites>>, campaignId: string, paths: PagePaths): Html {
  const items = sites.map(({ site_url, pictures }) => {
    const { host, address } = siteName(site_url);
    const sets = addressOf(paths.sets, { campaign_id: campaignId, site: host });
    return html`<li><a href="${sets}"><bdi>${address}</bdi></a> <span class="meta">${counted(pictures, 'picture')}</span></li>`;
  });
  return html`<section class="part"><h2>Sites</h2><ul class="items">${items}</ul></section>`;
}

function peopleList(people: Awaited<ReturnType<typeof readCampaignPeople>>): Html {
  const items = people.map(
    ({ name, part, at }) =>
      html`<li><bdi>${name}</bdi>${part === 'client' && ' (client)'} <span class="meta">${timeElement(at)}</span></li>`,
  );
  return html`<section class="part"><h2>People</h2><ul class="items">${items}</ul></section>`;
}
