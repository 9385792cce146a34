/** The page of a new request: one form, with a button for each step. It works without script. */

import type { DraftAd } from '../../core/ads/readAd.ts';
import type { TemplateRow } from '../../core/requests/templates.ts';
import { URL_MAX } from '../../domain/webAddresses.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import type { ResultsPage, Viewer } from '../context.ts';
import { thumbnail, warningList, widthAtHeight } from '../parts.ts';
import type { PagePaths } from '../paths.ts';
import { type Draft, type Field, FieldFaults } from './draft.ts';
import { described, faultList, targetFields, templateFields } from './fields.ts';
import { countPictures, readTargets } from './requestBody.ts';

/** The largest preview, CSS pixels, as in the style sheet. */
const SHOWN = { width: 208, height: 150 };

export interface NewRequestView {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  readonly draft: Draft;
  readonly ads: readonly DraftAd[];
  readonly templates: readonly TemplateRow[];
  /** Names of existing campaigns, newest first. */
  readonly campaigns: readonly string[];
  readonly faults: FieldFaults;
  readonly notice?: string | undefined;
}

export function newRequestPage(view: NewRequestView): ResultsPage {
  const { viewer, paths, draft, faults } = view;
  const body = html`
<header class="head"><h1>New request</h1>
<p class="hint">Pictures of your creatives in place on live pages. Nothing is requested before you press the last button.</p></header>
${faults.any && faultSummary(faults)}
${view.notice !== undefined && html`<p class="note" role="status">${view.notice}</p>`}
<form id="new-request" class="new-request" method="post" action="${paths.newRequest}" enctype="multipart/form-data">
  <input type="hidden" name="form" value="${viewer.formToken}">
  <input type="hidden" name="key" value="${draft.key}">
  <button name="action" value="check" hidden>Check</button>
  ${creativesPart(view)}
  <section class="panel" aria-labelledby="where"><h2 id="where">2. Where</h2>
    ${templateFields(view)}
    ${targetFields(draft, faults)}
  </section>
  ${campaignPart(view)}
  ${countBar(view)}
</form>`;
  const status = faults.any ? 422 : 200;
  return { title: 'New request', body, status, section: 'new', assets: ['newRequest.css', 'newRequest.js'] };
}

/** The ids of the elements to go to, for fields that have another id than their name. */
const TARGETS: Partial<Record<Field, string>> = { creatives: 'files', devices: 'device-list', form: 'request' };

function faultSummary(faults: FieldFaults): Html {
  const items = faults.fields.flatMap((field) =>
    faults.of(field).map((text) => html`<li><a href="#${TARGETS[field] ?? field}">${text}</a></li>`),
  );
  return html`<div class="note fault" role="alert"><p>Nothing was requested, and nothing that you typed is lost. Correct this:</p><ul>${items}</ul></div>`;
}

function creativesPart({ paths, draft, ads, faults }: NewRequestView): Html {
  return html`<section class="panel" aria-labelledby="what"><h2 id="what">1. Creatives</h2>
    <div class="drop" id="drop">
      <label for="files">Files</label>
      <input id="files" name="files" type="file" multiple${described(faults, 'creatives', 'files-hint')}>
      <p class="hint" id="files-hint">Images, videos, HTML5 zips, HTML pages, VAST or tags, of at most 64 MiB each. <span class="scripted">Drop them here, several at once.</span></p>
    </div>
    <div class="pair">
      <div class="grow"><label for="media">Address or tag</label>
        <textarea id="media" name="media" rows="2" spellcheck="false" placeholder="https://cdn.example/banner.png"${described(faults, 'media', 'media-hint')}>
${draft.media}</textarea>
        <p class="hint" id="media-hint">One address a line, of at most ${URL_MAX.toLocaleString('en')} characters, or the HTML of one tag.</p></div>
      <div><label for="media_name">Name</label><input id="media_name" name="media_name" value="${draft.mediaName}" placeholder="As in the address"></div>
      <div><label for="media_size">Size</label><input id="media_size" name="media_size" value="${draft.mediaSize}" placeholder="300x250" inputmode="text"></div>
    </div>
    ${faultList(faults, 'media')}
    <p class="row"><button name="action" value="add" id="add">Add creatives</button> <span class="hint" id="adding" role="status"></span></p>
    <div id="creative-faults" aria-live="assertive">${faultList(faults, 'creatives')}</div>
    <ul class="creatives" id="creatives" aria-label="Creatives of this request">${ads.map((ad) => creativeCard(ad, paths))}</ul>
    <p class="hint" id="no-creatives"${ads.length > 0 && html` hidden`}>No creatives yet. Each one that you add is rendered here in a few seconds.</p>
    ${ads.some(({ status }) => status === 'pending') && html`<p class="unscripted"><button name="action" value="check">Show progress</button></p>`}
  </section>`;
}

function campaignPart({ draft, campaigns, faults }: NewRequestView): Html {
  return html`<section class="panel" aria-labelledby="campaign-part"><h2 id="campaign-part">3. Campaign</h2>
    <div><label for="campaign">Campaign</label>
      <input id="campaign" name="campaign" list="campaigns" value="${draft.campaign}" autocomplete="off"${described(faults, 'campaign', 'campaign-hint')}>
      <datalist id="campaigns">${campaigns.map((name) => html`<option value="${name}"></option>`)}</datalist>
      <p class="hint" id="campaign-hint">The name of an existing campaign, or a new name.</p>
      ${faultList(faults, 'campaign')}</div>
    <div><label for="instructions">Text for reviewers <span class="meta">(optional)</span></label>
      <textarea id="instructions" name="instructions" rows="2"${described(faults, 'instructions')}>
${draft.instructions}</textarea>
      ${faultList(faults, 'instructions')}</div>
  </section>`;
}

function countBar({ draft, ads, faults }: NewRequestView): Html {
  return html`<div class="count-bar">
    <p id="count" role="status">${countText(draft, ads.length)}</p>
    ${faultList(faults, 'form')}
    <p class="row"><button name="action" value="check" class="unscripted">Count again</button>
    <button class="primary" name="action" value="request" id="request">Request pictures</button></p>
  </div>`;
}

/** The same text as that of the script. */
function countText(draft: Draft, creatives: number): HtmlContent {
  const targets = readTargets(draft, new FieldFaults());
  const total = countPictures(creatives, targets);
  const parts = [
    [creatives, 'creative'],
    [targets.sites.length, 'site'],
    [targets.devices.length, 'device'],
    ...(targets.markers.length > 1 ? ([[targets.markers.length, 'marker']] as const) : []),
  ] as const;
  const named = parts.map(([count, name]) => plural(count, name)).join(' × ');
  return html`<strong>${plural(total, 'picture')}</strong> <span class="meta">${named}</span>`;
}

function plural(count: number, name: string): string {
  return `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;
}

/** The creatives of a new request, each as the service rendered it. */
function creativeCard(ad: DraftAd, paths: PagePaths): Html {
  const size = ad.width !== null && ad.height !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
  return html`<li class="creative ${ad.status}" data-ad="${ad.id}" data-status="${ad.status}">
  <input type="hidden" name="ad" value="${ad.id}">
  ${preview(ad, paths)}
  <p class="name"><a href="${paths.ad(ad.id)}" target="_blank" rel="noopener"><bdi>${ad.name}</bdi></a>${size}</p>
  ${failure(ad)}
  ${warningList(ad.warnings)}
  <button class="quiet" name="action" value="remove:${ad.id}" aria-label="Remove ${ad.name}">Remove</button>
</li>`;
}

function preview(ad: DraftAd, paths: PagePaths): Html {
  const { preview_token: token, width, height } = ad;
  if (token === null || width === null || height === null) {
    const text = { pending: 'Rendering…', uploaded: 'No preview' } as const;
    const label = ad.status === 'pending' || ad.status === 'uploaded' ? text[ad.status] : 'Not rendered';
    return html`<div class="picture empty">${label}</div>`;
  }
  const size = { width, height };
  const shownWidth = Math.min(width, SHOWN.width, widthAtHeight(size, SHOWN.height));
  return html`<div class="picture">${thumbnail({ paths, token, alt: `Preview of ${ad.name}`, size, shownWidth, lazy: false })}</div>`;
}

function failure({ status, reason }: DraftAd): HtmlContent {
  if (status === 'pending' || status === 'uploaded') return null;
  return html`<p class="fault">${reason ?? 'No reason was recorded.'} <span class="advice">Remove it, or correct it and add it again.</span></p>`;
}
