/** The screenshots of a set: sections by site and device, film strips, and a provenance record under each screenshot. */
import { findDevice } from '../../domain/devices.ts';
import { type DeviceGroup, type FilmStrip, groupScreenshots, type ScreenshotView, type SiteGroup } from './grouping.ts';
import { type Html, type HtmlContent, html, webLink } from './html.ts';
import { markerLabel, SCREENSHOT_LABELS } from './labels.ts';
import type { PagePaths } from './paths.ts';
import { provenance } from './provenance.ts';
import { warningList } from './warnings.ts';

interface SectionOptions {
  readonly paths: PagePaths;
  /** Whether this viewer may open the pages of ads. */
  readonly linksAds: boolean;
}

export function screenshotSections(screenshots: readonly ScreenshotView[], options: SectionOptions): Html {
  return html`${groupScreenshots(screenshots).map((site) => siteSection(site, options))}`;
}

function siteSection({ siteUrl, devices }: SiteGroup, options: SectionOptions): Html {
  const host = URL.canParse(siteUrl) ? new URL(siteUrl).host : siteUrl;
  return html`<section class="site">
  <header><h2>${host}</h2><p class="address">${webLink(siteUrl)}</p></header>
  ${devices.map((group) => deviceSection(group, options))}
</section>`;
}

function deviceSection({ device, strips }: DeviceGroup, options: SectionOptions): Html {
  const known = findDevice(device);
  const size =
    known && html` <span class="meta">${known.viewport.width} × ${known.viewport.height}, ratio ${known.ratio}</span>`;
  return html`<section class="device">
  <h3>${device}${size}</h3>
  <div class="strips">${strips.map((strip) => filmStrip(strip, options))}</div>
</section>`;
}

function filmStrip({ frames }: FilmStrip, { paths, linksAds }: SectionOptions): Html {
  const [first] = frames;
  if (first === undefined) return html``;
  const { ad } = first;
  const size = ad.width !== null && ad.height !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  const adName = html`<bdi>${ad.name}</bdi>`;
  const heading = linksAds ? html`<a href="${paths.ad(ad.id)}">${adName}</a>` : adName;
  return html`<article class="strip${frames.length > 1 && ' film'}">
  <h4>${heading}${size}${frames.length > 1 && html` <span class="meta">${frames.length} frames</span>`}</h4>
  <ol>${frames.map((screenshot) => html`<li>${figure(screenshot, paths)}</li>`)}</ol>
</article>`;
}

function figure(screenshot: ScreenshotView, paths: PagePaths): Html {
  const marker = markerLabel(screenshot.marker_ms);
  const alt = `${screenshot.ad.name} on ${screenshot.site_url}, ${screenshot.device}, ${marker}`;
  return html`<figure id="screenshot-${screenshot.id}" class="screenshot ${screenshot.status}" data-live>
  ${screenshot.image_token === null ? placeholder(screenshot) : image(screenshot, paths.image(screenshot.image_token), alt)}
  <figcaption><span class="marker">${marker}</span>${warningList(screenshot.warnings)}${provenance(screenshot)}</figcaption>
</figure>`;
}

function image({ device, image_width, image_height }: ScreenshotView, address: string, alt: string): HtmlContent {
  return html`<a class="frame ${shapeOf(device)}" href="${address}" target="_blank" rel="noopener"><img src="${address}" alt="${alt}" width="${image_width}" height="${image_height}" loading="lazy" decoding="async"></a>`;
}

/** Has the size of the picture, so that the page does not move when the picture arrives. */
function placeholder({ status, device, reason }: ScreenshotView): HtmlContent {
  return html`<div class="frame empty ${shapeOf(device)}"><strong>${SCREENSHOT_LABELS[status]}</strong>${reason !== null && html`<span>${reason}</span>`}</div>`;
}

function shapeOf(device: string): 'wide' | 'tall' {
  const { width, height } = findDevice(device)?.viewport ?? { width: 1, height: 1 };
  return width > height ? 'wide' : 'tall';
}
