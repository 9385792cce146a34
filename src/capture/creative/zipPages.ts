import { posix } from 'node:path';
import { isNear } from '../../domain/adSizes.ts';
import { CreativeError, type Size } from './creative.ts';
import { documentSize } from './declaredSize.ts';
import { braced, decodeText, withoutComments } from './markup.ts';
import { sizesInName } from './sizeClaims.ts';
import { styleSize } from './toolSize.ts';

/** Files of a zip by path. */
export type ZipFiles = ReadonlyMap<string, Buffer>;

/** The facts that choose between several pages. */
export interface PageChoice {
  /** The size that the client gave. */
  readonly size?: Size | undefined;
  /** The name of the zip file. */
  readonly zipName?: string | undefined;
}

/** A zip with more pages is not an ad. The limit bounds the time for a hostile zip. */
const MAX_PAGES = 50;

interface SizedPage {
  readonly path: string;
  readonly size: Size | undefined;
}

/** Pages that are not the ad. */
const HELPER =
  /(?:^|[-_ .])(?:preview|overview|backup|fallback|click(?:[-_ ]?(?:through|tag))?|clickthrough|landing(?:page)?|readme|info|thumbs?|test|expanded|static)(?=[-_ .]|$)/i;

/**
 * Finds the page of a creative: the page that a manifest names, else `index.html` nearest to the root, else the only other page.
 * @throws CreativeError for a zip without a page, or with several pages if nothing says which one to show.
 */
export function findPage(files: ZipFiles, choice: PageChoice = {}): string {
  const pages = [...files.keys()]
    .filter((name) => /\.x?html?$/i.test(name))
    .toSorted(byDepth)
    .slice(0, MAX_PAGES);
  const named = manifestPage(files);
  if (named !== undefined) return named;
  const candidates = adPages(pages, files);
  const [only, other] = candidates;
  if (only === undefined) throw withoutPage(files);
  return other === undefined
    ? only
    : chosenPage(
        candidates.map((path) => ({ path, size: pageSize(path, files) })),
        choice,
      );
}

/** @returns the candidates. A single `index.html` nearest to the root excludes all others. */
function adPages(pages: readonly string[], files: ZipFiles): string[] {
  const indexes = pages.filter((name) => /(?:^|\/)index\.x?html?$/i.test(name));
  const [index] = indexes;
  if (index !== undefined) {
    const nearest = indexes.filter((name) => depth(name) === depth(index));
    const below = pages.filter((name) => !nearest.includes(name));
    if (nearest.length > 1) return onePerFolder(nearest);
    return isOverview(index, below, files) ? adPages(below, files) : [index];
  }
  const ads = pages.filter((name) => !HELPER.test(nameOf(name)));
  const remaining = ads.length > 0 ? ads : [...pages];
  const included = remaining.filter((name) =>
    remaining.some((other) => other !== name && refersTo(other, name, files)),
  );
  const roots = remaining.filter((name) => !included.includes(name));
  const [first] = roots;
  if (first !== undefined && roots.length === 1) return isOverview(first, included, files) ? included : [first];
  return roots.length > 0 ? roots : remaining;
}

/** `index.html` and `index.htm` in one folder are one creative. */
function onePerFolder(indexes: readonly string[]): string[] {
  return [...new Map(indexes.toReversed().map((name) => [posix.dirname(name), name])).values()].toReversed();
}

/** A page that shows several others, and has no size, lists the ads of a campaign. */
function isOverview(page: string, others: readonly string[], files: ZipFiles): boolean {
  const shown = others.filter((other) => refersTo(page, other, files));
  const sizes = new Set(shown.map((other) => JSON.stringify(pageSize(other, files))));
  return shown.length > 1 && sizes.size > 1 && documentSize(textOf(page, files)) === undefined;
}

function refersTo(page: string, other: string, files: ZipFiles): boolean {
  const relative = posix.relative(posix.dirname(page), other);
  const text = textOf(page, files);
  return [relative, encodeURI(relative)].some((name) => new RegExp(`["'=/]${escaped(name)}["'?#\\s>]`).test(text));
}

/** @returns the page that a manifest of an ad server names. */
function manifestPage(files: ZipFiles): string | undefined {
  for (const [path, content] of files) {
    const key = MANIFESTS.find(([name]) => name.test(path))?.[1];
    const name = key && new RegExp(key).exec(content.subarray(0, 100_000).toString('utf8'))?.[1];
    const page = name && posix.join(posix.dirname(path), name.normalize('NFC'));
    if (page && files.has(page)) return page;
  }
  return undefined;
}

/** Manifests, and how each names its page. */
const MANIFESTS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)manifest\.json$/i, '"source"\\s{0,9}:\\s{0,9}"([^"?#]{1,300}\\.x?html?)"'],
  [/(?:^|\/)manifest\.js$/i, '["\']?filename["\']?\\s{0,9}:\\s{0,9}["\']([^"\'?#]{1,300}\\.x?html?)["\']'],
  [/(?:^|\/)config\.xml$/i, '\\bdata="([^"?#]{1,300}\\.x?html?)"'],
];

function chosenPage(pages: readonly SizedPage[], { size, zipName = '' }: PageChoice): string {
  const [first] = pages;
  const fitting = size && pages.filter((page) => page.size !== undefined && isNear(page.size, size));
  if (fitting?.[0] !== undefined) return fitting[0].path;
  if (size === undefined) {
    const sized = pages.filter((page) => page.size !== undefined);
    if (sized.length === 1 && sized[0] !== undefined) return sized[0].path;
    const inName = sizesInName(zipName);
    const named = sized.filter((page) => inName.some((one) => page.size !== undefined && isNear(page.size, one)));
    if (named.length === 1 && named[0] !== undefined) return named[0].path;
  }
  throw severalPages(pages, size, first);
}

/** Contents of zips without a page: the files, their description, and the advice. */
const OTHER_CONTENTS: readonly (readonly [RegExp, string, string])[] = [
  [/\.zip$/i, 'other zips', 'Send one of them.'],
  [/\.swf$/i, 'a Flash file, which no browser plays', 'Send an HTML5 zip, an image or a video.'],
  [/\.(?:fla|psd|ai|aep|indd|sketch|fig|xd|hype)$/i, 'the files of a design program', 'Send the HTML5 export.'],
  [/\.(?:mp4|webm|mov|m4v)$/i, 'videos', 'Send one of them by itself.'],
  [/\.(?:png|jpe?g|gif|webp|avif|svg)$/i, 'images', 'Send one of them by itself, or add an index.html.'],
];

function withoutPage(files: ZipFiles): CreativeError {
  const names = [...files.keys()];
  const found = OTHER_CONTENTS.find(([pattern]) => names.some((name) => pattern.test(name)));
  const examples = names.filter((name) => found?.[0].test(name)).slice(0, 3);
  const holds = found === undefined ? '' : ` It holds ${found[1]} (${examples.join(', ')}). ${found[2]}`;
  return new CreativeError(`The zip holds no HTML page; an HTML5 creative needs an index.html.${holds}`);
}

function severalPages(
  pages: readonly SizedPage[],
  size: Size | undefined,
  first: SizedPage | undefined,
): CreativeError {
  const list = pages.slice(0, 20).map((page) => `${page.path} (${page.size ? sizeText(page.size) : 'size unknown'})`);
  const count = pages.length === 2 ? 'two' : String(pages.length);
  const example = sizeText(pages.find((page) => page.size !== undefined)?.size ?? { width: 300, height: 250 });
  const advice =
    pages.some((page) => page.size !== undefined) && first !== undefined
      ? `Choose one with its size, for example ad.size ${example} (--ad-size ${example} of shoot), or send a zip with one page.`
      : 'Send a zip with one page, or name the page of the ad index.html.';
  const given = size === undefined ? '' : ` None of them has the requested size ${sizeText(size)}.`;
  return new CreativeError(`The zip holds ${count} pages: ${list.join(', ')}.${given} ${advice}`);
}

/** @returns the size of a page as far as its files say it: its meta element or tool, its names, its only CSS box. */
function pageSize(path: string, files: ZipFiles): Size | undefined {
  const text = withoutComments(textOf(path, files));
  const [inName] = [nameOf(path), ...posix.dirname(path).split('/').toReversed()].flatMap(sizesInName);
  return documentSize(text) ?? inName ?? cssSize(text);
}

/** @returns the size of the first rule that hides its overflow. */
function cssSize(html: string): Size | undefined {
  const rule = braced(html.slice(0, 100_000), /[#.][\w-]{1,100}\s{0,9}(?=\{[^}]{0,2000}overflow\s{0,9}:\s{0,9}hidden)/);
  return rule === undefined ? undefined : styleSize(rule);
}

function textOf(path: string, files: ZipFiles): string {
  return decodeText(files.get(path)?.subarray(0, 1_000_000));
}

function byDepth(a: string, b: string): number {
  return depth(a) - depth(b) || (a < b ? -1 : 1);
}

function depth(name: string): number {
  return name.split('/').length;
}

function nameOf(path: string): string {
  return posix.basename(path, posix.extname(path));
}

function sizeText({ width, height }: Size): string {
  return `${width}x${height}`;
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
