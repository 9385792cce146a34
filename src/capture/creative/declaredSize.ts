import { posix } from 'node:path';
import { standardSizeNear } from '../../domain/adSizes.ts';
import type { Size, ZipSite } from './creative.ts';
import { attribute, decodeText, svgSize, tagsIn, without, withoutComments } from './markup.ts';
import { nameClaims, type SizeClaim, type SizeClaims } from './sizeClaims.ts';
import { sizeBy, sizeOf, styleSize, toolSize } from './toolSize.ts';

/** Files in which a tool writes the size. */
const TEXT_FILES = /\.(?:x?html?|js|json|xml)$/i;
/** A larger script is a library. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Documents declare their size near the beginning. The limit bounds the time that a hostile document takes. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

const TAG_DECLARATIONS: readonly ((html: string) => Size | undefined)[] = [
  adSizeMeta,
  dataAttributes,
  elementAttributes,
  inlineStyle,
  addressParameter,
];

/** @returns the sizes that an HTML document declares itself: first its `ad.size`, then what its tool wrote. */
export function documentClaims(html: string): SizeClaim[] {
  return claimsOfFiles(html, [['index.html', html]]);
}

/**
 * @param page the HTML of the page.
 * @param files the page, and the other files in which a tool may have written the size.
 */
function claimsOfFiles(page: string, files: Iterable<readonly [path: string, text: string]>): SizeClaim[] {
  const meta = adSizeMeta(readable(page));
  const tool = toolSize([...files].map(([path, text]) => [path, readableFile(path, text)]));
  return [...(meta === undefined ? [] : [{ size: meta, from: 'the ad.size meta element' }]), ...(tool ? [tool] : [])];
}

/** @returns the size that an HTML document declares, in CSS pixels. */
export function documentSize(html: string): Size | undefined {
  return documentClaims(html)[0]?.size;
}

/** @returns sizes that suggest the proportions of an ad which fills any frame. */
function documentHints(html: string): SizeClaim[] {
  const plain = readable(html);
  const hints: SizeClaim[] = [];
  const drawings = [...tagsIn(plain, ['svg'])];
  const box = drawings.length === 1 ? drawingSize(drawings[0]?.text ?? '') : undefined;
  if (box !== undefined) hints.push({ size: box, from: 'the view box of its drawing' });
  const orientation = metaContent(plain, 'ad.orientation')?.toLowerCase().trim();
  if (orientation === 'portrait') hints.push({ size: { width: 320, height: 480 }, from: 'ad.orientation' });
  if (orientation === 'landscape') hints.push({ size: { width: 480, height: 320 }, from: 'ad.orientation' });
  return hints;
}

function drawingSize(svg: string): Size | undefined {
  const box = attribute(svg, 'viewBox') === undefined ? undefined : svgSize(svg);
  return box && standardSizeNear(box);
}

/** @returns the size of a Lottie animation, if the file is one. */
export function lottieSize(text: string): Size | undefined {
  const head = text.slice(0, 5_000);
  if (!/"fr"\s{0,5}:/.test(head) || !text.includes('"layers"')) return undefined;
  return sizeBy(head, /"w"\s{0,5}:\s{0,5}(\d{1,5})/, /"h"\s{0,5}:\s{0,5}(\d{1,5})/);
}

/** @returns true if the creative declares that it expands beyond its size. */
function declaresExpansion(text: string): boolean {
  return /\bEnabler\.setExpandingPixelOffsets\s{0,5}\(|\bEB\.initExpansionParams\s{0,5}\(|\bFT\.manifest\s{0,5}\([^)]{0,2000}\bexpand\b/.test(
    text,
  );
}

/** @returns the size that a tag declares in its attributes or URLs, in CSS pixels. */
export function tagSize(tag: string): Size | undefined {
  const plain = readable(tag);
  if (/<html\b/i.test(plain)) return documentSize(tag);
  for (const declaredIn of TAG_DECLARATIONS) {
    const size = declaredIn(plain);
    if (size !== undefined) return size;
  }
  return undefined;
}

function readable(html: string): string {
  return withoutComments(html.slice(0, MAX_CHARACTERS));
}

/** Some tools write the size into a comment of the page, and comments hold examples that do not apply. */
function readableFile(path: string, text: string): string {
  const comments = text.slice(0, MAX_CHARACTERS).match(/SCR(?:WIDTH|HEIGHT):\s{0,20}\d{1,6}/g) ?? [];
  return /html?$/i.test(path) ? readable(text) + comments.join('\n') : text.slice(0, MAX_CHARACTERS);
}

function metaContent(html: string, name: string): string | undefined {
  const meta = [...tagsIn(html, ['meta'])].find(({ text }) => attribute(text, 'name')?.trim().toLowerCase() === name);
  return meta && (attribute(meta.text, 'content') ?? '');
}

/** Written as `width=300,height=250`, also with units, other separators or as `300x250`. */
function adSizeMeta(html: string): Size | undefined {
  const content = metaContent(html, 'ad.size')?.slice(0, 200);
  if (content === undefined) return undefined;
  const named = sizeBy(content, /width\D{0,4}(\d{1,6})/i, /height\D{0,4}(\d{1,6})/i);
  if (named !== undefined) return named;
  const pair = /(\d{1,6})(?:px)?\s{0,9}[x×*,;]\s{0,9}(\d{1,6})/i.exec(content);
  return sizeOf(pair?.[1], pair?.[2]);
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

/** @param names names that may say the size, the most important first. */
export function pageClaims(html: string, names: readonly string[] = []): SizeClaims {
  return {
    declared: documentClaims(html),
    hints: [...nameClaims(names), ...documentHints(html)],
    expands: declaresExpansion(html),
  };
}

/** @returns the sizes that the files and the names of a zip claim. */
export function zipClaims({ files, index }: ZipSite, names: readonly string[]): SizeClaims {
  const page = decodeText(files.get(index));
  const texts = textsOf(files, index);
  const folders = posix.dirname(index).split('/').toReversed();
  const hints = nameClaims(
    [...names, ...folders, posix.basename(index)].filter((name) => name !== '.'),
    [...files.keys()].filter((name) => isBeside(name, index)).map((name) => posix.basename(name)),
  );
  return {
    declared: claimsOfFiles(page, texts),
    hints: [...hints, ...documentHints(page), ...lottieHints(texts)],
    expands: texts.some(([, text]) => declaresExpansion(text)),
  };
}

/** The page first, then the texts in its folder and above. The folders of other pages may hold other sizes. */
function textsOf(files: ZipSite['files'], index: string): [path: string, text: string][] {
  const paths = [...files.keys()].filter((path) => TEXT_FILES.test(path) && path !== index && isBeside(path, index));
  const small = paths.filter((path) => (files.get(path)?.length ?? 0) <= MAX_BYTES);
  return [index, ...small].map((path) => [path, decodeText(files.get(path))]);
}

function isBeside(path: string, index: string): boolean {
  const [folder, home] = [posix.dirname(path), posix.dirname(index)];
  return home === '.' || folder === '.' || `${folder}/`.startsWith(`${home}/`) || `${home}/`.startsWith(`${folder}/`);
}

function lottieHints(texts: readonly (readonly [path: string, text: string])[]): SizeClaim[] {
  const sizes = texts.map(([path, text]) => (/\.js(?:on)?$/i.test(path) ? lottieSize(text) : undefined));
  const [size] = sizes.filter((one) => one !== undefined);
  return size === undefined ? [] : [{ size, from: 'the Lottie animation' }];
}
