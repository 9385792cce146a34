import type { SteppedPage } from '../browser/steppedPage.ts';
import type { Size } from './size.ts';

/** An uncommon size. A creative that measures exactly this fills any viewport. */
export const PROBE_VIEWPORT: Size = { width: 1_009, height: 761 };

/** The size for a creative that fills its iframe: the most common ad size. */
const FLUID: Size = { width: 300, height: 250 };

/** The width for a creative that fills the width but has a height of its own, by that height. */
const WIDTHS: Readonly<Record<number, number>> = {
  50: 320,
  60: 468,
  90: 728,
  100: 320,
  250: 300,
  280: 336,
  600: 300,
  1050: 300,
};

/**
 * Measures the visible content of the creative, inside its own iframe.
 * @returns undefined if nothing is visible.
 */
export async function measure(page: SteppedPage, framed: boolean): Promise<Size | undefined> {
  const frame = framed ? await page.childFrame() : undefined;
  const box = (await page.evaluate(`(${shownBox})()`, frame)) as ShownBox | undefined;
  if (box?.filled) return { width: Math.max(box.width, FLUID.width), height: Math.max(box.height, FLUID.height) };
  if (!box || box.width < 1 || box.height < 1) return undefined;
  return fitted(box);
}

function fitted(box: Size): Size {
  const size = { width: Math.round(box.width), height: Math.round(box.height) };
  const [wide, high] = [size.width >= PROBE_VIEWPORT.width, size.height >= PROBE_VIEWPORT.height];
  if (wide && high) return FLUID;
  if (wide) return { width: WIDTHS[size.height] ?? FLUID.width, height: size.height };
  return high ? { width: size.width, height: FLUID.height } : size;
}

interface ShownBox extends Size {
  readonly filled: boolean;
}

/**
 * Finds the images that the browser shows as broken.
 * @returns the URLs of the first ten, each once.
 */
export async function brokenImages(page: SteppedPage, framed: boolean): Promise<readonly string[]> {
  const frame = framed ? await page.childFrame() : undefined;
  const found = await page.evaluate(`(${brokenSources})()`, frame);
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}

/** Runs in the creative's iframe. */
function brokenSources(): string[] {
  const broken = [...document.images].filter((image) => {
    const { width, height } = image.getBoundingClientRect();
    const { visibility, opacity } = getComputedStyle(image);
    const seen = width > 1 && height > 1 && visibility !== 'hidden' && opacity !== '0';
    return seen && image.currentSrc !== '' && image.complete && image.naturalWidth === 0;
  });
  return [...new Set(broken.map((image) => image.currentSrc.slice(0, 2_000)))].slice(0, 10);
}

/** Runs in the creative's iframe. */
function shownBox(): ShownBox {
  let boxed = false;
  let whole = false;
  let width = 0;
  let height = 0;
  const add = (box: DOMRect, broken = false) => {
    if (box.width <= 1 || box.height <= 1) return;
    whole ||= !broken;
    width = Math.max(width, box.right);
    height = Math.max(height, box.bottom);
  };
  const paints = (element: Element) => {
    const { backgroundImage, backgroundColor } = getComputedStyle(element);
    return backgroundImage !== 'none' || !/rgba\(.*, 0\)|transparent/.test(backgroundColor);
  };
  const replaced = new Set(['IMG', 'IFRAME', 'CANVAS', 'VIDEO', 'SVG', 'OBJECT', 'EMBED', 'INPUT', 'BUTTON']);
  const shows = (element: Element) => {
    const style = getComputedStyle(element);
    if (style.visibility === 'hidden' || style.opacity === '0') return false;
    if (replaced.has(element.tagName.toUpperCase())) return true;
    return paints(element) || style.borderTopStyle !== 'none';
  };
  for (const element of document.querySelectorAll('body *')) {
    if (!shows(element)) continue;
    boxed = true;
    const broken = element instanceof HTMLImageElement && element.complete && element.naturalWidth === 0;
    add(element.getBoundingClientRect(), broken);
  }
  const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (!node.nodeValue?.trim() || !parent || /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(parent.tagName)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(box);
  }
  // The browser's icon for a broken image is not content.
  if (boxed && !whole) return { width: 0, height: 0, filled: false };
  // Only text on a coloured background: the document itself is the creative and fills any viewport.
  return { width, height, filled: !boxed && [document.documentElement, document.body].some(paints) };
}
