import { type AdHead, type CapturedFrame, readAdHead, readCreative } from '../core/ads/readAd.ts';
import { type ListedSet, readSets, type SetPreview, withPreviews } from '../core/sets/listSets.ts';
import { readAdRecord } from '../core/sets/readRecords.ts';
import { readSetsOfAd } from '../core/sets/readSet.ts';
import { type DeliveryRow, listDeliveries } from '../core/webhooks/listDeliveries.ts';
import type { Queryable } from '../db/database.ts';
import { type Html, type HtmlContent, html } from '../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from './context.ts';
import { deliveryList } from './deliveries/deliveryPage.ts';
import { AD_ADVICE, AD_LABELS, markerLabel, timeElement } from './labels.ts';
import { setTable } from './lists/setTable.ts';
import { adSource } from './live.ts';
import { OBJECT_TYPES } from './objects/managedObjects.ts';
import { objectActions } from './objects/objectPages.ts';
import { idOf, type PageRoutes, recordQuery } from './pageRoutes.ts';
import { metadataList, thumbnail, warningList, webLink, widthAtHeight } from './parts.ts';
import { addressOf, type PagePaths } from './paths.ts';

interface AdPageData {
  readonly ad: AdHead;
  readonly creative: Awaited<ReturnType<typeof readCreative>>;
  readonly deliveries: readonly DeliveryRow[];
  readonly sets: readonly (ListedSet & SetPreview)[];
}

const SETS_SHOWN = 10;
const DELIVERIES_SHOWN = 50;

/** @returns undefined if this organization has no such ad. */
async function adPage(
  options: PagesOptions,
  id: string,
  { viewer, paths }: { viewer: Viewer; paths: PagePaths },
): Promise<ResultsPage | undefined> {
  const data = await readAdPageData(options.store.db, id, viewer.organizationId);
  if (data === undefined) return undefined;
  const { ad } = data;
  const body = html`
<div id="ad" data-live>
<section class="head">
  <p class="crumb"><a href="${paths.ads}">Ads</a></p>
  <h1><bdi>${ad.name}</bdi></h1>
  <p class="what"><span class="state ${ad.status}">${AD_LABELS[ad.status]}</span> <span class="meta">campaign <a href="${paths.campaign(ad.campaign_id)}"><bdi>${ad.campaign}</bdi></a>, created ${timeElement(ad.created_at)}</span></p>
  <p class="meta">Ad <code>${ad.id}</code></p>
  ${failure(data)}
  ${objectActions(OBJECT_TYPES.ad, paths.ad(id), viewer)}
</section>
${preview(data, paths)}
${warningList(ad.warnings)}
${frames(data, paths)}
<section class="panel"><h2>Creative</h2>${facts(data)}</section>
${metadataList(ad.metadata)}
<section class="panel">${deliveryList(data.deliveries, { paths, viewer, next: paths.ad(id) })}</section>
${sets(data, { viewer, paths })}
</div>`;
  const page: ResultsPage = { title: ad.name, section: 'ads', assets: ['lists.css'], body };
  return { ...page, events: ad.status === 'pending' ? `${paths.ad(id)}/events` : undefined };
}

async function readAdPageData(db: Queryable, id: string, organizationId: string): Promise<AdPageData | undefined> {
  const ad = await readAdHead(db, { id, organizationId });
  if (ad === undefined) return undefined;
  const [creative, deliveries, shown] = await Promise.all([
    readCreative(db, id),
    listDeliveries(db, { organizationId, adId: id }, { page: 1, perPage: DELIVERIES_SHOWN }),
    readSetsOfAd(db, id, SETS_SHOWN),
  ]);
  const ids = shown.map((set) => set.id);
  const sets = await withPreviews(db, await readSets(db, organizationId, ids));
  return { ad, creative, deliveries: deliveries.rows, sets };
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
      : thumbnail({ paths, token, alt, size: { width, height }, shownWidth: width, lazy: false });
  return html`<figure class="preview"><a class="frame" href="${paths.image(token)}" target="_blank" rel="noopener">${picture}</a></figure>`;
}

function frames({ creative }: AdPageData, paths: PagePaths): HtmlContent {
  if (creative === undefined || creative.frames.length < 2) return null;
  return html`<section class="panel"><h2>Frames</h2><article class="strip film"><ol>${creative.frames.map(
    (frame) =>
      html`<li><figure class="screenshot uploaded"><a class="frame" href="${paths.image(frame.token)}" target="_blank" rel="noopener">${frameImage(frame, paths)}</a><figcaption><span class="marker">${markerLabel(frame.markerMs)}</span> <span class="meta">ratio ${frame.ratio}</span></figcaption></figure></li>`,
  )}</ol></article></section>`;
}

/** CSS pixels, as in the style sheet. */
const FRAME_HEIGHT = 300;

function frameImage({ token, markerMs, ...size }: CapturedFrame, paths: PagePaths): Html {
  const alt = `Frame at ${markerLabel(markerMs)}`;
  return thumbnail({ paths, token, alt, size, shownWidth: widthAtHeight(size, FRAME_HEIGHT) });
}

function facts({ ad, creative }: AdPageData): Html {
  const row = (name: string, value: HtmlContent) => html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`<dl>
  ${row('size', ad.width !== null && ad.height !== null ? `${ad.width} × ${ad.height} CSS pixels` : 'unknown')}
  ${row('kind', html`<code>${ad.kind}</code>`)}
  ${ad.category !== null && row('category', ad.category)}
  ${ad.lookup_key !== null && row('lookup key', html`<code>${ad.lookup_key}</code>`)}
  ${creative !== undefined && [row('format', creative.format ?? '–'), row('capture mode', creative.mode ?? '–')]}
  ${creative !== undefined && creative.notes.length > 0 && row('notes', html`<ul>${creative.notes.map((text) => html`<li>${text}</li>`)}</ul>`)}
  ${ad.captured_at !== null && row('captured', timeElement(ad.captured_at))}
  ${row('media', mediaOf(ad))}
</dl>`;
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

function sets({ ad, sets }: AdPageData, { viewer, paths }: { viewer: Viewer; paths: PagePaths }): Html {
  const all = html`<p><a href="${addressOf(paths.sets, { q: ad.id })}">All sets with this ad</a></p>`;
  const list = html`${setTable(sets, { viewer, paths })}${sets.length >= SETS_SHOWN && all}`;
  return html`<section class="part"><h2>Sets</h2>${
    sets.length === 0
      ? html`<p class="hint">No set shows this ad yet. A request can name it by its id or its lookup key.</p>`
      : list
  }</section>`;
}

export function addAdRoutes(pages: PageRoutes): void {
  const { options } = pages;
  const path = '/o/:slug/ads/:id';
  pages.json(`${path}.json`, (given) => readAdRecord(options.store.db, recordQuery(options, given)));
  pages.get(path, (given) => adPage(options, idOf(given.request), given));
  pages.events(`${path}/events`, ({ request }, findAgain) => adSource(options, idOf(request), findAgain));
}
