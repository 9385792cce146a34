/** A form as one table of its fields, which is rendered and read. Its limits and faults are those of the schema of the API. */
import type { Request } from 'express';
import type { z } from 'zod';
import { readOrFail } from '../../api/public/endpoint.ts';
import { isObject, type JsonObject } from '../../contract/faults.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { button } from './components.ts';
import type { Viewer } from './context.ts';
import { limitsOf } from './fieldLimits.ts';
import {
  type Choice,
  checkbox,
  checkboxes,
  EMPTY_FORM,
  type FormState,
  field as labeled,
  otherFaults,
  radio,
  selectField,
  type TextField,
  textField,
} from './formFields.ts';
import { formField, hiddenFields } from './forms.ts';

/** The text of a field as a person typed it; '' if there is none. */
export type Typed = (name: string) => string;

export interface FormField extends Omit<TextField, 'name' | 'type' | 'value'> {
  /**
   * A text unless given. `checkboxes` is a list of the API, and `checkbox` a boolean. `group` and `details` hold other
   * fields. `hidden` is only read, and `custom` only rendered.
   */
  readonly kind?:
    | NonNullable<TextField['type']>
    | ('select' | 'radios' | 'checkbox' | 'checkboxes' | 'group' | 'details' | 'hidden' | 'custom');
  /** Where the value is in the body of the API; the name unless given. */
  readonly path?: string;
  /** Where the paths of its faults begin; the path unless given. */
  readonly faultsAt?: string;
  /** Shown unless a value was typed or stored; of check boxes, the list of those that are checked. */
  readonly value?: string | boolean | readonly string[];
  readonly choices?: readonly Choice[];
  /** The prefix of the names of the check boxes. */
  readonly prefix?: string;
  readonly fields?: FormFields;
  /** Never shown again, like a password. */
  readonly isSecret?: boolean;
  /** Whether spaces around the text are part of it. */
  readonly keepsSpaces?: boolean;
  /** @returns the value for the API; undefined leaves the path out. */
  readonly read?: (text: string, typed: Typed) => unknown;
  /** The control of a `custom` field. */
  readonly control?: (attributes: HtmlContent) => HtmlContent;
}

/** Fields by their names in the form, in the order in which they are shown. */
export type FormFields = Readonly<Record<string, FormField>>;

interface NamedField extends Omit<FormField, 'fields'> {
  readonly name: string;
  readonly path: string;
  readonly fields?: readonly NamedField[];
}

export interface FormTable<S extends z.ZodObject = z.ZodObject> {
  readonly schema: S;
  readonly fields: readonly NamedField[];
}

/** @param schema of the body of the API. It gives limits to the fields at its paths. */
export function formTable<S extends z.ZodObject>(schema: S, fields: FormFields): FormTable<S> {
  return { schema, fields: namedFields(schema, fields) };
}

function namedFields(schema: z.ZodObject, all: FormFields): NamedField[] {
  return Object.entries(all).map(([name, { fields, ...field }]) => {
    const { path = name, kind } = field;
    if (fields !== undefined) return { ...field, name, path, fields: namedFields(schema, fields) };
    const { isRequired, minLength = 0, maxLength: max, minimum, maximum } = limitsOf(schema, path);
    // A browser cuts a pasted text off at the limit without a word, and nobody would see that in an address or a secret.
    const isBounded = max !== undefined && kind !== 'password' && kind !== 'url' && field.isSecret !== true;
    const range = [minimum !== undefined && html` min="${minimum}"`, maximum !== undefined && html` max="${maximum}"`];
    const limits = kind === 'number' ? range : minLength > 1 && html` minlength="${minLength}"`;
    return { name, path, isRequired, ...(isBounded && { max }), ...field, more: [limits, field.more] };
  });
}

const inputsOf = (fields: readonly NamedField[]): readonly NamedField[] =>
  fields.flatMap((field) => (field.fields === undefined ? [field] : inputsOf(field.fields)));

interface Shown {
  /** Typed values and their faults; none unless given. */
  readonly form?: FormState;
  /** The stored object, with values by the paths of the API. */
  readonly stored?: object | undefined;
  /** Parts of fields that depend on the request, by name. Null leaves the field out. */
  readonly known?: Readonly<Record<string, Omit<Partial<FormField>, 'path' | 'fields'> | null>>;
}

interface FormFrame extends Shown {
  readonly viewer: Viewer;
  /** The page to return to. */
  readonly page: string;
  /** Where the form is sent; to the page unless given. */
  readonly action?: string;
  readonly className?: 'fields' | 'stack';
  /** Further hidden fields. */
  readonly hidden?: HtmlContent;
  /** The button, or the label of a primary one. */
  readonly submit: Html | string;
}

/** A form with its fields and its button. */
export function renderForm(table: FormTable, given: FormFrame): Html {
  const { viewer, page, action = page, className = 'fields', hidden, submit } = given;
  return html`<form class="${className}" method="post" action="${action}">${hiddenFields(viewer, page)}${hidden}
${renderFields(table, given)}
${typeof submit === 'string' ? button({ label: submit, kind: 'primary' }) : submit}</form>`;
}

/** The fields, after the faults that belong to none of them. */
export function renderFields({ fields }: FormTable, { form = EMPTY_FORM, stored = {}, known = {} }: Shown): Html {
  const present = fields
    .filter(({ name }) => known[name] !== null)
    .map((field) => ({ ...field, ...known[field.name] }));
  const faulty = inputsOf(present).filter(({ kind }) => kind !== 'checkbox' && kind !== 'hidden');
  const errors = Object.fromEntries(
    Object.entries(form.errors).map(([path, texts]) => [nameOfFault(faulty, path), texts]),
  );
  const names = faulty.map(({ name }) => name);
  const context = { values: form.values, errors, stored, isTyped: Object.keys(form.values).length > 0 };
  return html`${otherFaults(errors, names)}${present.map((field) => ['\n', rendered(field, context)])}`;
}

/** @returns the path of the API with the name of the field in place of its own path. */
function nameOfFault(fields: readonly NamedField[], path: string): string {
  for (const { name, path: own, faultsAt = own } of fields)
    if (`${path}.`.startsWith(`${faultsAt}.`)) return name + path.slice(faultsAt.length);
  return path;
}

interface Context extends Pick<FormState, 'values' | 'errors'> {
  readonly stored: object;
  readonly isTyped: boolean;
}

function rendered(field: NamedField, context: Context): HtmlContent {
  const { name, label, kind = 'text', choices = [], fields = [], control = () => null } = field;
  const value = shownValue(field, context);
  const form = { values: {}, errors: context.errors };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const inner = fields.map((each) => rendered(each, context));
  switch (kind) {
    case 'group':
      return checkboxes(field, inner, {});
    case 'details':
      return html`<details${isUsed(fields, context) && html` open`}><summary>${label}</summary>${inner}</details>`;
    case 'radios':
    case 'checkboxes':
      return checkboxes(field, boxesOf(field, context, value), context.errors);
    case 'checkbox':
      return checkbox({ name, label, isChecked: context.isTyped ? name in context.values : value === true });
    case 'select':
      return selectField({ ...field, choices, value: text }, form);
    case 'hidden':
      return null;
    case 'custom':
      return labeled(field, context.errors, control);
    default:
      return textField({ ...field, type: kind, value: text }, form);
  }
}

function shownValue({ name, path, isSecret = false, value }: NamedField, context: Context): unknown {
  if (isSecret) return undefined;
  const [, stored] = Object.entries(context.stored).find(([key]) => key === path) ?? [];
  return context.values[name] ?? stored ?? value;
}

function boxesOf({ name, kind, choices = [], prefix = '' }: NamedField, { values, isTyped }: Context, value: unknown) {
  const checked: readonly unknown[] = Array.isArray(value) ? value : [value];
  return choices.map(([one, label]) => {
    if (kind === 'radios') return radio({ name, value: one, label, isChecked: one === value });
    const box = prefix + one;
    return checkbox({ name: box, label, isChecked: isTyped ? box in values : checked.includes(one) });
  });
}

const isUsed = (fields: readonly NamedField[], { values, errors }: Context): boolean =>
  fields.some(({ name }) => values[name] || Object.keys(errors).some((path) => `${path}.`.startsWith(`${name}.`)));

/** @returns the form as a body of the API. Texts that are empty and not required are null, or left out of an object inside it. */
export function bodyOf({ fields }: FormTable, request: Pick<Request, 'body'>): JsonObject {
  const typed: Typed = (name) => formField(request, name);
  return inputsOf(fields).reduce<JsonObject>((body, field) => {
    const value = readField(field, typed);
    return value === undefined ? body : withValue(body, field.path, value);
  }, {});
}

function readField(field: NamedField, typed: Typed): unknown {
  const { name, path, kind, choices = [], prefix = '', keepsSpaces = kind === 'password' } = field;
  const given = typed(name);
  if (field.read !== undefined) return field.read(given, typed);
  if (kind === 'custom') return undefined;
  if (kind === 'checkbox') return given !== '';
  if (kind === 'checkboxes') return choices.flatMap(([one]) => (typed(prefix + one) === '' ? [] : [one]));
  const text = keepsSpaces ? given : given.trim();
  if (text === '' && field.isRequired !== true) return path.includes('.') ? undefined : null;
  return kind === 'number' ? Number(text) : text;
}

/** @param path with dots between the names of objects. @returns the body with the value there. */
export function withValue(body: JsonObject, path: string, value: unknown): JsonObject {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...body, [name]: value };
  const inner = body[name];
  return { ...body, [name]: withValue(isObject(inner) ? inner : {}, rest.join('.'), value) };
}

/** @returns the form as the API reads it. @throws Failure (422) with its faults by the paths of the API. */
export function readForm<S extends z.ZodObject>(table: FormTable<S>, request: Pick<Request, 'body'>): z.output<S> {
  return readOrFail(table.schema, bodyOf(table, request));
}
