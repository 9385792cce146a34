/** Changes styles of the page. Each function returns its undo. */
import type { PagePart } from './script.ts';

function setStyles(element: HTMLElement | SVGElement, styles: Record<string, string>): () => void {
  const before = element.getAttribute('style');
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important');
  return () => {
    if (before === null) element.removeAttribute('style');
    else element.setAttribute('style', before);
  };
}

/** Works in shadow roots and documents, and under any content security policy. */
function addSheet(root: Document | ShadowRoot, text: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

export const STYLES = { setStyles, addSheet } satisfies PagePart;
