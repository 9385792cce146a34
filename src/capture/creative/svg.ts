import { attribute, tagsIn } from './markup.ts';
import type { Size } from './size.ts';

/** Of a number with its unit. */
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

/** An SVG's own size: its width and height, else its view box; one of them with the view box's shape. CSS pixels. */
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

/** True when it runs scripts, which a browser does only for a document. */
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

/** @returns undefined for what depends on the surroundings (percent) or says nothing. */
function length(text: string | undefined): number | undefined {
  const match = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec((text ?? '').slice(0, MAX_LENGTH));
  const factor = PIXELS[(match?.[2] ?? '').toLowerCase()];
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor;
}
