/** Parts of the form: labels with their fields, hints and faults. */
import type { TemplateRow } from '../../core/requests/templates.ts';
import { DEVICES, type Device } from '../../domain/devices.ts';
import { MARKER_MAX_SECONDS } from '../../domain/markers.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { checkbox } from '../fields.ts';
import type { Draft, Field, FieldFaults } from './draft.ts';

interface TemplateView {
  readonly draft: Draft;
  readonly templates: readonly TemplateRow[];
  readonly faults: FieldFaults;
}

const GROUPS: readonly (readonly [title: string, agents: readonly Device['agent'][]])[] = [
  ['Desktop', ['windows']],
  ['Phones', ['iphone', 'android-phone']],
  ['Tablets', ['ipad', 'android-tablet']],
];

/** The faults of a field. Its element names them with `aria-describedby`. */
export function faultList(faults: FieldFaults, field: Field): HtmlContent {
  const texts = faults.of(field);
  if (texts.length === 0) return null;
  return html`<ul class="faults" id="${field}-faults">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
}

/** Attributes of a field that has faults or a hint. */
export function described(faults: FieldFaults, field: Field, hint?: string): Html {
  const isFaulty = faults.of(field).length > 0;
  const ids = [...(hint === undefined ? [] : [hint]), ...(isFaulty ? [`${field}-faults`] : [])];
  return html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${isFaulty && html` aria-invalid="true"`}`;
}

/** The fields for sites, devices, markers and options: what a template keeps. */
export function targetFields(draft: Draft, faults: FieldFaults): Html {
  return html`
    <div><label for="sites">Sites</label>
      <textarea id="sites" name="sites" rows="5" spellcheck="false" placeholder="news.example&#10;https://blog.example/travel"${described(faults, 'sites', 'sites-hint')}>
${draft.sites}</textarea>
      <p class="hint" id="sites-hint">One address a line. Without https:// it is added. An address that is there twice counts once.</p>
      ${faultList(faults, 'sites')}</div>
    ${deviceFields(draft, faults)}
    <div><label for="markers">Markers <span class="meta">(for moving creatives)</span></label>
      <input id="markers" name="markers" value="${draft.markers}" placeholder="0, 2.5, 10"${described(faults, 'markers', 'markers-hint')}>
      <p class="hint" id="markers-hint">Seconds into the creative, from 0 to ${MARKER_MAX_SECONDS}: one picture for each, of every creative. Empty: one picture of the default frame.</p>
      ${faultList(faults, 'markers')}</div>
    ${optionFields(draft, faults)}`;
}

function deviceFields(draft: Draft, faults: FieldFaults): Html {
  const groups = GROUPS.map(([title, agents]) => {
    const devices = DEVICES.filter(({ agent }) => agents.includes(agent));
    return html`<div role="group" aria-label="${title}"><h3>${title}</h3>${devices.map((device) => deviceBox(device, draft))}</div>`;
  });
  return html`<fieldset id="device-list" tabindex="-1"${described(faults, 'devices')}><legend>Devices</legend><div class="device-groups">${groups}</div>${faultList(faults, 'devices')}</fieldset>`;
}

function deviceBox({ name, viewport, ratio }: Device, { devices }: Draft): Html {
  const label = html`${name} <span class="meta">${viewport.width} × ${viewport.height}, ${ratio}×</span>`;
  return checkbox({ name: 'device', value: name, isChecked: devices.includes(name), label });
}

function optionFields(draft: Draft, faults: FieldFaults): Html {
  const { allowScaling, slot, keepOtherAds, fullPage } = draft;
  const isUsed = allowScaling || slot !== '' || keepOtherAds || fullPage;
  return html`<details${isUsed && html` open`}><summary>Options</summary><div class="options">
      ${checkbox({ name: 'allow_scaling', isChecked: allowScaling, label: html`Scale ads down that fit no slot <span class="meta">Otherwise an ad is shown at its own size or not at all.</span>` })}
      ${checkbox({ name: 'keep_other_ads', isChecked: keepOtherAds, label: html`Let other ads load <span class="meta">Otherwise the page looks as if no ad was delivered.</span>` })}
      ${checkbox({ name: 'full_page', isChecked: fullPage, label: html`Show the whole page <span class="meta">Otherwise the picture shows what fits on the screen.</span>` })}
      <div><label for="slot">Slot</label>
        <input id="slot" name="slot" value="${slot}" spellcheck="false" placeholder="#sidebar-ad"${described(faults, 'slot', 'slot-hint')}>
        <p class="hint" id="slot-hint">A CSS selector, or the number of a candidate in the record of an earlier picture. Empty: the best slot.</p>
        ${faultList(faults, 'slot')}</div>
    </div></details>`;
}

/** Chooses and removes a template, and saves the sites, devices and options of the form as one. */
export function templateFields(view: TemplateView): Html {
  return html`<div class="templates">${chooser(view)}${saver(view)}</div>${faultList(view.faults, 'template')}`;
}

function chooser({ draft, templates }: TemplateView): Html {
  if (templates.length === 0)
    return html`<p class="hint">No templates yet. Save the sites and devices below under a name to use them again.</p>`;
  const items = templates.map(
    ({ id, name }) => html`<option value="${id}"${id === draft.template && html` selected`}>${name}</option>`,
  );
  return html`<div><label for="template-list">Template</label>
    <div class="row"><select id="template-list" name="template"><option value="">Choose…</option>${items}</select>
    <button name="action" value="template-use">Use</button>
    <button class="quiet" name="action" value="template-remove">Remove</button></div></div>`;
}

function saver({ draft, faults }: TemplateView): Html {
  return html`<div><label for="template">Save as template</label>
    <div class="row"><input id="template" name="template_name" value="${draft.templateName}" placeholder="Name"${described(faults, 'template')}>
    <button name="action" value="template-save">Save</button></div></div>`;
}
