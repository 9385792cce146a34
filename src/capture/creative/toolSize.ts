import type { Size } from './creative.ts';
import { attribute, braced, tagsIn } from './markup.ts';
import type { SizeClaim } from './sizeClaims.ts';

/** One way in which a tool writes the size of an ad. */
interface SizeReader {
  readonly from: string;
  /** The file names in which it is written. Default: pages and scripts. */
  readonly files?: RegExp;
  readonly read: (text: string) => Size | undefined;
}

const PAGES_AND_SCRIPTS = /\.(?:html?|xhtml|js)$/i;

/** The tools and ad servers whose files declare the size of the ad, the most reliable first. */
const READERS: readonly SizeReader[] = [
  { from: 'the Google Web Designer page', files: /\.x?html?$/i, read: webDesigner },
  { from: 'lib.properties of Adobe Animate', read: (text) => numbersIn(braced(text, /lib\.properties\s*=\s*(?=\{)/)) },
  { from: 'the canvas of Adobe Animate', files: /\.x?html?$/i, read: animateCanvas },
  { from: 'the Tumult Hype container', files: /\.x?html?$/i, read: hypeContainer },
  { from: 'the Adobe Edge composition', read: (text) => numbersAfter(text, /\bAdobeEdge\.loadComposition\s*\(/) },
  { from: 'the OpenAjax widget', files: /(?:^|\/)config\.xml$/i, read: openAjaxWidget },
  { from: 'OAMManifest.xml', files: /(?:^|\/)oammanifest\.xml$/i, read: oamManifest },
  { from: 'the Flashtalking manifest', files: /\.js$/i, read: (text) => numbersAfter(text, /\bFT\.manifest\s*\(/) },
  { from: 'screenad.setSize', read: screenad },
  { from: 'manifest.json', files: /(?:^|\/)manifest\.json$/i, read: jsonManifest },
  { from: 'adParams', read: adParams },
  { from: 'creativeProperties of Google', read: creativeProperties },
  { from: 'the size of the Platform template', files: /\.x?html?$/i, read: platformTemplate },
  { from: 'the configuration of the banner', read: bannerConfiguration },
  { from: 'a GPT slot', files: /\.x?html?$/i, read: gptSlot },
];

/** @returns the first size that a tool wrote into the files, each by its path and text. */
export function toolSize(files: Iterable<readonly [path: string, text: string]>): SizeClaim | undefined {
  const all = [...files];
  for (const { from, files: names = PAGES_AND_SCRIPTS, read } of READERS) {
    for (const [path, text] of all) {
      const size = names.test(path) ? read(text) : undefined;
      if (size !== undefined && size.width > 1 && size.height > 1) return { size, from };
    }
  }
  return undefined;
}

/** Google Web Designer: the attributes of the first page or the default page. The style of the page may be out of date. */
function webDesigner(html: string): Size | undefined {
  if (!/gwd-/i.test(html)) return undefined;
  const first = attribute([...tagsIn(html, ['gwd-pagedeck'])][0]?.text ?? '', 'default-page');
  const pages = [...tagsIn(html, ['gwd-page', 'gwd-google-ad', 'gwd-genericad', 'body', 'div'])]
    .map(({ text }) => text)
    .filter((text) => attribute(text, 'data-gwd-width') !== undefined);
  const page = pages.find((text) => first !== undefined && attribute(text, 'id') === first) ?? pages[0];
  if (page !== undefined) return sizeOf(attribute(page, 'data-gwd-width'), attribute(page, 'data-gwd-height'));
  const rule = braced(html, /\.gwd-page-size\s*(?=\{)/i) ?? braced(html, /\.gwd-page-container/i);
  return styleSize(rule ?? '');
}

function animateCanvas(html: string): Size | undefined {
  if (!/animation_container|createjs/i.test(html)) return undefined;
  const canvas = [...tagsIn(html, ['canvas'])].find(({ text }) => attribute(text, 'id') === 'canvas')?.text;
  // A canvas with more pixels for sharp screens has its size in its style.
  if (canvas === undefined) return undefined;
  return styleSize(attribute(canvas, 'style') ?? '') ?? sizeOf(attribute(canvas, 'width'), attribute(canvas, 'height'));
}

function hypeContainer(html: string): Size | undefined {
  const container = [...tagsIn(html, ['div'])].find(({ text }) =>
    /\bHYPE_document\b/.test(attribute(text, 'class') ?? ''),
  );
  return container && styleSize(attribute(container.text, 'style') ?? '');
}

function openAjaxWidget(xml: string): Size | undefined {
  const widget = [...tagsIn(xml, ['widget', '\\w{1,20}:widget'])][0]?.text ?? '';
  return sizeOf(attribute(widget, 'width'), attribute(widget, 'height'));
}

function oamManifest(xml: string): Size | undefined {
  return sizeBy(xml, /<width>([^<]{1,20})</i, /<height>([^<]{1,20})</i);
}

function screenad(text: string): Size | undefined {
  const call = /screenad\.setSize\(\s{0,20}["']?(\d{1,6})["']?\s{0,20},\s{0,20}["']?(\d{1,6})/.exec(text);
  if (call !== null) return sizeOf(call[1], call[2]);
  return sizeBy(text, /SCRWIDTH:\s{0,20}(\d{1,6})/, /SCRHEIGHT:\s{0,20}(\d{1,6})/);
}

/** Adform and others. */
function jsonManifest(text: string): Size | undefined {
  try {
    const manifest: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof manifest !== 'object' || manifest === null) return undefined;
    const { width, height } = { width: undefined, height: undefined, ...manifest } as Record<string, unknown>;
    return sizeOf(String(width), String(height));
  } catch {
    return undefined; // Not JSON.
  }
}

function adParams(text: string): Size | undefined {
  const number = /["']?\s{0,20}[:=]\s{0,20}["']?(\d{1,6})/.source;
  return sizeBy(text, new RegExp(`\\badWidth${number}`), new RegExp(`\\badHeight${number}`));
}

function creativeProperties(text: string): Size | undefined {
  const properties = braced(text, /["']?creativeProperties["']?\s*:\s*(?=\{)/) ?? '';
  const number = (name: string) => new RegExp(`["']?${name}["']?\\s{0,20}:\\s{0,20}(\\d{1,6})`);
  return sizeBy(properties, number('minWidth'), number('minHeight'));
}

function platformTemplate(html: string): Size | undefined {
  const pair = (name: string) =>
    new RegExp(`\\${name}\\s{0,20}:\\s{0,20}\\[\\s{0,20}(\\d{1,6})\\s{0,20},\\s{0,20}(\\d{1,6})\\s{0,20}\\]`).exec(
      html,
    );
  const match = pair('$collapsedSize') ?? pair('$size');
  return sizeOf(match?.[1], match?.[2]);
}

/** Bannersnack and similar exports: `bannerConfig = {"hash": …, "width": 300, "height": 250}`. */
function bannerConfiguration(text: string): Size | undefined {
  const begin =
    /\b(?:bannersnack_embed|banner_?(?:config|settings|data|options)?|creative_?(?:config|data))\s{0,20}[=:]\s{0,20}(?=\{)/i;
  return numbersIn(braced(text, begin));
}

/** GPT: `defineSlot` in a document with exactly one slot. */
function gptSlot(html: string): Size | undefined {
  const slots = [
    ...html.matchAll(/defineSlot\([^,]{1,500},\s{0,20}\[\s{0,20}(\d{1,6})\s{0,20},\s{0,20}(\d{1,6})\s{0,20}\]/g),
  ];
  return slots.length === 1 ? sizeOf(slots[0]?.[1], slots[0]?.[2]) : undefined;
}

/** How far from its beginning a call may have its size. */
const CALL_CHARACTERS = 2_000;

function numbersAfter(text: string, call: RegExp): Size | undefined {
  const at = text.search(call);
  return at < 0 ? undefined : numbersIn(text.slice(at, at + CALL_CHARACTERS));
}

/** @returns the first `width` and `height` of an object in JavaScript or JSON. */
function numbersIn(object = ''): Size | undefined {
  const number = (name: string) =>
    new RegExp(`(?<![\\w-])["']?${name}["']?\\s{0,20}:\\s{0,20}["']?(\\d{1,6}(?:\\.\\d{1,3})?)(?:px)?["']?(?![\\w%.])`);
  return sizeBy(object, number('width'), number('height'));
}

/** @returns the width and height of a style in pixels. */
export function styleSize(style: string): Size | undefined {
  return sizeBy(style, /(?:^|[;\s])width\s*:\s*([\d.]+)px/i, /(?:^|[;\s])height\s*:\s*([\d.]+)px/i);
}

/** @returns the size whose sides are the first groups of these patterns. */
export function sizeBy(text: string, width: RegExp, height: RegExp): Size | undefined {
  return sizeOf(width.exec(text)?.[1], height.exec(text)?.[1]);
}

/** @returns the size if both texts are numbers above 0, with or without `px`. */
export function sizeOf(width: string | undefined, height: string | undefined): Size | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/;
  const [w = 0, h = 0] = [width, height].map((text) => Number(digits.exec(text ?? '')?.[1]) || 0);
  return w > 0 && h > 0 ? { width: w, height: h } : undefined;
}
