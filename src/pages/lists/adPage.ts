import { readCreativeCheck } from '../../core/ads/creativeCheck.ts';
import { type AdHead, type CapturedFrame, readAdHead, readCreative } from '../../core/ads/readAd.ts';
import { withPreviews } from '../../core/sets/listSets.ts';
import { readAdRecord } from '../../core/sets/readRecords.ts';
import { readSetsOfAd } from '../../core/sets/readSet.ts';
import { readRounds } from '../../core/sets/rounds.ts';
import { listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import type { Queryable } from '../../db/database.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { deliveryList } from '../deliveries/deliveryPage.ts';
import { objectLinks } from '../objects/objectPages.ts';
import { badge, copyText, facts, pageHead } from '../parts/components.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import { AD_ADVICE, AD_LABELS, markerLabel, timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { metadataList, thumbnail, warningList, webLink, widthAtHeight } from '../parts/pictureParts.ts';
import { idOf, type PageRoutes, recordQuery, refOf } from '../routes/pageRoutes.ts';
import { creativeCheckCard } from './creativeCheckCard.ts';
import { setTable } from './setTable.ts';

export type AdPageData = NonNullable<Awaited<ReturnType<typeof readAdPageData>>>;

interface Given {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

const SETS_SHOWN = 10;
const DELIVERIES_SHOWN = 50;

/** @returns undefined if this organization has no such ad. */
async function adPage(options: PagesOptions, id: string, given: Given): Promise<ResultsPage | undefined> {
  const data = await readAdPageData(options.store.db, id, given.viewer.organizationId);
  if (data === undefined) return undefined;
  const { ad } = data;
  const events = ad.status === 'pending' ? `${given.paths.ad(id)}/events` : undefined;
  return { title: ad.name, section: 'ads', body: adBody(data, given), events };
}

export function adBody(data: AdPageData, { viewer, paths }: Given): Html {
  const { ad } = data;
  const path = paths.ad(ad.id);
  const size = ad.width !== null && ad.height !== null && `${ad.width} × ${ad.height}, `;
  const campaign = html`<a href="${paths.campaign(ad.campaign_id)}"><bdi>${ad.campaign}</bdi></a>`;
  const head = pageHead({
    title: html`<bdi>${ad.name}</bdi>`,
    up: { href: paths.ads, label: 'Ads' },
    badge: badge(ad.status, AD_LABELS[ad.status]),
    meta: html`${size}campaign ${campaign}, created ${timeElement(ad.created_at)}`,
    actions: objectLinks(path, viewer),
  });
  return html`<div id="ad" class="part" data-live>${head}
${failure(data)}
${preview(data, paths)}
${warningList(ad.warnings)}
${frames(data, paths)}
${ad.status === 'uploaded' && creativeCheckCard(data.check, paths)}
${sets(data, paths)}
<section class="part">${deliveryList(data.deliveries, { paths, viewer, next: path })}</section>
<details><summary>Details</summary>${adFacts(data)}</details>
${metadataList(ad.metadata)}
</div>`;
}

async function readAdPageData(db: Queryable, id: string, organizationId: string) {
  const ad = await readAdHead(db, { id, organizationId });
  if (ad === undefined) return undefined;
  const [creative, deliveries, shown, check] = await Promise.all([
    readCreative(db, id),
    listDeliveries(db, { organizationId, adId: id }, { page: 1, perPage: DELIVERIES_SHOWN }),
    readSetsOfAd(db, id, SETS_SHOWN),
    readCreativeCheck(db, { id, organizationId }),
  ]);
  const ids = shown.map((set) => set.id);
  const sets = await withPreviews(db, await readRounds(db, organizationId, ids));
  return { ad, creative, deliveries: deliveries.rows, sets, check };
}

function failure({ ad }: AdPageData): HtmlContent {
  if (ad.status === 'pending' || ad.status === 'uploaded') return null;
  return html`<div class="note fault"><p>${ad.reason ?? 'No reason was recorded.'}</p><p class="advice">${AD_ADVICE[ad.status]}</p></div>`;
}

function preview({ ad }: AdPageData, paths: PagePaths): HtmlContent {
  if (ad.preview_token === null) return null;
  const { preview_token: token, width, height } = ad;
  const alt = `Preview of ${ad.name}`;
  const picture =
    width === null || height === null
      ? html`<img src="${paths.image(token)}" alt="${alt}">`
      : thumbnail({ paths, token, alt, size: { width, height }, shownWidth: width });
  return html`<figure class="preview"><a href="${paths.image(token)}" target="_blank" rel="noopener">${picture}</a></figure>`;
}

function frames({ creative }: AdPageData, paths: PagePaths): HtmlContent {
  // Each moment is captured once for each pixel ratio.
  const moments = [...new Map(creative?.frames.map((frame) => [frame.markerMs, frame])).values()];
  if (moments.length < 2) return null;
  const items = moments.map((frame) => {
    const href = paths.image(frame.token);
    return html`<li><figure>
      <a href="${href}" target="_blank" rel="noopener">${frameImage(frame, paths)}</a>
      <figcaption class="meta">${markerLabel(frame.markerMs)}</figcaption>
    </figure></li>`;
  });
  return html`<section class="part"><h2>Moments</h2><ol class="frames">${items}</ol></section>`;
}

/** CSS pixels, as in the style sheet. */
const FRAME_HEIGHT = 200;

function frameImage({ token, markerMs, ...size }: CapturedFrame, paths: PagePaths): Html {
  const alt = `The ad at ${markerLabel(markerMs)}`;
  return thumbnail({ paths, token, alt, size, shownWidth: widthAtHeight(size, FRAME_HEIGHT) });
}

function adFacts({ ad, creative }: AdPageData): Html {
  const notes = creative?.notes ?? [];
  return facts([
    ['Id', copyText('the ad id', ad.id)],
    ['Lookup key', ad.lookup_key && copyText('the lookup key', ad.lookup_key)],
    ['Size', ad.width !== null && ad.height !== null ? `${ad.width} × ${ad.height} CSS pixels` : 'unknown'],
    ['Kind', html`<code>${ad.kind}</code>`],
    ['Category', ad.category],
    ['Format', creative?.format],
    ['Capture mode', creative?.mode],
    ['Ratios', creative && [...new Set(creative.frames.map(({ ratio }) => ratio))].join(', ')],
    ['Notes', notes.length > 0 && html`<ul>${notes.map((text) => html`<li>${text}</li>`)}</ul>`],
    ['Captured', ad.captured_at && timeElement(ad.captured_at)],
    ['Media', mediaOf(ad)],
  ]);
}

function mediaOf(ad: AdHead): Html {
  if (ad.kind === 'url') return webLink(ad.content);
  if (ad.kind === 'html_tag') return media(ad.content, ad.content_length);
  const bytes = (ad.upload_bytes ?? 0).toLocaleString('en');
  return html`<bdi>${ad.upload_name}</bdi> <span class="meta">uploaded, ${bytes} bytes</span>`;
}

function media(content: string, length: number): Html {
  const rest = length > content.length && html`<p class="meta">The first ${content.length} of ${length} characters</p>`;
  return html`<pre tabindex="0">${content}</pre>${rest}`;
}

function sets({ ad, sets }: AdPageData, paths: PagePaths): Html {
  const all = html`<p><a href="${addressOf(paths.sets, { q: ad.id })}">All sets with this ad</a></p>`;
  const list = html`${setTable(sets, paths)}${sets.length >= SETS_SHOWN && all}`;
  return html`<section class="part"><h2>Sets</h2>${
    sets.length === 0 ? html`<p class="hint">No set shows this ad yet.</p>` : list
  }</section>`;
}

export function addAdRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/ads/:id';
  pages.json(`${path}.json`, (given) => readAdRecord(options.store.db, recordQuery(options, given)));
  pages.get(path, (given) => adPage(options, idOf(given.request), given));
  pages.events(`${path}/events`, (given) => {
    const ref = refOf(given);
    const exists = async () => (await readAdHead(options.store.db, ref)) !== undefined;
    return { concerns: ({ ad }) => ad === ref.id, exists };
  });
}
