/** Fields of forms, each with its label, hint and faults, and what a form with faults is shown again with. */
import type { Request } from 'express';
import { Faults } from '../contract/faults.ts';
import { Failure, type FieldErrors } from '../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../lib/html.ts';
import { type PageResult, tryForm, type ViewerRequest } from './pageRoutes.ts';

/** The values that a person typed into a form, and their faults. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
  /** HTTP status of the page that shows the form; 200 unless given. */
  readonly status?: number;
}

export const EMPTY_FORM: FormState = { values: {}, errors: {} };

/** Runs the action of a form. @param again shows the form again with its faults. @param secrets fields that are not shown again. */
export function answerForm(
  { request }: ViewerRequest,
  {
    run,
    again,
    secrets = [],
  }: {
    run: () => Promise<PageResult>;
    again: (form: FormState) => Promise<PageResult>;
    secrets?: readonly string[];
  },
): Promise<PageResult> {
  return tryForm(run, (errors, status) => again({ values: typedValues(request, secrets), errors, status }));
}

/** @returns the fields of a form as they were typed, without those that hold secrets or belong to the form itself. */
function typedValues(request: Request, secrets: readonly string[] = []): Record<string, string> {
  const body: unknown = request.body;
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const hidden = ['form', 'next', ...secrets];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' && !hidden.includes(name) ? [[name, value]] : [])),
  );
}

/** @returns the parsed value. @throws Failure (422) with all its faults. */
export function readFields<S extends Parameters<Faults['read']>[0]>(schema: S, value: unknown) {
  const faults = new Faults();
  const parsed = faults.read(schema, value, '');
  if (parsed === undefined) throw new Failure({ status: 422, code: 'invalid', errors: faults.errors });
  return parsed;
}

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

export function checkbox(given: { name: string; value?: string; label: HtmlContent; isChecked: boolean }): Html {
  const { name, value = 'yes', label, isChecked } = given;
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}> <span>${label}</span></label>`;
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
