/** Names that a page must have for a selector to match. They save the browser most of the selectors. */

/** The names that occur in a document. */
export interface PageNames {
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  /** Names of attributes. */
  readonly attributes: readonly string[];
  /** Addresses of links. */
  readonly hrefs: readonly string[];
}

export interface NameIndex {
  readonly classes: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
}

export function indexNames({ classes, ids, attributes }: PageNames): NameIndex {
  return { classes: new Set(classes), ids: new Set(ids), attributes: new Set(attributes) };
}

/** @returns false if no element of the page can match the selector; true if one may. */
export function mayMatch(selector: string, names: NameIndex): boolean {
  return splitList(selector).some((one) => {
    const plain = withoutArguments(one);
    // Escaped names are rare, and to decode them takes more code than they save time.
    if (plain.includes('\\')) return true;
    const outside = plain.replace(/\[[^\]]*\]/g, ' ');
    return (
      namesAfter('.', outside).every((name) => names.classes.has(name)) &&
      namesAfter('#', outside).every((name) => names.ids.has(name)) &&
      [...plain.matchAll(/\[\s*([\w-]+)/g)].every(([, name = '']) => names.attributes.has(name.toLowerCase())) &&
      [...plain.matchAll(/\[\s*id\s*[\^*$]?=\s*["']?([^"'\]\s]+)/g)].every(([, part = '']) =>
        someIncludes(names.ids, part),
      )
    );
  });
}

function someIncludes(names: ReadonlySet<string>, part: string): boolean {
  for (const name of names) if (name.includes(part)) return true;
  return false;
}

function namesAfter(sign: '.' | '#', text: string): string[] {
  return [...text.matchAll(sign === '.' ? /\.([\w-]+)/g : /#([\w-]+)/g)].map(([, name = '']) => name);
}

/** At the commas outside of parentheses, brackets and quotes. */
function splitList(selector: string): string[] {
  if (!selector.includes(',')) return [selector];
  const parts: string[] = [];
  let [depth, quote, start] = [0, '', 0];
  for (const [at, sign] of [...selector].entries()) {
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '(' || sign === '[') depth += 1;
    else if (sign === ')' || sign === ']') depth -= 1;
    else if (sign === ',' && depth === 0) {
      parts.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, selector.slice(start)];
}

/** Without `:not(…)`, `:has(…)` and the like, whose arguments say nothing simple about the page. */
function withoutArguments(selector: string): string {
  let plain = selector;
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(/:[\w-]+\((?:[^()"']|"[^"]*"|'[^']*')*\)/g, '');
  }
  return plain;
}
