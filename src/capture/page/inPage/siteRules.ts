/** The part of site rules that runs in documents. */

/** The outcome of a selector. `problem` is a sentence, null if there is none. */
export interface SelectorOutcome {
  readonly found: number;
  readonly problem: string | null;
}

/** More elements than any page has of one kind to hide. */
const MOST_HIDDEN = 500;
const NOTHING = 'It matches no element of the page.';
const NO_CSS = 'It is not valid CSS.';

/** Hides the elements of a selector, also those that come later. Elements in frames and shadow trees are not searched. */
export function hideAll(selector: string): SelectorOutcome {
  const matches = matchesOf(selector);
  if (matches === undefined) return { found: 0, problem: NO_CSS };
  const { length: found } = matches;
  if (found === 0) return { found, problem: NOTHING };
  if (found > MOST_HIDDEN)
    return { found, problem: `It matches ${found} elements, and a rule hides at most ${MOST_HIDDEN}.` };
  if (matches.some((element) => element === document.documentElement || element === document.body))
    return { found, problem: 'It would hide the whole page.' };
  const sheet = new CSSStyleSheet();
  try {
    sheet.insertRule(`${selector} { display: none !important }`);
  } catch {
    // A search accepts a selector that ends inside brackets or a comment; a rule does not.
    return { found, problem: NO_CSS };
  }
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  // The page may show a layer by a style of its own that no sheet replaces.
  for (const element of matches)
    if (element instanceof HTMLElement || element instanceof SVGElement)
      element.style.setProperty('display', 'none', 'important');
  return { found, problem: null };
}

/** Clicks the first element of a selector that is shown. A link opens in this page, where its target is seen. */
export function clickFirst(selector: string): SelectorOutcome {
  const matches = matchesOf(selector);
  if (matches === undefined) return { found: 0, problem: NO_CSS };
  const shown = matches.find((element) => element instanceof HTMLElement && element.checkVisibility());
  if (!(shown instanceof HTMLElement))
    return { found: 0, problem: matches.length === 0 ? NOTHING : 'All elements that it matches are hidden.' };
  shown.closest('a, form')?.removeAttribute('target');
  shown.click();
  return { found: 1, problem: null };
}

export function countMatches(selector: string): SelectorOutcome {
  const found = matchesOf(selector)?.length;
  return found === undefined ? { found: 0, problem: NO_CSS } : { found, problem: found === 0 ? NOTHING : null };
}

/** @returns undefined for a selector that is not valid. */
function matchesOf(selector: string): Element[] | undefined {
  try {
    return [...document.querySelectorAll(selector)];
  } catch {
    return undefined;
  }
}
