import type { PagePart } from './script.ts';

/** A selector or an id by which a person finds the element. Calls no other function, so that it can run in a page alone. */
export function labelOf(element: Element): string {
  if (element.id !== '') return `#${element.id}`.slice(0, 120);
  const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`);
  const name = element.tagName.toLowerCase() + classes.join('');
  const parent = element.closest('[id]');
  return (parent ? `#${parent.id} ${name}` : name).slice(0, 120);
}

export const SLOT_LABEL = { labelOf } satisfies PagePart;
