import type { Warning } from '../../domain/warnings.ts';

/**
 * Runs in a document. Samples visible letters of each script but Latin, and draws them. A letter for which no font has a glyph
 * looks like one that Unicode does not define.
 * @returns names of the scripts whose visible text is boxes.
 */
export function scriptsWithoutGlyphs(): string[] {
  const MAX_NODES = 20_000;
  const SAMPLES = 6;
  const NAMES =
    'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thai Tibetan Vithkuqi';
  const scripts = NAMES.split(' ').map((name) => ({ name, of: new RegExp(`\\p{Script=${name}}`, 'u') }));
  const samples = new Map<string, Map<string, string>>();
  const isInView = (element: Element) => {
    const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
    const isInside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && width > 2 && height > 2;
    return isInside && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < MAX_NODES && walker.nextNode(); count++) {
    const element = walker.currentNode.parentElement;
    const letters = walker.currentNode.nodeValue?.slice(0, 500).match(/[^\P{L}\p{Script=Latin}]/gu);
    if (!letters || !element || /^(?:SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(element.tagName)) continue;
    const found = scripts.filter(
      ({ name, of }) => (samples.get(name)?.size ?? 0) < SAMPLES && of.test(letters.join('')),
    );
    if (found.length === 0 || !isInView(element)) continue;
    const font = getComputedStyle(element).fontFamily;
    for (const { name, of } of found) {
      const known = samples.get(name) ?? new Map<string, string>();
      for (const letter of letters.filter((one) => of.test(one)).slice(0, SAMPLES - known.size))
        known.set(letter, font);
      samples.set(name, known);
    }
  }
  const context = new OffscreenCanvas(48, 48).getContext('2d', { willReadFrequently: true });
  if (context === null) return [];
  const drawn = (letter: string, font: string) => {
    context.clearRect(0, 0, 48, 48);
    context.font = `28px ${font}`;
    context.fillText(letter, 4, 36);
    return context.getImageData(0, 0, 48, 48).data.join();
  };
  const UNDEFINED = '\u0378';
  const isBox = ([letter, font]: [string, string]) => drawn(letter, font) === drawn(UNDEFINED, font);
  return [...samples]
    .filter(([, letters]) => [...letters].filter(isBox).length * 2 > letters.size)
    .map(([name]) => name);
}

/** @param where the text is, for example "the page". */
export function glyphWarnings(scripts: readonly string[], where: string): Warning[] {
  if (scripts.length === 0) return [];
  const message = `Text of ${where} is shown as boxes, because no installed font has its letters (${scripts.join(', ')}). Install fonts for these scripts.`;
  return [{ code: 'missing_glyphs', message }];
}
