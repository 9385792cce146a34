/** The page of a new request: one form, with a button for each step. It works without script. */

import type { ListedAd } from '../../core/ads/listAds.ts';
import type { DraftAd } from '../../core/ads/readAd.ts';
import { byPage } from '../../domain/combinations.ts';
import { SET_NAME_MAX } from '../../domain/setNames.ts';
import { counted } from '../../domain/text.ts';
import { URL_MAX } from '../../domain/webAddresses.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, dialog, pageHead } from '../parts/components.ts';
import type { ResultsPage } from '../parts/context.ts';
import { checkbox, EMPTY_FORM, field, textField } from '../parts/formFields.ts';
import { dateElement, timeElement } from '../parts/labels.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import { thumbnail, warningList, widthAtHeight } from '../parts/pictureParts.ts';
import { ofFiles } from './choices.ts';
import type { Draft, Field, FieldFaults } from './draft.ts';
import type { NewRequestView } from './newRequestView.ts';
import { planPanel } from './planTable.ts';
import { countPictures } from './requestBody.ts';
import { described, faultList, shortField, targetFields, templateFields } from './requestFields.ts';

/** The largest preview, CSS pixels, as in the style sheet. */
const SHOWN = { width: 208, height: 150 };

const ABOUT = 'Pictures of your ads in place on live pages. Nothing is requested until you choose “Request pictures”.';

export function newRequestPage(view: NewRequestView): ResultsPage {
  const { viewer, paths, draft, faults, wanted } = view;
  const body = html`
${pageHead({ title: 'New request', meta: ABOUT })}
${faults.any && faultSummary(faults)}
${view.notice !== undefined && html`<p class="note" role="status" id="notice">${view.notice}</p>`}
${otherDrafts(view)}
<form id="new-request" class="new-request" method="post" action="${addressOf(paths.newRequest, { draft: draft.key })}" enctype="multipart/form-data">
  <input type="hidden" name="form" value="${viewer.formToken}">
  <input type="hidden" name="key" value="${draft.key}">
  <button name="action" value="check" hidden>Check</button>
  ${templateFields(draft, view.templates, faults)}
  ${campaignPart(view)}
  ${adsPart(view)}
  <section class="panel" aria-labelledby="where"><h2 id="where">3. Where</h2>
    ${targetFields(view)}
    ${planFields(draft, faults)}
  </section>
  ${draft.plan !== null && planPanel(draft.plan, { read: wanted.plan, hasLocations: view.location !== undefined, faults })}
  ${countBar(view)}
  ${dialog('clear', 'Start over?', CLEAR)}
</form>`;
  const status = faults.any ? 422 : 200;
  return { title: 'New request', body, status, section: 'new', assets: ['newRequest.css', 'newRequest.js'] };
}

function otherDrafts({ others = [], paths }: NewRequestView): HtmlContent {
  if (others.length === 0) return null;
  const items = others.map(({ id, campaign, sites, updated_at }) => {
    const name = campaign.trim() || sites.trim().split('\n')[0] || 'No campaign';
    return html`<li><a href="${addressOf(paths.newRequest, { draft: id })}"><bdi>${name}</bdi></a> <span class="meta">${timeElement(updated_at)}</span></li>`;
  });
  return html`<details><summary>Continue a draft (${others.length})</summary><ul>${items}</ul></details>`;
}

const CLEAR = html`<p>Everything you entered will be discarded. Ads that you uploaded stay under “Existing ads”.</p>
  ${button({ label: 'Clear the form', icon: 'trash-2', kind: 'danger', name: 'action', value: 'clear' })}`;

/** The ids of the elements to go to, for fields that have another id than their name. */
const TARGETS: Partial<Record<Field, string>> = {
  ads: 'files',
  devices: 'device-list',
  form: 'request',
  template: 'templates',
};

function faultSummary(faults: FieldFaults): Html {
  const items = faults.fields.flatMap((field) =>
    faults.of(field).map((text) => html`<li><a href="#${TARGETS[field] ?? field}">${text}</a></li>`),
  );
  return html`<div class="note fault" role="alert">
    <p>Nothing was requested, and your entries are kept. Correct the following:</p>
    <ul>${items}</ul>
  </div>`;
}

function adsPart({ paths, draft, ads, found, faults }: NewRequestView): Html {
  const isWaiting = ads.some(({ status }) => status === 'pending');
  return html`<section class="panel" aria-labelledby="what">
    <h2 id="what">2. Ads</h2>
    <div class="drop" id="drop">
      <label for="files">Files</label>
      <input id="files" name="files" type="file" multiple${described(faults, 'ads', 'files-hint')}>
      <p class="hint" id="files-hint">Images, videos, HTML5 zips, HTML pages, VAST or tags, of at most 64 MiB each.
        <span class="scripted">Drop them here, several at once.</span></p>
    </div>
    ${tagFields(draft, faults)}
    ${existingAds(draft, found, paths)}
    <p class="unscripted">${button({ label: 'Upload the files', icon: 'upload', name: 'action', value: 'add' })}</p>
    <p class="hint" id="adding" role="status"></p>
    <div id="ad-faults" aria-live="assertive">${faultList(faults, 'ads')}</div>
    <ul class="creatives" id="ads" aria-label="Ads of this request">${ads.map((ad) => adCard(ad, paths))}</ul>
    <p class="hint" id="no-ads"${ads.length > 0 && html` hidden`}>No ads yet. Each one that you add is rendered here in a few seconds.</p>
    ${isWaiting && html`<p class="unscripted"><button name="action" value="check">Show progress</button></p>`}
  </section>`;
}

/** The fields of an ad that is not a file. */
function tagFields({ media, mediaName, mediaSize }: Draft, faults: FieldFaults): Html {
  const isOpen = media + mediaName + mediaSize !== '' || faults.of('media').length > 0;
  const address = {
    ...{ name: 'media', label: 'Address or tag', rows: 2, value: media, more: html` spellcheck="false"` },
    placeholder: 'https://cdn.example/banner.png',
    hint: `One address per line, of at most ${URL_MAX.toLocaleString('en')} characters, or the HTML of one tag.`,
  };
  return html`<details${isOpen && html` open`}>
    <summary>Address or tag</summary>
    <div class="part">
      ${textField(address, faults.form)}
      <div class="pair">
        ${shortField('media_name', 'Name', mediaName, 'From the address')}
        ${shortField('media_size', 'Size', mediaSize, '300x250')}
        ${button({ label: 'Add ads', icon: 'plus', name: 'action', value: 'add' })}
      </div>
    </div>
  </details>`;
}

/** The newest ads, or those that were searched. */
function existingAds(draft: Draft, found: readonly ListedAd[], paths: PagePaths): Html {
  const items = found.map((ad) => {
    const size = ad.width !== null && ad.height !== null && html` <span class="meta">${ad.width} × ${ad.height}</span>`;
    return html`<li class="creative">${preview(ad, paths)}<p class="name"><bdi>${ad.name}</bdi>${size}
      <span class="meta">${dateElement(ad.created_at)}</span></p>
      <button name="action" value="use:${ad.id}" aria-label="Add ${ad.name}">Add</button></li>`;
  });
  const search = {
    ...{ name: 'search', label: 'Search ads', value: draft.search, placeholder: 'Name' },
    type: 'search' as const,
    beside: button({ label: 'Search', icon: 'search', name: 'action', value: 'check' }),
  };
  return html`<details id="existing"${draft.search !== '' && html` open`}>
    <summary>Existing ads</summary>
    <div class="part">
      ${textField(search, EMPTY_FORM)}
      <ul class="creatives" id="found" aria-label="Existing ads">${items}</ul>
      ${items.length === 0 && html`<p class="hint">No ads found.</p>`}
    </div>
  </details>`;
}

function planFields(draft: Draft, faults: FieldFaults): Html {
  const isOpen = draft.planText !== '' || (draft.plan === null && faults.of('plan').length > 0);
  const text = {
    ...{ name: 'plan_text', label: 'Paste the cells of a spreadsheet', rows: 4, value: draft.planText },
    more: html` spellcheck="false"${described(faults, 'plan', 'plan-hint')}`,
  };
  const file = {
    ...{ name: 'plan_file', label: 'Or upload a CSV or XLSX file' },
    beside: button({ label: 'Read the plan', name: 'action', value: 'check' }),
  };
  return html`<details${isOpen && html` open`}>
    <summary>${draft.plan === null ? 'Or a media plan' : 'Another media plan'}</summary>
    <div class="part">
      <p class="hint" id="plan-hint">A table with a row of headings: ad, site, device, size, moment and market.
        Each row produces exactly its pictures. Ads are matched by file name, even if you upload them later.</p>
      ${textField(text, EMPTY_FORM)}
      ${field(file, {}, () => html`<input id="plan_file" name="plan_file" type="file" accept=".csv,.tsv,.txt,.xlsx">`)}
      ${draft.plan === null && faultList(faults, 'plan')}
    </div>
  </details>`;
}

function campaignPart({ draft, campaigns, faults }: NewRequestView): Html {
  const campaign = {
    ...{ name: 'campaign', label: 'Campaign', value: draft.campaign, more: html` list="campaigns"` },
    hint: 'The name of an existing campaign, or a new name.',
  };
  const name = {
    ...{ name: 'set_name', value: draft.setName, max: SET_NAME_MAX },
    label: html`Name of the set <span class="meta">(optional)</span>`,
    hint: 'Without a name, the set is named after its ads, sites and devices.',
  };
  const instructions = {
    ...{ name: 'instructions', rows: 2, value: draft.instructions },
    label: html`Text for reviewers <span class="meta">(optional)</span>`,
  };
  return html`<section class="panel" aria-labelledby="campaign-part">
    <h2 id="campaign-part">1. Campaign</h2>
    ${textField(campaign, faults.form)}
    <datalist id="campaigns">${campaigns.map((name) => html`<option value="${name}"></option>`)}</datalist>
    ${textField(name, EMPTY_FORM)}
    ${textField(instructions, faults.form)}
  </section>`;
}

/** Whether there is more than one ad on one site. */
function hasSeveral({ wanted: { planned } }: NewRequestView): boolean {
  return new Set(planned?.combinations.map(({ ad, site }) => `${ad.id} ${site}`)).size > 1;
}

const TRY_FIRST = html`<button name="action" value="try" title="Requests only the first ad on the first site. The form stays.">
  Try one site first</button>`;

function countBar(view: NewRequestView): Html {
  const { draft, wanted, faults } = view;
  const hasSwitch = draft.tryAll || (wanted.planned?.notFitting ?? 0) > 0;
  const tryAll = { name: 'try_all', isChecked: draft.tryAll, label: 'Include combinations that do not fit' };
  return html`<div class="count-bar">
    <div>
      <p id="count" role="status">${countText(view)}</p>
      <div id="switch">${hasSwitch && checkbox(tryAll)}</div>
      ${faultList(faults, 'form')}
    </div>
    <p class="meta" id="kept" role="status"><span class="unscripted">Nothing you enter is saved until you press a button.</span></p>
    <p class="row">
      ${button({ label: 'Start over', kind: 'quiet', opens: 'clear' })}
      <button name="action" value="check" class="unscripted">Count again</button>
      ${hasSeveral(view) && TRY_FIRST}
      <button class="primary" name="action" value="request" id="request">Request pictures</button>
    </p>
  </div>`;
}

function countText({ draft, ads, wanted }: NewRequestView): HtmlContent {
  const { targets, planned, plan } = wanted;
  const parts = [
    [ads.length, 'ad'],
    [targets.sites.length, 'site'],
    [targets.devices.length, 'device'],
    ...(targets.markers.length > 1 ? ([[targets.markers.length, 'moment']] as const) : []),
  ] as const;
  const grid = parts.map(([count, name]) => counted(count, name)).join(' × ');
  const rows = plan && `${counted(plan.combinations.length, 'picture')} of the plan`;
  const named = draft.plan === null || targets.sites.length > 0 ? [rows, grid].filter(Boolean).join(' + ') : rows;
  const { notFitting = 0, repeated = 0 } = planned ?? {};
  const left = [
    notFitting > 0 &&
      `${counted(notFitting, 'combination')} ${notFitting === 1 ? 'does' : 'do'} not fit the device: skipped`,
    repeated > 0 &&
      `${counted(repeated, 'combination')} ${repeated === 1 ? 'repeats another' : 'repeat others'}: taken once`,
  ].filter((text) => text !== false);
  const fromFiles = byPage(ofFiles(draft, planned?.combinations)).size;
  const files = fromFiles > 0 && `, ${counted(fromFiles, 'page')} from a file`;
  const notes = left.map((text) => html`. <span class="skipped">${text}</span>`);
  return html`<strong>${counted(countPictures(draft, wanted), 'picture')}</strong> <span class="meta">${named}${files}${notes}</span>`;
}

/** An ad of the request, as the service rendered it. */
function adCard(ad: DraftAd, paths: PagePaths): Html {
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

function preview(ad: ListedAd | DraftAd, paths: PagePaths): Html {
  const { preview_token: token, width, height } = ad;
  if (token === null || width === null || height === null) {
    const text = { pending: 'Rendering…', uploaded: 'No preview' } as const;
    const label = ad.status === 'pending' || ad.status === 'uploaded' ? text[ad.status] : 'Not rendered';
    return html`<div class="picture empty">${label}</div>`;
  }
  const size = { width, height };
  const shownWidth = Math.min(width, SHOWN.width, widthAtHeight(size, SHOWN.height));
  return html`<div class="picture">${thumbnail({ paths, token, alt: `Preview of ${ad.name}`, size, shownWidth })}</div>`;
}

function failure({ status, reason }: DraftAd): HtmlContent {
  if (status === 'pending' || status === 'uploaded') return null;
  return html`<p class="fault">${reason ?? 'No reason was recorded.'}
    <span class="advice">Remove it, or correct it and add it again.</span></p>`;
}
