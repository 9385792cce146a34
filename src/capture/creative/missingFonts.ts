import type { SteppedPage } from '../browser/steppedPage.ts';

/** @returns the fonts of visible text for which the browser uses another one, because no font of the list exists. */
export async function readMissingFonts(page: SteppedPage, framed: boolean): Promise<readonly string[]> {
  const frame = framed ? await page.childFrame() : undefined;
  return ((await page.evaluate(`(${missingFonts})()`, frame)) as readonly string[] | undefined) ?? [];
}

/**
 * Runs in the creative's iframe. A font that does not exist has the width of any font that follows it. Fonts of the style sheets
 * are left out: if their file does not load, the request shows it.
 */
function missingFonts(): string[] {
  const MAX_ELEMENTS = 2_000;
  const GENERIC =
    /^(?:serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+|math|emoji|-apple-system|blinkmacsystemfont|inherit|initial)$/i;
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return [];
  const widthOf = (font: string) => {
    context.font = `72px ${font}`;
    return context.measureText('mmmiiillWWW@&01').width;
  };
  const exists = (family: string) =>
    ['monospace', 'serif'].some((generic) => widthOf(`"${family}", ${generic}`) !== widthOf(generic));
  const own = new Set([...document.fonts].map(({ family }) => family.replaceAll(/["']/g, '').toLowerCase()));
  const namesOf = (list: string) => list.split(',').map((name) => name.trim().replaceAll(/^["']|["']$/g, ''));
  const isSeen = (element: Element) => {
    const { visibility, opacity } = getComputedStyle(element);
    return visibility === 'visible' && opacity !== '0' && element.getClientRects().length > 0;
  };
  const hasText = (element: Element) =>
    [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim());
  const lists = new Set(
    [...document.body.querySelectorAll('*')]
      .slice(0, MAX_ELEMENTS)
      .filter(
        (element) => !/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(element.tagName) && hasText(element) && isSeen(element),
      )
      .map((element) => getComputedStyle(element).fontFamily),
  );
  // The browser's own default, which no creative chose.
  lists.delete('"Times New Roman"');
  return [...lists].flatMap((list) => {
    const named = namesOf(list).filter((name) => name !== '' && !GENERIC.test(name));
    const [first] = named;
    const isMissing = named.every((name) => !own.has(name.toLowerCase()) && !exists(name));
    return first !== undefined && isMissing ? [first] : [];
  });
}
