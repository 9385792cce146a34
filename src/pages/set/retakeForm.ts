/** The fields of a retake: another page, device or slot. */
import type { JsonObject } from '../../contract/faults.ts';
import { DEVICE_NAMES } from '../../domain/devices.ts';
import type { FieldErrors } from '../../domain/failure.ts';
import { SELECTOR_MAX } from '../../domain/screenshotOptions.ts';
import { URL_MAX } from '../../domain/webAddresses.ts';
import { type Html, type HtmlContent, html } from '../html.ts';

/** The fields as a person typed them. '' leaves a field as it was. */
export interface RetakeFields {
  readonly url: string;
  readonly device: string;
  readonly selector: string;
  /** The number of a recorded slot. */
  readonly slotIndex: string;
}

export const NO_CHANGES: RetakeFields = { url: '', device: '', selector: '', slotIndex: '' };

/** @returns the body of the same request of the API. */
export function retakeBody({ url, device, selector, slotIndex }: RetakeFields): JsonObject {
  const slot =
    slotIndex !== '' ? { index: Number(slotIndex) } : selector.trim() !== '' && { selector: selector.trim() };
  return {
    ...(url.trim() !== '' && { site: { url: url.trim() } }),
    ...(device !== '' && { device: { name: device } }),
    ...(slot && { options: { slot } }),
  };
}

/** The names of the form's fields by the paths of the API. */
const FIELD_OF: Readonly<Record<string, string>> = {
  'site.url': 'url',
  site: 'url',
  'device.name': 'device',
  device: 'device',
  'options.slot.selector': 'selector',
  'options.slot': 'selector',
  'options.slot.index': 'selector',
};

export function retakeFields(given: RetakeFields, errors: FieldErrors = {}): Html {
  const fault = (field: string): HtmlContent => {
    const texts = Object.entries(errors).flatMap(([path, texts]) => (FIELD_OF[path] === field ? texts : []));
    return texts.length > 0 && html`<p class="fault" id="${field}-fault">This field ${texts.join(' ')}</p>`;
  };
  const described = (field: string) =>
    fault(field) !== false && html` aria-invalid="true" aria-describedby="${field}-fault"`;
  const device = (name: string) => html`<option${name === given.device && html` selected`}>${name}</option>`;
  return html`${others(errors)}
<label for="retake-url">Another page</label><div><input id="retake-url" name="url" inputmode="url" maxlength="${URL_MAX}" placeholder="As before" value="${given.url}"${described('url')}>${fault('url')}</div>
<label for="retake-device">Another device</label><div><select id="retake-device" name="device"${described('device')}><option value="">As before</option>${DEVICE_NAMES.map(device)}</select>${fault('device')}</div>
<label for="retake-selector">Another slot</label><div><input id="retake-selector" name="selector" maxlength="${SELECTOR_MAX}" placeholder="As before, or a CSS selector" value="${given.selector}"${described('selector')}>${fault('selector')}</div>`;
}

/** Faults that belong to no field of the form. */
function others(errors: FieldErrors): HtmlContent {
  const texts = Object.entries(errors).flatMap(([path, texts]) =>
    FIELD_OF[path] === undefined ? texts.map((text) => sentence(path, text)) : [],
  );
  return (
    texts.length > 0 && html`<div class="note fault" role="alert">${texts.map((text) => html`<p>${text}</p>`)}</div>`
  );
}

function sentence(path: string, text: string): string {
  if (path === 'which') return 'Nothing failed that was not taken again since.';
  return /^\p{Lu}/u.test(text) ? text : `The ${path} ${text}`;
}
