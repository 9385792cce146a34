/** Standard ad sizes, and sizes that an element, its attributes, comments or text declare. */
import { isClobbered } from './clobbering.ts';

/** `300x250 728x90` → pairs. */
export function pairsIn(list: string): [number, number][] {
  return list
    .split(' ')
    .filter(Boolean)
    .map((pair) => pair.split('x').map(Number) as [number, number]);
}

/** Keys of all standard sizes, with a tolerance of one pixel. */
export function sizeKeys(sizes: readonly (readonly [number, number])[]): Set<number> {
  const near = [-1, 0, 1];
  return new Set(sizes.flatMap(([w, h]) => near.flatMap((x) => near.map((y) => (w + x) * 10_000 + h + y))));
}

export function isStandardSize(keys: Set<number>, width: number, height: number): boolean {
  return keys.has(Math.round(width) * 10_000 + Math.round(height));
}

/** Leaves out markers such as 1×1 and 88×71. Among several sizes only standard ones count, because windows have sizes too. */
export function adSizes(keys: Set<number>, pairs: readonly (readonly [number, number])[]): [number, number][] {
  const possible = pairs.filter(([w, h]) => w >= 88 && h >= 31 && w <= 2_000 && h <= 1_200);
  const standard = possible.filter(([w, h]) => isStandardSize(keys, w, h));
  const kept = possible.length > 1 ? standard : possible;
  return [...new Map(kept.map(([w, h]) => [`${w}x${h}`, [w, h] as [number, number]])).values()].slice(0, 20);
}

export function sizesFromText(text: string): [number, number][] {
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

export function sizeInAttributePair(element: Element): [number, number][] {
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

export function attributeSizes(element: Element): [number, number][] {
  const isCustom = element.tagName.includes('-');
  // `data-ad="[[970,90],[728,90]]" data-ad-mobile="[[320,50]]"`
  const nameOfList = innerWidth < 700 && element.hasAttribute('data-ad-mobile') ? 'data-ad-mobile' : 'data-ad';
  const listed = [...element.attributes]
    .filter(
      ({ name }) =>
        /^data-.*(size|dimension|mapping)/.test(name) ||
        name === nameOfList ||
        name === 'unit' ||
        (isCustom && /^sizes?$/.test(name)),
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

export function styleSizes(element: Element): [number, number][] {
  if (!(element instanceof HTMLElement)) return [];
  const { width, height, minWidth, minHeight } = element.style;
  const px = (...values: string[]) => Number.parseFloat(values.find((value) => value.endsWith('px')) ?? '0');
  const size: [number, number] = [px(width, minWidth), px(height, minHeight)];
  return size[0] > 0 && size[1] > 0 ? [size] : [];
}

/** `ad_300x250`, `slot-728-90`. */
export function nameSizes(keys: Set<number>, name: string): [number, number][] {
  const pairs = [...name.matchAll(/(?<!\d)(\d{2,4})[x_-](\d{2,4})(?!\d)/g)];
  const sizes = pairs.map(([, w, h]): [number, number] => [Number(w), Number(h)]);
  return sizes.filter(([w, h]) => isStandardSize(keys, w, h));
}

/** The comments right before the element and at its start. Ad codes often tell their sizes there. */
export function commentsOf(element: Element): string {
  const texts: string[] = [];
  const seen = (node: Node | null) => {
    if (node instanceof Element && isClobbered(node)) return false;
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
export function commentSizes(text: string): [number, number][] {
  const device = new RegExp(`(?:^|[\\s,])${innerWidth < 700 ? 'M' : 'D'}:([^:]*?)(?=[A-Z]:|STARTS|$)`).exec(text);
  return sizesFromText(device?.[1] ?? text);
}

/** Inline scripts that a person could read. Bundles and data are too long. */
export function inlineScripts(): string[] {
  let left = 400_000;
  const texts: string[] = [];
  for (const script of document.scripts) {
    const text = script.src === '' && !/json|template/.test(script.type) ? (script.textContent ?? '') : '';
    if (text.length < 12 || text.length > 60_000 || text.length > left) continue;
    left -= text.length;
    texts.push(text);
  }
  return texts;
}

function sizesInCode(keys: Set<number>, code: string): [number, number][] {
  const pairs = [...code.matchAll(/[[(,]\s*['"]?(\d{2,4})['"]?\s*,\s*['"]?(\d{2,4})['"]?\s*[\])]/g)];
  const width = /(?:width|\bauW|\bw)['"\]]*\s*[:=]\s*['"]?(\d{2,4})/i.exec(code);
  const height = /(?:height|\bauH|\bh)['"\]]*\s*[:=]\s*['"]?(\d{2,4})/i.exec(code);
  const quoted = [...code.matchAll(/['"](\d{2,4})\s*,\s*(\d{2,4})['"]/g)];
  const found = [...pairs, ...quoted].map(([, w, h]): [number, number] => [Number(w), Number(h)]);
  if (width && height) found.push([Number(width[1]), Number(height[1])]);
  return adSizes(keys, found.length > 0 ? found : sizesFromText(code.replaceAll(',', ' ')));
}

/** The index of the bracket that opens the group around `index`, or -1. */
function groupStart(code: string, index: number): number {
  let depth = 0;
  for (let at = index - 1; at >= 0 && index - at < 800; at--) {
    const sign = code[at] ?? '';
    if (')]}'.includes(sign)) depth++;
    else if ('([{'.includes(sign) && depth-- === 0) return at;
  }
  return -1;
}

function groupEnd(code: string, start: number): number {
  let depth = 0;
  for (let at = start; at < code.length && at - start < 800; at++) {
    const sign = code[at] ?? '';
    if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign) && --depth === 0) return at + 1;
  }
  return -1;
}

/** The value of the property with this name. */
function sizesOfProperty(keys: Set<number>, code: string, afterName: number): [number, number][] {
  const value = /^\s*:\s*(?=[[{])/.exec(code.slice(afterName, afterName + 50));
  if (value === null) return [];
  const start = afterName + value[0].length;
  return sizesInCode(keys, code.slice(start, groupEnd(code, start)));
}

/** The smallest group of brackets around the id that states sizes. */
function sizesAround(keys: Set<number>, code: string, index: number): [number, number][] {
  let start = index;
  for (let level = 0; level < 3; level++) {
    start = groupStart(code, start);
    // The body of a function is no statement about one slot.
    if (start < 0 || (code[start] === '{' && /[)>]\s*$/.test(code.slice(Math.max(0, start - 10), start)))) return [];
    const end = groupEnd(code, start);
    if (end < 0) return [];
    const sizes = sizesInCode(keys, code.slice(start, end));
    // In a list of ids, what is around the list is not about this id.
    if (sizes.length > 0 || code[start] === '[') return sizes;
  }
  return [];
}

/** Sizes in the scripts' statements that name the id, or the id without its last number. */
export function sizesInScripts(keys: Set<number>, scripts: readonly string[], id: string): [number, number][] {
  if (id.length < 3) return [];
  for (const name of new Set([id, id.replace(/\d+$/, '')])) {
    if (name.length < 3) continue;
    const quoted = [`"${name}"`, `'${name}'`];
    const places = scripts.flatMap((code) =>
      quoted.flatMap((text) => indexesOf(code, text).map((index) => ({ code, index, end: index + text.length }))),
    );
    for (const read of [
      ({ code, end }: (typeof places)[number]) => sizesOfProperty(keys, code, end),
      ({ code, index }: (typeof places)[number]) => sizesAround(keys, code, index),
    ]) {
      const sizes = places.map(read).find(({ length }) => length > 0);
      if (sizes) return sizes;
    }
  }
  return [];
}

function indexesOf(code: string, text: string): number[] {
  const indexes: number[] = [];
  for (let at = code.indexOf(text); at >= 0 && indexes.length < 10; at = code.indexOf(text, at + 1)) indexes.push(at);
  return indexes;
}

/** Sizes in scripts inside the element or right beside it, as `google_ad_width = 728`. */
export function sizesInOwnScripts(keys: Set<number>, element: Element): [number, number][] {
  const beside = [element.nextElementSibling, element.previousElementSibling].filter(
    (one) => one instanceof HTMLScriptElement,
  );
  for (const script of [element, ...element.querySelectorAll('script'), ...beside]) {
    const code = script instanceof HTMLScriptElement && script.src === '' ? (script.textContent ?? '') : '';
    if (!/(width|height|size|\d{3}x\d{2,3}|\bauW)/i.test(code) || code.length > 5_000) continue;
    const sizes = sizesInCode(keys, code);
    if (sizes.length > 0) return sizes;
  }
  return [];
}
