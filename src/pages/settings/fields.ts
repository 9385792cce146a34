/** Fields of the forms of settings, each with its label, hint and faults. */
import type { FieldErrors } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import type { FormState } from './adminHandlers.ts';

interface Field {
  /** The name of the field in the form and in the API. */
  readonly name: string;
  readonly label: string;
  readonly hint?: HtmlContent;
  readonly type?: 'text' | 'url' | 'password' | 'date';
  /** Shown if the person typed nothing. */
  readonly value?: string;
  readonly isRequired?: boolean;
  readonly max?: number;
}

export function textField(field: Field, { values, errors }: FormState): Html {
  const { name, label, hint, type = 'text', value = '', isRequired = false, max } = field;
  const fault = errors[name];
  const described = [fault && `${name}-fault`, hint !== undefined && `${name}-hint`].filter(Boolean).join(' ');
  return html`<label for="${name}">${label}</label>
<div><input id="${name}" name="${name}" type="${type}" value="${values[name] ?? value}" autocomplete="off" spellcheck="false"${isRequired && html` required`}${max !== undefined && html` maxlength="${max}"`}${described !== '' && html` aria-describedby="${described}"`}${fault !== undefined && html` aria-invalid="true"`}>
${faultOf(name, label, errors)}${hint !== undefined && html`<p id="${name}-hint" class="hint">${hint}</p>`}</div>`;
}

interface Choice extends Pick<Field, 'name' | 'label' | 'value' | 'hint'> {
  readonly options: readonly string[];
  /** The text of the empty choice. */
  readonly none: string;
}

export function selectField(choice: Choice, { values, errors }: FormState): Html {
  const { name, label, hint, options, none } = choice;
  const chosen = values[name] ?? choice.value ?? '';
  return html`<label for="${name}">${label}</label>
<div><select id="${name}" name="${name}"><option value="">${none}</option>${options.map((option) => html`<option${option === chosen && html` selected`}>${option}</option>`)}</select>
${faultOf(name, label, errors)}${hint !== undefined && html`<p class="hint">${hint}</p>`}</div>`;
}

export function checkbox(given: { name: string; label: HtmlContent; isChecked: boolean }): Html {
  return html`<label class="check"><input type="checkbox" name="${given.name}" value="yes"${given.isChecked && html` checked`}> <span>${given.label}</span></label>`;
}

/** The faults of one field; nothing if there are none. */
export function faultOf(name: string, label: string, errors: FieldErrors): HtmlContent {
  const texts = Object.entries(errors).flatMap(([path, list]) =>
    path === name || path.startsWith(`${name}.`) ? list : [],
  );
  return (
    texts.length > 0 &&
    html`<p id="${name}-fault" class="fault">${texts.map((text) => sentence(label, text)).join(' ')}</p>`
  );
}

/** Messages about fields that the form does not show. */
export function otherFaults(errors: FieldErrors, names: readonly string[]): HtmlContent {
  const rest = Object.entries(errors).filter(
    ([path]) => !names.some((name) => path === name || path.startsWith(`${name}.`)),
  );
  if (rest.length === 0) return null;
  return html`<p class="note fault" role="alert">${rest.flatMap(([path, texts]) => texts.map((text) => sentence(path, text))).join(' ')}</p>`;
}

const sentence = (label: string, text: string) => (/^\p{Lu}/u.test(text) ? text : `${label} ${text}`);
