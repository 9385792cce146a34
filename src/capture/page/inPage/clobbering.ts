/**
 * DOM clobbering: a form has a property for each of its fields, by name, which hides the property of that name that all elements have, in
 * our world too. `<input name="parentElement">` makes the walk up to the root endless. The names of images and forms do the same with the
 * document, but only for the scripts of the page.
 */

/** The properties of elements that this folder uses, except texts such as `id`, because many forms have fields with these names. */
const USED = [
  'append assignedSlot attributes checkVisibility childElementCount childNodes children classList clientHeight clientLeft clientTop',
  'clientWidth closest contains getAttribute getAttributeNames getBoundingClientRect getRootNode hasAttribute innerText matches',
  'parentElement previousSibling querySelector querySelectorAll removeAttribute scrollBy scrollHeight scrollIntoView setAttribute',
  'shadowRoot style tagName textContent',
].flatMap((names) => names.split(' '));

/** Whether the element is a form that cannot be used, because fields replace its properties. The search leaves it out. */
export function isClobbered(element: Element): boolean {
  return element instanceof HTMLFormElement && USED.some((name) => Object.hasOwn(element, name));
}

/** The nearest element around this one that can be used. */
export function parentElementOf(element: Element): HTMLElement | null {
  const parent = builtIn(element, 'parentElement');
  return parent !== null && isClobbered(parent) ? parentElementOf(parent) : parent;
}

/** The value of a property that a field may replace. */
export function builtIn<K extends keyof HTMLElement>(element: Element, name: K): HTMLElement[K] {
  return Reflect.get(HTMLElement.prototype, name, element);
}
