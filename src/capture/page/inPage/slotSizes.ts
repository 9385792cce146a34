/** Standard ad sizes, and sizes that an element, its attributes, comments or text declare. */
import type { PagePart } from './script.ts';

/** `300x250 728x90` → pairs. */
function pairsIn(list: string): [number, number][] {
  return list
    .split(' ')
    .filter(Boolean)
    .map((pair) => pair.split('x').map(Number) as [number, number]);
}

/** Keys of all standard sizes, with a tolerance of one pixel. */
function sizeKeys(sizes: readonly (readonly [number, number])[]): Set<number> {
  const near = [-1, 0, 1];
  return new Set(sizes.flatMap(([w, h]) => near.flatMap((x) => near.map((y) => (w + x) * 10_000 + h + y))));
}

function isStandardSize(keys: Set<number>, width: number, height: number): boolean {
  return keys.has(Math.round(width) * 10_000 + Math.round(height));
}

/** Leaves out markers such as 1×1 and 88×71. Among several sizes only standard ones count, because windows have sizes too. */
function adSizes(keys: Set<number>, pairs: readonly (readonly [number, number])[]): [number, number][] {
  const possible = pairs.filter(([w, h]) => w >= 88 && h >= 31 && w <= 2_000 && h <= 1_200);
  const standard = possible.filter(([w, h]) => isStandardSize(keys, w, h));
  const kept = possible.length > 1 ? standard : possible;
  return [...new Map(kept.map(([w, h]) => [`${w}x${h}`, [w, h] as [number, number]])).values()].slice(0, 20);
}

function sizesFromText(text: string): [number, number][] {
  const pairs = [...text.matchAll(/(?<!\d)(\d{2,4})["'\s]*[x,×]["'\s]*(\d{2,4})(?!\d)/g)];
  return pairs.slice(0, 40).map(([, w, h]) => [Number(w), Number(h)]);
}

/** Rows such as `0x0:320x50|768x0:728x90`: those of the widest window that is not wider than this one. */
function sizesForWindow(text: string): [number, number][] {
  const rows = [...text.matchAll(/(\d+)x\d+\s*:\s*([^|;]+)/g)].filter(([, width]) => Number(width) <= innerWidth);
  const widest = rows.toSorted(([, one], [, two]) => Number(two) - Number(one))[0];
  return sizesFromText(widest?.[2] ?? text);
}

/** The attribute for this window among `data-mobile`, `data-tablet`, `data-desktop`. */
function breakpointSizes(element: Element): [number, number][] {
  const names = ['mobile', 'phablet', 'tablet', 'desktop', 'leftcol', 'wide'];
  const reached = innerWidth < 700 ? 1 : innerWidth < 980 ? 3 : names.length;
  const values = names.slice(0, reached).map((name) => element.getAttribute(`data-${name}`));
  return sizesForWindow(values.findLast((value) => value !== null) ?? '');
}

/** `__300x250 __336x280`: the first size is for phones, the second for desktops. */
function freestarSizes(element: Element): [number, number][] {
  const sizes = sizesFromText(element.getAttribute('data-freestar-ad') ?? '');
  return sizes.length > 1 ? sizes.slice(innerWidth < 700 ? 0 : 1).slice(0, 1) : sizes;
}

function sizeInAttributePair(element: Element): [number, number][] {
  const names = [
    ['data-ad-width', 'data-ad-height'],
    ['data-width', 'data-height'],
    ['data-w', 'data-h'],
    ['ezaw', 'ezah'],
    ['data-revive-width', 'data-revive-height'],
    ...(/^(INS|IMG|IFRAME|AMP-AD)$/.test(element.tagName) ? [['width', 'height']] : []),
  ];
  return names.flatMap(([width = '', height = '']) => {
    const pixels = (name: string) => Number(element.getAttribute(name)?.replace(/px$/, ''));
    const size: [number, number] = [pixels(width), pixels(height)];
    return size[0] > 0 && size[1] > 0 ? [size] : [];
  });
}

function attributeSizes(element: Element): [number, number][] {
  const isCustom = element.tagName.includes('-');
  const listed = [...element.attributes]
    .filter(
      ({ name }) =>
        /^data-.*(size|dimension|mapping)/.test(name) || name === 'unit' || (isCustom && /^sizes?$/.test(name)),
    )
    .flatMap(({ value }) => sizesForWindow(value.slice(0, 2_000)));
  const inSource = /[?&]size=(\d+)x(\d+)/i.exec(element.getAttribute('src') ?? element.getAttribute('data-src') ?? '');
  const source: [number, number][] = inSource ? [[Number(inSource[1]), Number(inSource[2])]] : [];
  return [
    ...sizeInAttributePair(element),
    ...listed,
    ...breakpointSizes(element),
    ...freestarSizes(element),
    ...source,
  ];
}

function styleSizes(element: Element): [number, number][] {
  if (!(element instanceof HTMLElement)) return [];
  const { width, height, minWidth, minHeight } = element.style;
  const px = (...values: string[]) => Number.parseFloat(values.find((value) => value.endsWith('px')) ?? '0');
  const size: [number, number] = [px(width, minWidth), px(height, minHeight)];
  return size[0] > 0 && size[1] > 0 ? [size] : [];
}

/** `ad_300x250`, `slot-728-90`. */
function nameSizes(keys: Set<number>, name: string): [number, number][] {
  const pairs = [...name.matchAll(/(?<!\d)(\d{2,4})[x_-](\d{2,4})(?!\d)/g)];
  const sizes = pairs.map(([, w, h]): [number, number] => [Number(w), Number(h)]);
  return sizes.filter(([w, h]) => isStandardSize(keys, w, h));
}

/** The comments right before the element and at its start. Ad codes often tell their sizes there. */
function commentsOf(element: Element): string {
  const texts: string[] = [];
  const seen = (node: Node | null) => {
    if (node instanceof Comment) texts.push(node.data.slice(0, 500));
    return node instanceof Comment || node instanceof HTMLScriptElement || (node?.textContent ?? '').trim() === '';
  };
  let before = element.previousSibling;
  for (let steps = 0; before && steps < 5 && seen(before); steps++) {
    // The comment of another slot is not about this one.
    if (before instanceof Element && before.tagName !== 'SCRIPT') break;
    before = before.previousSibling;
  }
  for (const child of [...element.childNodes].slice(0, 4)) if (!seen(child)) break;
  return texts.join(' ');
}

/** `D:300x250, T:… M:320x50` names devices. */
function commentSizes(text: string): [number, number][] {
  const device = new RegExp(`(?:^|[\\s,])${innerWidth < 700 ? 'M' : 'D'}:([^:]*?)(?=[A-Z]:|STARTS|$)`).exec(text);
  return sizesFromText(device?.[1] ?? text);
}

export const SLOT_SIZES = {
  pairsIn,
  sizeKeys,
  isStandardSize,
  adSizes,
  sizesFromText,
  sizesForWindow,
  breakpointSizes,
  freestarSizes,
  sizeInAttributePair,
  attributeSizes,
  styleSizes,
  nameSizes,
  commentsOf,
  commentSizes,
} satisfies PagePart;
