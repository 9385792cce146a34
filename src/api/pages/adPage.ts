import { type AdHead, readAdHead, readCreative } from '../../store/ads/readAd.ts';
import type { Queryable } from '../../store/database/database.ts';
import { type DeliveryRow, listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { readSetsOfAd } from '../../store/sets/readSet.ts';
import type { PagesOptions, ResultsPage, Viewer } from './context.ts';
import { deliveryList } from './deliveries.ts';
import { type Html, type HtmlContent, html, webLink } from './html.ts';
import { AD_ADVICE, AD_LABELS, formatTime, markerLabel, SET_LABELS } from './labels.ts';
import type { PagePaths } from './paths.ts';
import { warningList } from './warnings.ts';

interface AdPageData {
  readonly ad: AdHead;
  readonly creative: Awaited<ReturnType<typeof readCreative>>;
  readonly deliveries: readonly DeliveryRow[];
  readonly sets: Awaited<ReturnType<typeof readSetsOfAd>>;
}

const SETS_SHOWN = 10;
const DELIVERIES_SHOWN = 50;

/** @returns undefined if this organization has no such ad. */
export async function adPage(
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
  <p class="crumb">Ad <code>${ad.id}</code></p>
  <h1>${ad.name}</h1>
  <p class="what"><span class="state ${ad.status}">${AD_LABELS[ad.status]}</span> <span class="meta">campaign ${ad.campaign}, created ${formatTime(ad.created_at)}</span></p>
  ${failure(data)}
</section>
${preview(data, paths)}
${warningList(ad.warnings)}
${frames(data, paths)}
<section class="panel"><h2>Creative</h2>${facts(data)}</section>
<section class="panel">${deliveryList(data.deliveries, { paths, viewer, next: paths.ad(id) })}</section>
${sets(data, paths)}
</div>`;
  return { title: ad.name, body, ...(ad.status === 'pending' && { events: `${paths.ad(id)}/events` }) };
}

async function readAdPageData(db: Queryable, id: string, organizationId: string): Promise<AdPageData | undefined> {
  const ad = await readAdHead(db, { id, organizationId });
  if (ad === undefined) return undefined;
  const [creative, deliveries, sets] = await Promise.all([
    readCreative(db, id),
    listDeliveries(db, { organizationId, adId: id }, { page: 1, perPage: DELIVERIES_SHOWN }),
    readSetsOfAd(db, id, SETS_SHOWN),
  ]);
  return { ad, creative, deliveries: deliveries.rows, sets };
}

function failure({ ad }: AdPageData): HtmlContent {
  if (ad.status === 'pending' || ad.status === 'uploaded') return null;
  return html`<div class="note fault"><p>${ad.reason ?? 'No reason was recorded.'}</p><p class="advice">${AD_ADVICE[ad.status]}</p></div>`;
}

function preview({ ad }: AdPageData, paths: PagePaths): HtmlContent {
  if (ad.preview_token === null) return null;
  const address = paths.image(ad.preview_token);
  return html`<figure class="preview"><a class="frame" href="${address}" target="_blank" rel="noopener"><img src="${address}" alt="Preview of ${ad.name}"${ad.width !== null && html` width="${ad.width}" height="${ad.height}"`}></a></figure>`;
}

function frames({ creative }: AdPageData, paths: PagePaths): HtmlContent {
  if (creative === undefined || creative.frames.length < 2) return null;
  return html`<section class="panel"><h2>Frames</h2><article class="strip film"><ol>${creative.frames.map(
    (frame) =>
      html`<li><figure class="screenshot uploaded"><a class="frame" href="${paths.image(frame.token)}" target="_blank" rel="noopener"><img src="${paths.image(frame.token)}" alt="Frame at ${markerLabel(frame.markerMs)}" width="${frame.width}" height="${frame.height}" loading="lazy"></a><figcaption><span class="marker">${markerLabel(frame.markerMs)}</span> <span class="meta">ratio ${frame.ratio}</span></figcaption></figure></li>`,
  )}</ol></article></section>`;
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
  ${ad.captured_at !== null && row('captured', formatTime(ad.captured_at))}
  ${row('media', ad.kind === 'url' ? webLink(ad.content) : media(ad.content, ad.content_length))}
</dl>`;
}

function media(content: string, length: number): Html {
  const rest = length > content.length && html`<p class="meta">The first ${content.length} of ${length} characters</p>`;
  return html`<pre>${content}</pre>${rest}`;
}

function sets({ sets }: AdPageData, paths: PagePaths): HtmlContent {
  const list = html`<ul>${sets.map(
    (set) =>
      html`<li><a href="${paths.set(set.id)}">${formatTime(set.created_at)}</a> <span class="state ${set.status}">${SET_LABELS[set.status]}</span></li>`,
  )}</ul>`;
  return html`<section class="panel"><h2>Placement previews</h2>${
    sets.length === 0 ? html`<p class="hint">No screenshot set shows this ad yet.</p>` : list
  }</section>`;
}
