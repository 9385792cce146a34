import type { Size } from './size.ts';

/** Where an HTML creative says its own size; asked in turn, surest first. */
const PLACES: readonly ((html: string) => Size | undefined)[] = [adSizeMeta, webDesigner, animateStage, gptSize];
const TAG_PLACES: readonly ((html: string) => Size | undefined)[] = [
  adSizeMeta,
  dataAttributes,
  elementAttributes,
  inlineStyle,
  addressParameter,
];

/** @returns the size that an HTML document declares, if it does. */
export function documentSize(html: string): Size | undefined {
  return first(PLACES, withoutComments(html));
}

/** @returns the size that a tag declares by its attributes or addresses, if it does. */
export function tagSize(tag: string): Size | undefined {
  const plain = withoutComments(tag);
  return first(/<html\b/i.test(plain) ? PLACES : TAG_PLACES, plain);
}

function first(places: readonly ((html: string) => Size | undefined)[], html: string): Size | undefined {
  for (const place of places) {
    const size = place(html);
    if (size !== undefined) return size;
  }
  return undefined;
}

function withoutComments(html: string): string {
  return html.replace(/<!--[\s\S]*?-->/g, '');
}

function adSizeMeta(html: string): Size | undefined {
  for (const [meta] of html.matchAll(/<meta\b[^>]*>/gi)) {
    if (attribute(meta, 'name')?.toLowerCase() !== 'ad.size') continue;
    const content = attribute(meta, 'content') ?? '';
    return sizeOf(/width\s*=\s*(\d+)/i.exec(content)?.[1], /height\s*=\s*(\d+)/i.exec(content)?.[1]);
  }
  return undefined;
}

/** Google Web Designer: the page's attributes, or the style of its one page. */
function webDesigner(html: string): Size | undefined {
  if (!/gwd-/i.test(html)) return undefined;
  const page = /<(?:gwd-page|gwd-google-ad|body)\b[^>]*\bdata-gwd-width=[^>]*>/i.exec(html)?.[0];
  if (page) return sizeOf(attribute(page, 'data-gwd-width'), attribute(page, 'data-gwd-height'));
  const rule =
    /\.gwd-page-size\s*\{([^}]*)\}/i.exec(html)?.[1] ?? /\.gwd-page-container[^{]*\{([^}]*)\}/i.exec(html)?.[1];
  return rule === undefined ? undefined : styleSize(rule);
}

/** Adobe Animate: `lib.properties`, or the canvas it draws on. */
function animateStage(html: string): Size | undefined {
  const properties = /lib\.properties\s*=\s*\{([\s\S]*?)\}/.exec(html)?.[1];
  const fromProperties =
    properties && sizeOf(/\bwidth\s*:\s*(\d+)/.exec(properties)?.[1], /\bheight\s*:\s*(\d+)/.exec(properties)?.[1]);
  if (fromProperties) return fromProperties;
  const canvas = /<canvas\b[^>]*\bid=["']?canvas\b[^>]*>/i.exec(html)?.[0];
  return canvas && /animation_container|createjs/i.test(html)
    ? sizeOf(attribute(canvas, 'width'), attribute(canvas, 'height'))
    : undefined;
}

/** `defineSlot` of a page that holds one slot. */
function gptSize(html: string): Size | undefined {
  const slots = [...html.matchAll(/defineSlot\(\s*[^,]+,\s*\[\s*(\d+)\s*,\s*(\d+)\s*\]/g)];
  return slots.length === 1 ? sizeOf(slots[0]?.[1], slots[0]?.[2]) : undefined;
}

function dataAttributes(html: string): Size | undefined {
  for (const [tag] of html.matchAll(/<[a-z][^>]*\bdata-(?:ad-)?width\s*=[^>]*>/gi)) {
    const size = sizeOf(
      attribute(tag, 'data-width') ?? attribute(tag, 'data-ad-width'),
      attribute(tag, 'data-height') ?? attribute(tag, 'data-ad-height'),
    );
    if (size) return size;
  }
  return undefined;
}

function elementAttributes(html: string): Size | undefined {
  const sizes = [...html.matchAll(/<(?:iframe|img|amp-ad|amp-img|canvas|video|object|embed)\b[^>]*>/gi)]
    .map(([tag]) => sizeOf(attribute(tag, 'width'), attribute(tag, 'height')))
    // A tracking pixel is not the ad.
    .filter((size) => size !== undefined && size.width > 1 && size.height > 1);
  return sizes[0];
}

function inlineStyle(html: string): Size | undefined {
  for (const [tag] of html.matchAll(/<(?:ins|div|iframe|img|section|a)\b[^>]*\bstyle\s*=[^>]*>/gi)) {
    const size = styleSize(attribute(tag, 'style') ?? '');
    if (size && size.width > 1 && size.height > 1) return size;
  }
  return undefined;
}

/** `sz=300x250`, `size=300x250` and the like, in the address of a script or a frame. */
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
 * The address that a tag stands and falls with: the one thing it loads, when it begins with that.
 * @returns undefined for a tag that shows something else as well.
 */
export function onlySource(tag: string): string | undefined {
  const plain = withoutComments(tag).replace(/<noscript\b[\s\S]*?<\/noscript>/gi, '');
  const loading = [...plain.matchAll(/<(?:iframe|img|script|video|embed)\b[^>]*\bsrc\s*=[^>]*>/gi)].filter(
    ([element]) => attribute(element, 'width') !== '1',
  );
  const [first] = loading;
  const before = plain.slice(0, first?.index).replace(/<(a|div|center|span|p)\b[^>]*>/gi, '');
  if (first === undefined || loading.length > 1 || before.trim() !== '') return undefined;
  const source = (attribute(first[0], 'src') ?? '').replaceAll('&amp;', '&');
  return /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source).href : undefined;
}

/** @returns the value of an attribute of one tag. */
export function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`[\\s"']${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(tag);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
