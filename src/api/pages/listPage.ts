import { totalsOf } from '../../domain/reviewNotes.ts';
import { readCampaignNames } from '../../store/campaigns/listCampaigns.ts';
import { readThumbnails } from '../../store/screenshots/readScreenshots.ts';
import { type ListedSetRow, listSets } from '../../store/sets/listSets.ts';
import type { PagesOptions, ResultsPage, Viewer } from './context.ts';
import { type Html, type HtmlContent, html } from './html.ts';
import { formatTime, progressLabel, SET_LABELS } from './labels.ts';
import type { PagePaths } from './paths.ts';

const PER_PAGE = 25;
const THUMBNAILS = 4;

/** @returns the organization's sets, newest first. */
export async function listPage(
  { store }: PagesOptions,
  { viewer, paths, page }: { viewer: Viewer; paths: PagePaths; page: number },
): Promise<ResultsPage> {
  const { organizationId, slug } = viewer;
  const { rows, total } = await listSets(store.db, { organizationId }, { page, perPage: PER_PAGE });
  const campaignIds = rows.map((row) => row.campaign_id);
  const setIds = rows.map((row) => row.id);
  const [names, thumbnails] = await Promise.all([
    readCampaignNames(store.db, campaignIds),
    readThumbnails(store.db, setIds, THUMBNAILS),
  ]);
  const item = (row: ListedSetRow) =>
    setItem(row, { paths, campaign: names.get(row.campaign_id) ?? '', tokens: thumbnails.get(row.id) ?? [] });
  const empty = html`<p class="hint">No sets yet. Send a POST to <code>/api/v1/orgs/${slug}/screenshot_requests</code> to create one; see <a href="${paths.base}/docs">the API reference</a>.</p>`;
  const body = html`<section class="head"><h1>Screenshot sets</h1><p class="meta">${total === 1 ? '1 set' : `${total} sets`} of placement previews of ${slug}</p></section>
${rows.length === 0 ? empty : html`<ul class="sets">${rows.map(item)}</ul>`}
${pageLinks(total, page, paths)}`;
  return { title: `Screenshot sets of ${slug}`, body };
}

interface SetItemOptions {
  readonly paths: PagePaths;
  readonly campaign: string;
  /** Image tokens of the thumbnails. */
  readonly tokens: readonly string[];
}

function setItem(set: ListedSetRow, { paths, campaign, tokens }: SetItemOptions): Html {
  return html`<li><a href="${paths.set(set.id)}">
  <span class="thumbs">${tokens.map((token) => html`<img src="${paths.image(token)}" alt="" loading="lazy" decoding="async">`)}</span>
  <span class="text"><strong>${campaign}</strong> <span class="state ${set.status}">${SET_LABELS[set.status]}</span>
  <span class="meta">${formatTime(set.created_at)}</span>
  <span class="meta">${progressLabel(totalsOf(set.counts))}</span></span>
</a></li>`;
}

function pageLinks(total: number, page: number, paths: PagePaths): HtmlContent {
  const pages = Math.ceil(total / PER_PAGE);
  if (pages <= 1) return null;
  const link = (to: number, text: string) => html`<a href="${paths.organization}?page=${to}">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages">${page > 1 && link(page - 1, 'Newer')} <span>Page ${page} of ${pages}</span> ${page < pages && link(page + 1, 'Older')}</nav>`;
}
