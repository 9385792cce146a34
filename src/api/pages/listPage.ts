import type { StatusCounts } from '../../domain/reviewNotes.ts';
import { readCampaignNames } from '../../store/campaigns/listCampaigns.ts';
import { readThumbnails } from '../../store/screenshots/readScreenshots.ts';
import { type ListedSetRow, listSets } from '../../store/sets/listSets.ts';
import type { PagePaths, PagesOptions, ResultsPage, Viewer } from './context.ts';
import { type Html, type HtmlContent, html } from './html.ts';
import { formatTime, SET_LABELS } from './labels.ts';

const PER_PAGE = 25;
const THUMBNAILS = 4;

/** The organization's sets, newest first. */
export async function listPage(
  { store }: PagesOptions,
  { viewer, paths, page }: { viewer: Viewer; paths: PagePaths; page: number },
): Promise<ResultsPage> {
  const { rows, total } = await listSets(
    store.db,
    { organizationId: viewer.organizationId },
    { page, perPage: PER_PAGE },
  );
  const [names, thumbnails] = await Promise.all([
    readCampaignNames(
      store.db,
      rows.map((row) => row.campaign_id),
    ),
    readThumbnails(
      store.db,
      rows.map((row) => row.id),
      THUMBNAILS,
    ),
  ]);
  const item = (row: ListedSetRow) =>
    setItem(row, { paths, campaign: names.get(row.campaign_id) ?? '', tokens: thumbnails.get(row.id) ?? [] });
  const body = html`<section class="head"><h1>Screenshot sets</h1><p class="meta">${total === 1 ? '1 set' : `${total} sets`} of ${viewer.slug}</p></section>
${rows.length === 0 ? html`<p class="hint">None yet. A POST to <code>/api/v1/orgs/${viewer.slug}/screenshot_requests</code> makes one; <a href="${paths.base}/docs">the API reference</a> tells how.</p>` : html`<ul class="sets">${rows.map(item)}</ul>`}
${pageLinks(total, page, paths)}`;
  return { title: `Screenshot sets of ${viewer.slug}`, body };
}

interface Shown {
  readonly paths: PagePaths;
  readonly campaign: string;
  readonly tokens: readonly string[];
}

function setItem(set: ListedSetRow, { paths, campaign, tokens }: Shown): Html {
  const { total, resolved, uploaded } = sums(set.counts);
  return html`<li><a href="${paths.set(set.id)}">
  <span class="thumbs">${tokens.map((token) => html`<img src="${paths.image(token)}" alt="" loading="lazy" decoding="async">`)}</span>
  <span class="text"><strong>${campaign}</strong> <span class="state ${set.status}">${SET_LABELS[set.status]}</span>
  <span class="meta">${formatTime(set.created_at)}</span>
  <span class="meta">${uploaded} of ${total} captured${resolved < total && `, ${total - resolved} to come`}</span></span>
</a></li>`;
}

function sums(counts: StatusCounts): { total: number; resolved: number; uploaded: number } {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { total, resolved: total - (counts.pending ?? 0), uploaded: counts.uploaded ?? 0 };
}

function pageLinks(total: number, page: number, paths: PagePaths): HtmlContent {
  const pages = Math.ceil(total / PER_PAGE);
  if (pages <= 1) return null;
  const link = (to: number, text: string) => html`<a href="${paths.organization}?page=${to}">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages">${page > 1 && link(page - 1, 'Newer')} <span>Page ${page} of ${pages}</span> ${page < pages && link(page + 1, 'Older')}</nav>`;
}
