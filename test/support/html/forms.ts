/** The request that a browser without scripts sends when a person clicks a link or a button. */
import { currentValue, fileOf, isShown } from './elements.ts';
import type { Part } from './part.ts';
import { type Element, type Root, select, withAncestors } from './selectors.ts';

export interface PageRequest {
  /** As in the HTML: it may be relative, and '' is the page itself. */
  readonly address: string;
  readonly isPost: boolean;
  /** Whether the form sends files. */
  readonly isMultipart?: boolean;
  readonly fields: readonly (readonly [name: string, value: string | File])[];
}

/** A browser sends it for a field without a file. */
const NO_FILE = new File([], '', { type: 'application/octet-stream' });

/** @throws Error if the control is hidden or sends nothing, or if a field of its form is not valid. */
export function requestOf({ element, root }: Part): PageRequest {
  const { name, attribs } = element;
  if (!isShown(element)) throw new Error('The control is hidden.');
  if (name === 'a') return { address: attribs['href'] ?? '', isPost: false, fields: [] };
  const form = formOf(element, root);
  if (name !== 'button' || form === undefined || attribs['type'] === 'button' || attribs['disabled'] !== undefined)
    throw new Error('The control sends no form.');
  const controls = select(root, 'input, select, textarea, button').filter((one) => formOf(one, root) === form);
  if (attribs['formnovalidate'] === undefined && form.attribs['novalidate'] === undefined)
    controls.forEach(requireValid);
  const sent = controls.filter((one) => one === element || isSent(one));
  return {
    address: attribs['formaction'] ?? form.attribs['action'] ?? '',
    isPost: (attribs['formmethod'] ?? form.attribs['method']) === 'post',
    isMultipart: form.attribs['enctype'] === 'multipart/form-data',
    fields: sent.flatMap((one) => {
      const field = one.attribs['name'] ?? '';
      if (field === '') return [];
      const file = one.attribs['type'] === 'file' ? (fileOf(one) ?? NO_FILE) : undefined;
      return [[field, file ?? currentValue(one).replace(/\r?\n/g, '\r\n')] as const];
    }),
  };
}

function formOf(element: Element, root: Root): Element | undefined {
  const { form: id } = element.attribs;
  if (id !== undefined) return select(root, 'form').find(({ attribs }) => attribs['id'] === id);
  return withAncestors(element).find(({ name }) => name === 'form');
}

function isSent({ name, attribs }: Element): boolean {
  if (name === 'button' || attribs['disabled'] !== undefined) return false;
  return !['checkbox', 'radio'].includes(attribs['type'] ?? '') || attribs['checked'] !== undefined;
}

/** Checks texts and numbers. */
function requireValid(control: Element): void {
  const { required, pattern, type = '', name: field, disabled, min, max } = control.attribs;
  if (control.name === 'button' || ['checkbox', 'radio', 'hidden', 'file'].includes(type) || disabled !== undefined)
    return;
  const value = currentValue(control);
  const isWrong =
    value === ''
      ? required !== undefined
      : (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, 'v').test(value)) ||
        (type === 'url' && !URL.canParse(value)) ||
        (type === 'number' && (Number(value) < Number(min ?? value) || Number(value) > Number(max ?? value)));
  if (isWrong) throw new Error(`The field ${field} is not valid: ${value}`);
}
