/** Parts of the form: labels with their fields, hints and faults. */
import { type Html, type HtmlContent, html } from '../html.ts';
import type { Field, FieldFaults } from './fieldFaults.ts';

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

export function checkbox(given: { name: string; value?: string; checked: boolean; label: HtmlContent }): Html {
  const { name, value = 'yes', checked, label } = given;
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${checked && html` checked`}> <span>${label}</span></label>`;
}
