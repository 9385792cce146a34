import { attribute, tagsIn } from './markup.ts';
import type { Size } from './size.ts';

/** The characters of a number with its unit. */
const MAX_LENGTH = 40;
const DEFAULT: Size = { width: 300, height: 150 };
const PIXELS: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  em: 16,
  rem: 16,
};

/** @returns the size of an SVG in CSS pixels: its width and height, completed or replaced by its view box. */
export function svgSize(source: string): Size {
  const [first] = tagsIn(source, ['svg', '\\w+:svg']);
  const root = first?.text ?? '';
  const box = viewBox(root);
  const [width, height] = [length(attribute(root, 'width')), length(attribute(root, 'height'))];
  if (width !== undefined && height !== undefined) return { width, height };
  if (box === undefined) return { width: width ?? DEFAULT.width, height: height ?? DEFAULT.height };
  if (width !== undefined) return { width, height: (width * box.height) / box.width };
  return height === undefined ? box : { width: (height * box.width) / box.height, height };
}

/** @returns true if the SVG contains scripts. A browser runs them only if the SVG is a document, not an image. */
export function isScripted(source: string): boolean {
  return /<(?:\w+:)?script\b/i.test(source);
}

function viewBox(root: string): Size | undefined {
  const [, , width, height] = (attribute(root, 'viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return width !== undefined && height !== undefined && width > 0 && height > 0 ? { width, height } : undefined;
}

/** @returns undefined for a relative length (percent) or a missing one. */
function length(text: string | undefined): number | undefined {
  const match = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec((text ?? '').slice(0, MAX_LENGTH));
  const factor = PIXELS[(match?.[2] ?? '').toLowerCase()];
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor;
}
