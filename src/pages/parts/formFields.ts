/** Fields of forms, each with its label, hint and faults, and the state of a form that is shown again with faults. */
import type { Request } from 'express';
import { Failure, type FieldErrors } from '../../domain/failure.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';

/** The values that a person typed into a form, and their faults. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
  /** HTTP status of the page that shows the form; 200 unless given. */
  readonly status?: number;
}

export const EMPTY_FORM: FormState = { values: {}, errors: {} };

/**
 * Runs the action of a form. @param fail shows the form again with its faults.
 * @throws errors that the person did not cause.
 */
export async function tryForm<T>(
  run: () => Promise<T>,
  fail: (errors: FieldErrors, status: number) => T | Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure && (error.status === 422 || error.status === 409))
      return fail(error.errors, error.status);
    throw error;
  }
}

/** Runs the action of a form. @param again shows the form again with its faults. */
export function answerForm<T, U>(
  { request }: { readonly request: Request },
  { run, again }: { run: () => Promise<T>; again: (form: FormState) => Promise<U> },
): Promise<T | U> {
  return tryForm<T | U>(run, (errors, status) => again({ values: typedValues(request), errors, status }));
}

/** @returns the fields of a form as they were typed, without those that belong to the form itself. */
function typedValues(request: Request): Record<string, string> {
  const body: unknown = request.body;
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const hidden = ['form', 'next'];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' && !hidden.includes(name) ? [[name, value]] : [])),
  );
}

interface Field {
  /** The name of the field in the form and in the API. */
  readonly name: string;
  readonly label: HtmlContent;
  readonly hint?: HtmlContent;
  /** The id of the control; the name unless given. */
  readonly id?: string;
  /** Buttons beside the control. */
  readonly beside?: HtmlContent;
}

/** A control with its label, hint and faults. @param control gets the attributes that tie it to them. */
export function field(
  { name, label, hint, id = name, beside }: Field,
  errors: FieldErrors,
  control: (attributes: HtmlContent) => HtmlContent,
): Html {
  const fault = faultOf(name, label, errors, id);
  const described = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ');
  const attributes = html`${fault && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}`;
  const shown = control(attributes);
  return html`<div class="field"><label for="${id}">${label}</label><div>${beside ? html`<div class="row">${shown}${beside}</div>` : shown}
${fault}${hint && html`<p id="${id}-hint" class="hint">${hint}</p>`}</div></div>`;
}

export interface TextField extends Field {
  readonly type?: 'text' | 'email' | 'url' | 'password' | 'date' | 'number' | 'color' | 'search';
  /** Shown if the person typed nothing. */
  readonly value?: string | number;
  readonly isRequired?: boolean;
  readonly max?: number;
  readonly placeholder?: string;
  /** The name of what the browser may fill in; nothing unless given. */
  readonly autocomplete?: string;
  /** The lines of a text area. */
  readonly rows?: number;
  /** Further attributes. */
  readonly more?: HtmlContent;
}

export function textField(given: TextField, { values, errors }: Omit<FormState, 'status'>): Html {
  const {
    name,
    id = name,
    type = 'text',
    value = '',
    isRequired,
    max,
    placeholder,
    autocomplete = 'off',
    rows,
    more,
  } = given;
  // A page never shows a password again.
  const shown = type === 'password' ? '' : (values[name] ?? value);
  const attributes = [
    html` id="${id}" name="${name}"`,
    isRequired && html` required`,
    max !== undefined && html` maxlength="${max}"`,
    placeholder !== undefined && html` placeholder="${placeholder}"`,
    more,
  ];
  return field(given, errors, (aria) =>
    rows === undefined
      ? html`<input type="${type}" autocomplete="${autocomplete}" spellcheck="false"${attributes} value="${shown}"${aria}>`
      : html`<textarea rows="${rows}"${attributes}${aria}>
${shown}</textarea>`,
  );
}

export type Choice = readonly [value: string, label: HtmlContent];

export const TIME_ZONE_CHOICES: readonly Choice[] = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map(
  (name) => [name, name],
);

interface SelectField extends Field {
  readonly value?: string;
  readonly choices: readonly Choice[];
  /** Further attributes. */
  readonly more?: HtmlContent;
}

export function selectField(given: SelectField, { values, errors }: Omit<FormState, 'status'>): Html {
  const { name, id = name, choices, more } = given;
  const chosen = values[name] ?? given.value ?? '';
  const option = ([value, label]: Choice) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
  return field(
    given,
    errors,
    (aria) => html`<select id="${id}" name="${name}"${more}${aria}>${choices.map(option)}</select>`,
  );
}

/** Check boxes or radio buttons under one label. */
export function checkboxes({ name, label }: Field, boxes: readonly HtmlContent[], errors: FieldErrors): Html {
  return html`<div class="field">
    <span class="label" id="${name}-label">${label}</span>
    <div role="group" aria-labelledby="${name}-label">${boxes}${faultOf(name, label, errors)}</div>
  </div>`;
}

export function checkbox(given: { name: string; value?: string; label: HtmlContent; isChecked: boolean }): Html {
  const { name, value = 'yes', label, isChecked } = given;
  const box = html`<input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}>`;
  return html`<label class="check">${box} <span>${label}</span></label>`;
}

interface Radio {
  readonly name: string;
  readonly value: string;
  readonly label: HtmlContent;
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
}

export function radio({ name, value, label, isChecked, isDisabled = false }: Radio): Html {
  const state = html`${isChecked && html` checked`}${isDisabled && html` disabled`}`;
  return html`<label class="check"><input type="radio" name="${name}" value="${value}"${state}> <span>${label}</span></label>`;
}

/** The faults of one field; nothing if there are none. */
function faultOf(name: string, label: HtmlContent, errors: FieldErrors, id = name): HtmlContent {
  const texts = Object.entries(errors).flatMap(([path, list]) =>
    path === name || path.startsWith(`${name}.`) ? list : [],
  );
  return (
    texts.length > 0 &&
    html`<p id="${id}-fault" class="fault">${joined(texts.map((text) => sentence(label, text)))}</p>`
  );
}

/** Messages about fields that the form does not show. */
export function otherFaults(errors: FieldErrors, names: readonly string[]): HtmlContent {
  const rest = Object.entries(errors).filter(
    ([path]) => !names.some((name) => path === name || path.startsWith(`${name}.`)),
  );
  if (rest.length === 0) return null;
  return html`<p class="note fault" role="alert">${joined(rest.flatMap(([path, texts]) => texts.map((text) => sentence(path, text))))}</p>`;
}

const sentence = (label: HtmlContent, text: string) => (/^\p{Lu}/u.test(text) ? text : html`${label} ${text}`);

const joined = (sentences: readonly HtmlContent[]) =>
  sentences.map((one, index) => html`${index > 0 && html` <br>`}${one}`);
