/**
 * Reads HTML as a person does, without a browser: finds elements by role, label, text and selector, and fills in fields. The names and
 * their meanings are those of Playwright's locators, but nothing waits.
 */
import { DomUtils, parseDocument } from 'htmlparser2';
import { chooseFile, currentValue, isShown, labelsOf, nameOf, textOf } from './elements.ts';
import { type Element, elementsBelow, parentOf, type Root, select } from './selectors.ts';

/** A text is looked for in any case and as a part, unless `exact`. */
type Text = string | RegExp;
interface Exactly {
  readonly exact?: boolean;
}

const ROLES = {
  button: 'button',
  link: 'a[href]',
  heading: 'h1, h2, h3, h4',
  row: 'tr',
  img: 'img, svg[role="img"]',
  main: 'main',
  status: '[role="status"]',
  alert: '[role="alert"]',
} as const;

/** @returns the whole of this HTML: a page, or what a function renders. */
export function parseHtml(text: string): Part {
  const root = parseDocument(text);
  return new Part(
    () => root,
    () => undefined,
    'page',
  );
}

/** The elements that a search finds. Each use searches again, as the page may have changed. */
export class Part {
  readonly #root: () => Root;
  /** Undefined for the whole page. */
  readonly #find: () => Element[] | undefined;
  readonly #name: string;

  constructor(root: () => Root, find: () => Element[] | undefined, name: string) {
    this.#root = root;
    this.#find = find;
    this.#name = name;
  }

  get elements(): Element[] {
    return this.#find() ?? elementsBelow(this.#root());
  }

  /** The only element. @throws Error if there is none, or more than one. */
  get element(): Element {
    const [found, ...more] = this.elements;
    if (found === undefined) throw new Error(`There is no ${this.#name}.`);
    if (more.length > 0) throw new Error(`There are ${more.length + 1} of ${this.#name}.`);
    return found;
  }

  get root(): Root {
    return this.#root();
  }

  locator(selector: string): Part {
    return this.#below(selector, (scope) => select(scope, selector));
  }

  getByRole(role: keyof typeof ROLES, { name, ...exactly }: Exactly & { readonly name?: Text } = {}): Part {
    const isIt = (one: Element) => isShown(one) && (name === undefined || fits(nameOf(one), name, exactly));
    return this.#below(`${role} ${String(name ?? '')}`, (scope) => select(scope, ROLES[role]).filter(isIt));
  }

  /** Elements with a label or a name for screen readers. */
  getByLabel(label: Text, exactly: Exactly = {}): Part {
    const isIt = (one: Element) => labelsOf(one, this.#root()).some((text) => fits(text, label, exactly));
    return this.#below(`element with the label ${label}`, (scope) => elementsBelow(scope).filter(isIt));
  }

  /** The innermost elements with the text. */
  getByText(text: Text, exactly: Exactly = {}): Part {
    const has = (one: Element) => fits(textOf(one), text, exactly);
    const isIt = (one: Element) => has(one) && !elementsBelow(one).some(has) && !['title', 'script'].includes(one.name);
    return this.#below(`text ${text}`, (scope) => elementsBelow(scope).filter(isIt));
  }

  filter({ hasText }: { readonly hasText: Text }): Part {
    const find = () => this.elements.filter((one) => fits(textOf(one), hasText, {}));
    return new Part(this.#root, find, `${this.#name} with ${hasText}`);
  }

  /** @param index from the end if it is negative. */
  nth(index: number): Part {
    return new Part(this.#root, () => this.elements.slice(index).slice(0, 1), `${this.#name} number ${index}`);
  }

  first(): Part {
    return this.nth(0);
  }

  last(): Part {
    return this.nth(-1);
  }

  all(): Part[] {
    return this.elements.map((_, index) => this.nth(index));
  }

  count(): number {
    return this.elements.length;
  }

  /** As it is in the HTML. */
  textContent(): string {
    return DomUtils.textContent(this.element);
  }

  allTextContents(): string[] {
    return this.elements.map((one) => DomUtils.textContent(one));
  }

  /** Without the white space that a browser does not show. */
  innerText(): string {
    return textOf(this.element);
  }

  allInnerTexts(): string[] {
    return this.elements.map(textOf);
  }

  getAttribute(name: string): string | null {
    return this.element.attribs[name.toLowerCase()] ?? null;
  }

  /** The attribute of each element that has it. */
  allAttributes(name: string): string[] {
    return this.elements.flatMap(({ attribs }) => attribs[name.toLowerCase()] ?? []);
  }

  isVisible(): boolean {
    return this.elements.some(isShown);
  }

  isChecked(): boolean {
    return this.element.attribs['checked'] !== undefined;
  }

  inputValue(): string {
    return currentValue(this.element);
  }

  fill(text: string): void {
    this.element.attribs['value'] = text;
  }

  setInputFiles(file: File): void {
    chooseFile(this.element, file);
  }

  check(): void {
    const { attribs } = this.element;
    const others = attribs['type'] === 'radio' ? select(this.#root(), 'input[type="radio"]') : [];
    for (const other of others) if (other.attribs['name'] === attribs['name']) delete other.attribs['checked'];
    attribs['checked'] = '';
  }

  uncheck(): void {
    delete this.element.attribs['checked'];
  }

  /** @param choice the value or the label of an option. */
  selectOption(choice: string): void {
    const options = select(this.element, 'option');
    const chosen = options.find((option) => [option.attribs['value'], textOf(option)].includes(choice));
    if (chosen === undefined) throw new Error(`${this.#name} has no option ${choice}.`);
    for (const option of options) delete option.attribs['selected'];
    chosen.attribs['selected'] = '';
  }

  /** Opens the details of a summary, or the box of a button. */
  click(): void {
    const { element } = this;
    const details = element.name === 'summary' ? parentOf(element) : undefined;
    const { popovertarget } = element.attribs;
    const box = select(this.#root(), '[popover]').find(({ attribs }) => attribs['id'] === popovertarget);
    if (details === undefined && box === undefined) throw new Error(`${this.#name} opens nothing.`);
    if (details !== undefined) details.attribs['open'] = '';
    else delete box?.attribs['popover'];
  }

  #below(name: string, search: (scope: Root | Element) => Element[]): Part {
    const find = () => {
      const scopes = this.#find() ?? [this.#root()];
      return [...new Set(scopes.flatMap(search))];
    };
    return new Part(this.#root, find, name);
  }
}

function fits(text: string, wanted: Text, { exact = false }: Exactly): boolean {
  if (wanted instanceof RegExp) return wanted.test(text);
  return exact ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase());
}
