import { attribute, braced, tagsIn, without, withoutComments } from './markup.ts';
import type { Size } from './size.ts';

/** Documents declare their size near the beginning. The limit bounds the time that a hostile document takes. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** The ways in which an HTML creative declares its size, the most reliable first. */
const DOCUMENT_DECLARATIONS: readonly ((html: string) => Size | undefined)[] = [
  adSizeMeta,
  webDesigner,
  animateStage,
  gptSize,
];
const TAG_DECLARATIONS: readonly ((html: string) => Size | undefined)[] = [
  adSizeMeta,
  dataAttributes,
  elementAttributes,
  inlineStyle,
  addressParameter,
];

/** @returns the size that an HTML document declares, in CSS pixels. */
export function documentSize(html: string): Size | undefined {
  return firstSize(DOCUMENT_DECLARATIONS, readable(html));
}

/** @returns the size that a tag declares in its attributes or URLs, in CSS pixels. */
export function tagSize(tag: string): Size | undefined {
  const plain = readable(tag);
  return firstSize(/<html\b/i.test(plain) ? DOCUMENT_DECLARATIONS : TAG_DECLARATIONS, plain);
}

function firstSize(declarations: readonly ((html: string) => Size | undefined)[], html: string): Size | undefined {
  for (const declaredIn of declarations) {
    const size = declaredIn(html);
    if (size !== undefined) return size;
  }
  return undefined;
}

function readable(html: string): string {
  return withoutComments(html.slice(0, MAX_CHARACTERS));
}

function adSizeMeta(html: string): Size | undefined {
  for (const { text: meta } of tagsIn(html, ['meta'])) {
    if (attribute(meta, 'name')?.toLowerCase() !== 'ad.size') continue;
    const content = attribute(meta, 'content') ?? '';
    return sizeOf(/width\s*=\s*(\d+)/i.exec(content)?.[1], /height\s*=\s*(\d+)/i.exec(content)?.[1]);
  }
  return undefined;
}

/** Google Web Designer: the attributes or the style of the page. */
function webDesigner(html: string): Size | undefined {
  if (!/gwd-/i.test(html)) return undefined;
  for (const { text: page } of tagsIn(html, ['gwd-page', 'gwd-google-ad', 'body'])) {
    const width = attribute(page, 'data-gwd-width');
    if (width !== undefined) return sizeOf(width, attribute(page, 'data-gwd-height'));
  }
  const rule = braced(html, /\.gwd-page-size\s*(?=\{)/i) ?? braced(html, /\.gwd-page-container/i);
  return rule === undefined ? undefined : styleSize(rule);
}

/** Adobe Animate: `lib.properties`, or the canvas. */
function animateStage(html: string): Size | undefined {
  const properties = braced(html, /lib\.properties\s*=\s*(?=\{)/);
  const fromProperties =
    properties && sizeOf(/\bwidth\s*:\s*(\d+)/.exec(properties)?.[1], /\bheight\s*:\s*(\d+)/.exec(properties)?.[1]);
  if (fromProperties) return fromProperties;
  const canvas = [...tagsIn(html, ['canvas'])].find(({ text }) => attribute(text, 'id') === 'canvas')?.text;
  return canvas && /animation_container|createjs/i.test(html)
    ? sizeOf(attribute(canvas, 'width'), attribute(canvas, 'height'))
    : undefined;
}

/** GPT: `defineSlot` in a document with exactly one slot. */
function gptSize(html: string): Size | undefined {
  const slots = [
    ...html.matchAll(/defineSlot\([^,]{1,500},\s{0,20}\[\s{0,20}(\d{1,6})\s{0,20},\s{0,20}(\d{1,6})\s{0,20}\]/g),
  ];
  return slots.length === 1 ? sizeOf(slots[0]?.[1], slots[0]?.[2]) : undefined;
}

function dataAttributes(html: string): Size | undefined {
  for (const { text: tag } of tagsIn(html)) {
    const size = sizeOf(
      attribute(tag, 'data-width') ?? attribute(tag, 'data-ad-width'),
      attribute(tag, 'data-height') ?? attribute(tag, 'data-ad-height'),
    );
    if (size) return size;
  }
  return undefined;
}

const ELEMENTS_WITH_A_SIZE = ['iframe', 'img', 'amp-ad', 'amp-img', 'canvas', 'video', 'object', 'embed'];

function elementAttributes(html: string): Size | undefined {
  for (const { text: tag } of tagsIn(html, ELEMENTS_WITH_A_SIZE)) {
    const size = sizeOf(attribute(tag, 'width'), attribute(tag, 'height'));
    // A tracking pixel is not the ad.
    if (size && size.width > 1 && size.height > 1) return size;
  }
  return undefined;
}

function inlineStyle(html: string): Size | undefined {
  for (const { text: tag } of tagsIn(html, ['ins', 'div', 'iframe', 'img', 'section', 'a'])) {
    const size = styleSize(attribute(tag, 'style') ?? '');
    if (size && size.width > 1 && size.height > 1) return size;
  }
  return undefined;
}

/** For example `sz=300x250` or `size=300x250` in the URL of a script or an iframe. */
function addressParameter(html: string): Size | undefined {
  const match = /[?&;/](?:sz|size|adsize|ad_size|format)=(\d{2,4})x(\d{2,4})\b/i.exec(html);
  return match ? sizeOf(match[1], match[2]) : undefined;
}

function styleSize(style: string): Size | undefined {
  const width = /(?:^|[;\s])width\s*:\s*([\d.]+)px/i.exec(style)?.[1];
  const height = /(?:^|[;\s])height\s*:\s*([\d.]+)px/i.exec(style)?.[1];
  return sizeOf(width, height);
}

function sizeOf(width: string | undefined, height: string | undefined): Size | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/;
  const [w, h] = [digits.exec(width ?? '')?.[1], digits.exec(height ?? '')?.[1]];
  return w === undefined || h === undefined ? undefined : { width: Number(w), height: Number(h) };
}

/**
 * @returns the URL of the only resource that a tag loads; without that resource there is no creative. Undefined for a tag that
 * also shows something else.
 */
export function onlySource(tag: string): string | undefined {
  const plain = without(readable(tag), /<noscript\b/, /<\/noscript>/);
  const loading = [...tagsIn(plain, ['iframe', 'img', 'script', 'video', 'embed'])].filter(
    ({ text }) => attribute(text, 'src') !== undefined && attribute(text, 'width') !== '1',
  );
  const [first] = loading;
  if (first === undefined || loading.length > 1 || !isWrapping(plain.slice(0, first.index))) return undefined;
  const source = (attribute(first.text, 'src') ?? '').replaceAll('&amp;', '&');
  return /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source).href : undefined;
}

/** @returns true if the text contains only elements that are not visible by themselves. */
function isWrapping(before: string): boolean {
  let at = 0;
  for (const { text, index } of tagsIn(before, ['a', 'div', 'center', 'span', 'p'])) {
    if (before.slice(at, index).trim() !== '') return false;
    at = index + text.length;
  }
  return before.slice(at).trim() === '';
}
