/** Reads sizes of slots in inline scripts. Networks whose library did not load leave them only there. */
import type { PagePart } from './script.ts';
import { SLOT_SIZES } from './slotSizes.ts';

declare const adSizes: typeof SLOT_SIZES.adSizes;
declare const sizesFromText: typeof SLOT_SIZES.sizesFromText;

/** Inline scripts that a person could read. Bundles and data are too long. */
function inlineScripts(): string[] {
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
function sizesInScripts(keys: Set<number>, scripts: readonly string[], id: string): [number, number][] {
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
function sizesInOwnScripts(keys: Set<number>, element: Element): [number, number][] {
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

export const SCRIPT_SIZES = {
  ...SLOT_SIZES,
  inlineScripts,
  sizesInCode,
  groupStart,
  groupEnd,
  sizesOfProperty,
  sizesAround,
  indexesOf,
  sizesInScripts,
  sizesInOwnScripts,
} satisfies PagePart;
