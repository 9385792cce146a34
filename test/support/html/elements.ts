/** The text, name and value of an element as a browser without style sheets has them, and whether it shows the element. */
import { DomUtils, parseDocument } from 'htmlparser2';
import { type Element, parentOf, type Root, select, withAncestors } from './selectors.ts';

const collapsed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Without the white space that a browser does not show. */
export const textOf = (element: Element): string => collapsed(DomUtils.textContent(element));

/** As screen readers say it. */
export function nameOf(element: Element): string {
  const { 'aria-label': label, alt } = element.attribs;
  const pictures = select(element, 'img[alt]').map((image) => image.attribs['alt'] ?? '');
  return collapsed(label ?? alt ?? [textOf(element), ...pictures].join(' '));
}

/** @returns the texts of the labels of a control, and its name for screen readers. */
export function labelsOf(element: Element, root: Root): string[] {
  const { id, 'aria-label': spoken } = element.attribs;
  const isControl = ['input', 'select', 'textarea'].includes(element.name);
  const around = isControl ? withAncestors(element).filter(({ name }) => name === 'label') : [];
  const tied = id === undefined ? [] : select(root, 'label[for]').filter((label) => label.attribs['for'] === id);
  return [...(spoken === undefined ? [] : [spoken]), ...[...around, ...tied].map(textOf)];
}

/** @returns whether neither closed details, nor a closed box, nor the attribute `hidden` hides it. */
export function isShown(element: Element): boolean {
  return withAncestors(element).every((one) => {
    const { hidden, popover } = one.attribs;
    return hidden === undefined && popover === undefined && one.name !== 'head' && !isFolded(one);
  });
}

/** Whether it is directly below closed details, and not their summary. */
function isFolded(element: Element): boolean {
  const parent = parentOf(element);
  return parent?.name === 'details' && parent.attribs['open'] === undefined && element.name !== 'summary';
}

export function currentValue(element: Element): string {
  if (element.name === 'textarea') return element.attribs['value'] ?? textOfArea(element);
  if (element.name !== 'select')
    return element.attribs['value'] ?? (element.attribs['type'] === 'checkbox' ? 'on' : '');
  const options = select(element, 'option');
  const chosen = options.find(({ attribs }) => attribs['selected'] !== undefined) ?? options[0];
  return chosen === undefined ? '' : (chosen.attribs['value'] ?? textOf(chosen));
}

/** The parser leaves entities in a text area, and HTML leaves out a line break at the beginning. */
const textOfArea = (element: Element): string =>
  DomUtils.textContent(parseDocument(DomUtils.textContent(element))).replace(/^\n/, '');

const files = new WeakMap<Element, File>();

export const chooseFile = (element: Element, file: File) => files.set(element, file);
export const fileOf = (element: Element): File | undefined => files.get(element);
