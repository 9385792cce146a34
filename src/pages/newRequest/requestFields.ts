/** Parts of the form: labels with their fields, hints and faults. */
import type { DraftAd } from '../../core/ads/readAd.ts';
import type { SavedName } from '../../core/requests/savedObjects.ts';
import {
  COMMON_DEVICES,
  DEVICES,
  type DeviceGroup,
  describeDevice,
  deviceGroup,
  findDevice,
  OWN_DEVICE,
  shortDevice,
  TOUCH_BELOW,
} from '../../domain/devices.ts';
import { MARKER_MAX_SECONDS } from '../../domain/markers.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button, dialog, linkButton } from '../parts/components.ts';
import { type Choice, checkbox, EMPTY_FORM, field, selectField, textField } from '../parts/formFields.ts';
import { optionBoxes, SLOT_CHOICES } from '../parts/optionBoxes.ts';
import { chosenFor, ofFiles, PAGE_FILES, pageKey } from './choices.ts';
import type { Draft, Field, FieldFaults } from './draft.ts';
import type { NewRequestView } from './newRequestView.ts';
import { placeAddress } from './placePage.ts';

/** The faults of a field. Its element names them with `aria-describedby`. */
export function faultList(faults: FieldFaults, field: Field): HtmlContent {
  const texts = faults.of(field);
  if (texts.length === 0) return null;
  return html`<ul class="fault" id="${field}-faults">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
}

/** Attributes of a field that has faults or a hint. */
export function described(faults: FieldFaults, field: Field, hint?: string): Html {
  const isFaulty = faults.of(field).length > 0;
  const ids = [...(hint === undefined ? [] : [hint]), ...(isFaulty ? [`${field}-faults`] : [])];
  return html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${isFaulty && html` aria-invalid="true"`}`;
}

/** A text with its label, without faults of its own. */
export function shortField(name: string, label: string, value: string, placeholder: string): Html {
  return textField({ name, label, value, placeholder }, EMPTY_FORM);
}

/** The field of what was saved under a name, and the button that uses it. */
const SAVED = {
  template: { name: 'template', label: 'Template', use: 'Use', end: 'use' },
  list: { name: 'site_list', label: 'Site list', use: 'Add', end: 'add' },
} as const;

/** Chooses, uses and removes something that was saved under a name. */
function savedChooser(kind: keyof typeof SAVED, rows: readonly SavedName[], chosen: string): HtmlContent {
  if (rows.length === 0) return null;
  const { name, label, use, end } = SAVED[kind];
  const choices = [['', 'Choose…'] as const, ...rows.map(({ id, name: text }): Choice => [id, text])];
  const remove = `${kind}-remove`;
  const thing = label.toLowerCase();
  const beside = [
    button({ label: use, name: 'action', value: `${kind}-${end}` }),
    button({ label: `Remove the ${thing}`, icon: 'trash-2', kind: 'quiet', iconOnly: true, opens: remove }),
  ];
  const question = html`<p>It will be removed for everyone in the organization. Requests already sent are not affected.</p>
    ${button({ label: 'Remove', icon: 'trash-2', kind: 'danger', name: 'action', value: remove })}`;
  return html`${selectField({ name, label, value: chosen, choices, beside }, EMPTY_FORM)}
${dialog(remove, `Remove the chosen ${thing}?`, question)}`;
}

function saver(name: string, label: string, value: string, action: string): Html {
  const beside = button({ label: 'Save', name: 'action', value: action });
  return textField({ name, label, value, placeholder: 'Name', beside }, EMPTY_FORM);
}

export function templateFields(draft: Draft, rows: readonly SavedName[], faults: FieldFaults): Html {
  return html`<details id="templates"${faults.of('template').length > 0 && html` open`}>
    <summary>Templates</summary>
    <div class="part">
      <p class="hint" id="template-hint">A template stores ads, sites, devices, options and campaign, but no media plan, chosen
        slots or files of pages. A site list stores only sites.</p>
      <div class="pair">
        ${savedChooser('template', rows, draft.template)}
        ${saver('template_name', 'Save this request as', draft.templateName, 'template-save')}
      </div>
      ${faultList(faults, 'template')}
    </div>
  </details>`;
}

/** The fields for sites, devices, moments and options. */
export function targetFields(view: NewRequestView): Html {
  const { draft, ads, siteLists, faults } = view;
  const { form } = faults;
  const sites = {
    ...{ name: 'sites', label: 'Sites', rows: 5, value: draft.sites, more: html` spellcheck="false"` },
    placeholder: 'news.example\nhttps://blog.example/travel',
    hint: 'One address per line. A missing https:// is added. Duplicates are ignored.',
  };
  const moments = {
    ...{ name: 'markers', value: draft.markers, placeholder: '0, 2.5, 10' },
    label: html`Moments <span class="meta">(for ads that move)</span>`,
    hint: html`Seconds into the ad, from 0 to ${MARKER_MAX_SECONDS}: one picture for each. Leave empty for one picture.
      <span id="still">${stillText(ads)}</span>`,
  };
  const list = {
    ...{ name: 'site_file', label: 'Import a text, CSV or XLSX file' },
    beside: button({ label: 'Import', name: 'action', value: 'check' }),
  };
  return html`${textField(sites, form)}
<details${draft.siteList !== '' && html` open`}>
  <summary>Site lists</summary>
  <div class="pair">
    ${savedChooser('list', siteLists, draft.siteList)}
    ${saver('site_list_name', 'Save these sites as', draft.siteListName, 'list-save')}
    ${field(list, {}, () => html`<input id="site_file" name="site_file" type="file" accept=".txt,.csv,.tsv,.xlsx">`)}
  </div>
</details>
${deviceFields(draft, faults)}
${view.location}
${textField(moments, form)}
${optionFields(draft, faults)}
${pageFields(view)}`;
}

/** An ad that does not move is not taken several times. */
function stillText(ads: readonly DraftAd[]): string {
  const still = ads.filter((ad) => ad.still).length;
  if (still === 0) return '';
  const which =
    still === ads.length ? (still === 1 ? 'Your ad does' : 'Your ads do') : `${still} of ${ads.length} ads do`;
  return `${which} not move: one picture ${still === 1 ? 'of it' : 'of each'}.`;
}

const GROUPS: Readonly<Record<DeviceGroup, string>> = { desktop: 'Desktop', phone: 'Phones', tablet: 'Tablets' };

function deviceFields(draft: Draft, faults: FieldFaults): Html {
  const { devices, own } = draft;
  const box = (name: string) => {
    const device = findDevice(name);
    const meta = device && html` <span class="meta">${describeDevice(device)}</span>`;
    return checkbox({
      name: 'device',
      value: name,
      isChecked: devices.includes(name),
      label: html`${shortDevice(name)}${meta}`,
    });
  };
  const common: readonly string[] = [...COMMON_DEVICES.keys()];
  const more = DEVICES.filter(({ name }) => !common.includes(name));
  const owns = devices.filter((name) => !DEVICES.some((device) => device.name === name) && findDevice(name));
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const boxes = more.filter((device) => deviceGroup(device) === group).map(({ name }) => box(name));
    return html`<div role="group" aria-label="${title}"><h3 class="meta">${title}</h3>${boxes}</div>`;
  });
  const isOpen = more.some(({ name }) => devices.includes(name));
  const { width, height, ratio } = OWN_DEVICE;
  return html`<fieldset id="device-list" tabindex="-1"${described(faults, 'devices')}>
    <legend>Devices</legend>
    <div class="devices">${[...common, ...owns].map(box)}</div>
    <details${isOpen && html` open`}>
      <summary>More devices</summary>
      <div class="devices groups">${groups}</div>
    </details>
    <details${own.width !== '' && html` open`}>
      <summary>Custom device</summary>
      <div class="pair own">
        ${shortField('own_width', 'Width', own.width, '412')}
        ${shortField('own_height', 'Height', own.height, '915')}
        ${shortField('own_ratio', 'Pixel ratio', own.ratio, '2.63')}
        ${checkbox({ name: 'own_touch', label: 'Touch screen', isChecked: own.touch })}
        ${button({ label: 'Add device', icon: 'plus', name: 'action', value: 'check' })}
      </div>
      <p class="hint">CSS pixels, ${width.min} to ${width.max} wide and ${height.min} to ${height.max} high;
        pixel ratio ${ratio.min} to ${ratio.max}.
        A screen narrower than ${TOUCH_BELOW.toLocaleString('en')} pixels has touch.</p>
    </details>
    ${faultList(faults, 'devices')}
  </fieldset>`;
}

function optionFields(draft: Draft, faults: FieldFaults): Html {
  const { options, slot } = draft;
  const isUsed = options.length > 0 || slot !== '' || draft.together;
  const choice = {
    ...{ name: 'slot', label: 'Slot of all pages', value: slot, placeholder: 'The best slot' },
    ...{ hint: SLOT_CHOICES.hint, more: SLOT_CHOICES.attribute },
  };
  const meaning = html`<span class="meta">For roadblocks and takeovers: each page has one picture of all ads.</span>`;
  const label = html`Show all ads in one picture ${meaning}`;
  const together = checkbox({ name: 'together', label, isChecked: draft.together });
  return html`<details${isUsed && html` open`}>
    <summary>Options</summary>
    <div class="part">
      <div>${optionBoxes(options)}${together}</div>
      ${faultList(faults, 'together')}
      ${textField(choice, faults.form)}${SLOT_CHOICES.list}
    </div>
  </details>`;
}

/** A list of more pages would be of no use. */
const PAGES_OFFERED = 200;

/** Leads to the picture of a page, where the slot can be clicked, and takes a file in place of a page. */
function pageFields({ paths, draft, wanted, faults }: NewRequestView): Html {
  const { targets, plan, planned } = wanted;
  const ofPlan = plan?.combinations ?? [];
  const sites = new Set([...targets.sites, ...ofPlan.map(({ site }) => site)]);
  const devices = new Set([...targets.devices, ...ofPlan.map(({ device }) => device)]);
  const choices = (values: Iterable<string>, title = (value: string) => value) =>
    [...values].slice(0, PAGES_OFFERED).map((value): Choice => [value, title(value)]);
  const unplaced = ofFiles(draft, planned?.combinations).filter((one) => chosenFor(draft, one, one.ad.size).isUnplaced);
  const unfinished = new Set(unplaced.map(pageKey));
  // Without the bracket at the end, the key of a page is the start of those of its slots, and so before them.
  const ofPages = Object.entries({ ...draft.files, ...draft.slots }).sort(([one], [other]) =>
    one.slice(0, -1) < other.slice(0, -1) ? -1 : 1,
  );
  const items = ofPages.map(([key, chosen]) => {
    const [site, device, size]: [string, string, ([number, number] | null)?] = JSON.parse(key);
    const name = `${site} on ${device === '' ? 'all devices' : shortDevice(device)}${size ? ` for ${size.join('×')}` : ''}`;
    const value = { name: 'action', value: `choice-clear:${key}` };
    const reset = button({ label: `Reset ${name}`, icon: 'x', kind: 'quiet', iconOnly: true, ...value });
    const page = {
      href: placeAddress(paths, draft, { site, device }),
      label: 'Place the ads',
      icon: 'map-pin',
    } as const;
    return html`<li class="row"><span class="hint">${name}: ${textOf(chosen)}</span>
      ${unfinished.has(key) && linkButton(page)}${reset}</li>`;
  });
  const isOpen = items.length > 0 || faults.of('slots').length > 0;
  const file = { name: 'page_file', label: 'A file in place of this page', hint: `${PAGE_FILES.hint} ${FILE_DEVICES}` };
  const useFile = button({ label: 'Use the file', icon: 'upload', name: 'action', value: 'file' });
  return html`<details id="slots"${isOpen && html` open`}>
    <summary>Choose slots by clicking, or use a file as the page</summary>
    <div class="part">
      <p class="hint">The best slot of each page is used. To choose a different slot, view the page with its slots.
        This counts as one picture. If a site blocks every visit, use a file as the page.</p>
      <div class="pair">
        ${selectField({ name: 'slot_site', label: 'Page', choices: choices(sites) }, EMPTY_FORM)}
        ${selectField({ name: 'slot_device', label: 'Device', choices: choices(devices, shortDevice) }, EMPTY_FORM)}
        ${button({ label: 'Choose the slot', icon: 'map-pin', name: 'action', value: 'slot' })}
      </div>
      ${field({ ...file, beside: useFile }, {}, (aria) => html`<input id="page_file" name="page_file" type="file" accept="${PAGE_FILES.accept}"${aria}>`)}
      ${faultList(faults, 'slots')}
      <input type="hidden" name="chosen" value="${JSON.stringify({ slots: draft.slots, files: draft.files })}">
      ${items.length > 0 && html`<ul>${items}</ul>`}
    </div>
  </details>`;
}

const FILE_DEVICES = 'A screenshot is shown on this device, and a saved page on all devices.';

function textOf(chosen: Draft['slots'][string] | Draft['files'][string]): string {
  if (typeof chosen === 'number') return `slot ${chosen}`;
  if ('x' in chosen) return `${chosen.x} px from the left and ${chosen.y} px from the top`;
  return `from the ${chosen.isScreenshot ? 'screenshot' : 'saved page'} ${chosen.name}`;
}
