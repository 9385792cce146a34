/** Standard ad sizes, and sizes that an element declares in its attributes. */
import type { PagePart } from './script.ts';

function iabSizes(): [number, number][] {
  const list =
    '300x250 336x280 728x90 970x90 970x250 160x600 120x600 300x600 300x1050 320x50 320x100 300x50 300x100 468x60 234x60 250x250 200x200 180x150 320x480 480x320 980x120 930x180 970x66 640x360 640x480 400x300';
  return list.split(' ').map((pair) => pair.split('x').map(Number) as [number, number]);
}

function isIabSize(width: number, height: number): boolean {
  return iabSizes().some(([w, h]) => Math.abs(w - width) <= 1 && Math.abs(h - height) <= 1);
}

function sizesFromText(text: string): [number, number][] {
  const pairs = [...text.matchAll(/(\d{2,4})\s*[x,×]\s*(\d{2,4})/g)].map(([, w, h]) => [Number(w), Number(h)]);
  return pairs.slice(0, 20) as [number, number][];
}

function attributeSizes(element: Element): [number, number][] {
  const names = ['data-ad-sizes', 'data-ad-size', 'data-sizes', 'data-size', 'data-multi-size', 'data-dfp-sizes'];
  return names.flatMap((name) => sizesFromText(element.getAttribute(name) ?? ''));
}

export const SLOT_SIZES = { iabSizes, isIabSize, sizesFromText, attributeSizes } satisfies PagePart;
