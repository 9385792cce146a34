/** Finds elements of HTML by CSS selectors: tags, ids, classes, attributes, `:not()`, and the combinators ` ` and `>`. */
import { DomUtils, type parseDocument } from 'htmlparser2';

export type Root = ReturnType<typeof parseDocument>;
export type Element = Extract<Root['children'][number], { attribs: Record<string, string> }>;

type Test = (element: Element) => boolean;

/** A part such as `a.button[href]`, and how the part before it relates to it. */
interface Step {
  readonly isChild: boolean;
  readonly matches: Test;
}

/** Splits at white space and `>` outside of brackets. */
const TOKEN = /\s*>\s*|\s+|(?:\[[^\]]*\]|:not\([^)]*\)|[^\s>[:]|:(?!not))+/g;
const SIMPLE = /\[([\w-]+)(?:([$*^]?)=["']?([^\]"']*)["']?)?\]|:not\(([^)]*)\)|([#.]?)((?:[\w-]|[^\p{ASCII}])+)|\*/gu;

/** @returns the elements below the root, in the order of the document. @throws Error for a selector of another kind. */
export function select(root: Root | Element, selector: string): Element[] {
  const alternatives = selector.split(/,(?![^[(]*[\])])/).map((one) => stepsOf(one.trim()));
  return elementsBelow(root).filter((element) => alternatives.some((steps) => matchesSteps(element, steps, root)));
}

export const elementsBelow = (root: Root | Element): Element[] =>
  DomUtils.find(DomUtils.isTag, root.children, true, Number.POSITIVE_INFINITY).filter(DomUtils.isTag);

export function parentOf({ parent }: Element): Element | undefined {
  return parent !== null && DomUtils.isTag(parent) ? parent : undefined;
}

/** @returns the element and those around it, from inside to outside. */
export function withAncestors(element: Element): Element[] {
  const parent = parentOf(element);
  return [element, ...(parent === undefined ? [] : withAncestors(parent))];
}

function stepsOf(selector: string): Step[] {
  const steps: Step[] = [];
  let isChild = false;
  for (const [token] of selector.matchAll(TOKEN)) {
    const combinator = token.trim();
    if (combinator === '' || combinator === '>') isChild = combinator === '>';
    else steps.push({ isChild, matches: testOf(token) });
  }
  if (steps.length === 0) throw new Error(`The selector "${selector}" is empty.`);
  return steps;
}

function testOf(compound: string): Test {
  const parts = [...compound.matchAll(SIMPLE)];
  if (parts.map(([text]) => text).join('') !== compound)
    throw new Error(`The selector "${compound}" is not supported.`);
  const tests = parts.map(([, name, operator, value, inner, mark, word = '']): Test => {
    if (inner !== undefined) {
      const excluded = testOf(inner);
      return (element) => !excluded(element);
    }
    if (name !== undefined) return ({ attribs }) => matchesValue(attribs[name], operator, value);
    if (mark === '#') return ({ attribs }) => attribs['id'] === word;
    if (mark === '.') return ({ attribs }) => (attribs['class'] ?? '').split(/\s+/).includes(word);
    return (element) => word === '' || element.name === word;
  });
  return (element) => tests.every((test) => test(element));
}

function matchesValue(given: string | undefined, operator: string | undefined, wanted: string | undefined): boolean {
  if (given === undefined || wanted === undefined) return given !== undefined;
  if (operator === '^') return given.startsWith(wanted);
  if (operator === '$') return given.endsWith(wanted);
  return operator === '*' ? given.includes(wanted) : given === wanted;
}

/** As in CSS, elements around the root count too. */
function matchesSteps(element: Element, steps: readonly Step[], root: Root | Element): boolean {
  const last = steps.at(-1);
  if (last === undefined) return true;
  if (!last.matches(element)) return false;
  const before = steps.slice(0, -1);
  if (before.length === 0) return true;
  const around = withAncestors(element).slice(1, last.isChild ? 2 : undefined);
  return around.some((one) => matchesSteps(one, before, root));
}
