/** The pictures of a set: by site and device, frames of one ad as a film strip, a provenance record under each. */
import { findDevice } from '../../domain/devices.ts';
import type { PagePaths } from './context.ts';
import { type DeviceGroup, type FilmStrip, groupScreenshots, type ScreenshotView, type SiteGroup } from './grouping.ts';
import { type Html, type HtmlContent, html, webLink } from './html.ts';
import { markerLabel, SCREENSHOT_LABELS } from './labels.ts';
import { provenance } from './provenance.ts';

interface Given {
  readonly paths: PagePaths;
  /** Whether ads have pages that this viewer may open. */
  readonly linksAds: boolean;
}

export function screenshotSections(shots: readonly ScreenshotView[], given: Given): Html {
  return html`${groupScreenshots(shots).map((site) => siteSection(site, given))}`;
}

function siteSection({ siteUrl, devices }: SiteGroup<ScreenshotView>, given: Given): Html {
  const host = URL.canParse(siteUrl) ? new URL(siteUrl).host : siteUrl;
  return html`<section class="site">
  <header><h2>${host}</h2><p class="address">${webLink(siteUrl)}</p></header>
  ${devices.map((group) => deviceSection(group, given))}
</section>`;
}

function deviceSection({ device, strips }: DeviceGroup<ScreenshotView>, given: Given): Html {
  const known = findDevice(device);
  const size =
    known && html` <span class="meta">${known.viewport.width} × ${known.viewport.height}, ratio ${known.ratio}</span>`;
  return html`<section class="device">
  <h3>${device}${size}</h3>
  <div class="strips">${strips.map((strip) => filmStrip(strip, given))}</div>
</section>`;
}

function filmStrip({ frames }: FilmStrip<ScreenshotView>, given: Given): Html {
  const [first] = frames;
  if (first === undefined) return html``;
  const { ad } = first;
  const size = ad.width !== null && ad.height !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  const named = html`<bdi>${ad.name}</bdi>`;
  const name = given.linksAds ? html`<a href="${given.paths.ad(ad.id)}">${named}</a>` : named;
  return html`<article class="strip${frames.length > 1 && ' film'}">
  <h4>${name}${size}${frames.length > 1 && html` <span class="meta">${frames.length} frames</span>`}</h4>
  <ol>${frames.map((shot) => html`<li>${card(shot, given.paths)}</li>`)}</ol>
</article>`;
}

function card(shot: ScreenshotView, paths: PagePaths): Html {
  const label = `${shot.ad.name} on ${shot.siteUrl}, ${shot.device}, ${markerLabel(shot.markerMs)}`;
  return html`<figure id="shot-${shot.id}" class="shot ${shot.status}" data-live>
  ${shot.image_token === null ? placeholder(shot) : picture(shot, paths, label)}
  <figcaption><span class="moment">${markerLabel(shot.markerMs)}</span>${provenance(shot)}</figcaption>
</figure>`;
}

function picture(shot: ScreenshotView, paths: PagePaths, label: string): HtmlContent {
  const address = paths.image(shot.image_token ?? '');
  return html`<a class="frame ${shapeOf(shot.device)}" href="${address}" target="_blank" rel="noopener"><img src="${address}" alt="${label}" width="${shot.image_width}" height="${shot.image_height}" loading="lazy" decoding="async"></a>`;
}

/** As large as the picture will be, so that nothing moves when it comes. */
function placeholder({ status, device, reason }: ScreenshotView): HtmlContent {
  return html`<div class="frame empty ${shapeOf(device)}"><strong>${SCREENSHOT_LABELS[status]}</strong>${reason !== null && html`<span>${reason}</span>`}</div>`;
}

function shapeOf(device: string): 'wide' | 'tall' {
  const { width, height } = findDevice(device)?.viewport ?? { width: 1, height: 1 };
  return width > height ? 'wide' : 'tall';
}
