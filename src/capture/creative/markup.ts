/**
 * Reads untrusted markup in linear time. A regular expression that searches for a missing `>` from every `<` would take hours
 * for a megabyte.
 */
import type { Size } from './creative.ts';

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

/** No useful tag is longer. */
const MAX_TAG = 16_384;

export interface Tag {
  readonly text: string;
  /** The offset of its first character. */
  readonly index: number;
}

/** @param names patterns of element names. Default: all elements. */
export function* tagsIn(html: string, names?: readonly string[]): Generator<Tag> {
  const opening = new RegExp(names === undefined ? '<[a-z]' : `<(?:${names.join('|')})\\b`, 'gi');
  for (let begin = opening.exec(html); begin; begin = opening.exec(html)) {
    const end = html.indexOf('>', opening.lastIndex);
    if (end < 0) return;
    yield { text: html.slice(begin.index, Math.min(end + 1, begin.index + MAX_TAG)), index: begin.index };
    opening.lastIndex = end + 1;
  }
}

/** @returns the text without all passages that start with `from` and end with `to`. A passage without an end stays. */
export function without(text: string, from: RegExp, to: RegExp): string {
  const [begin, end] = [new RegExp(from, 'gi'), new RegExp(to, 'gi')];
  let kept = '';
  let at = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    if (end.exec(text) === null) break;
    kept += text.slice(at, found.index);
    at = end.lastIndex;
    begin.lastIndex = at;
  }
  return kept + text.slice(at);
}

export function withoutComments(html: string): string {
  return without(html, /<!--/, /-->/);
}

/** @returns the text in the first braces after `begin`; undefined if there are none. */
export function braced(text: string, begin: RegExp): string | undefined {
  const start = begin.exec(text);
  const open = start === null ? -1 : text.indexOf('{', start.index + start[0].length);
  const close = open < 0 ? -1 : text.indexOf('}', open);
  return close < 0 ? undefined : text.slice(open + 1, close);
}

/** @returns the value of an attribute of one tag. */
export function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`[\\s"']${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(tag);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** @returns a part of a URL without percent escapes; unchanged if they are not UTF-8. */
export function decodedAddress(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @returns the text of a file of a creative, in the encoding of its byte order mark; UTF-8 without one. */
export function decodeText(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

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
