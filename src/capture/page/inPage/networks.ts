/** Finds the markup of known ad networks and plug-ins, and linked images that are ads. */
import type { NetworkRow, SlotTable } from '../slotTable.ts';
import { AD_NAMES } from './adNames.ts';
import { AD_SCRIPTS_IN_PAGE } from './adScripts.ts';
import { RECT } from './rect.ts';
import { SCRIPT_SIZES } from './scriptSizes.ts';
import { SLOT_CONTENT } from './slotContent.ts';
import type { NetworkMatch, SlotContext } from './slotContext.ts';
import type { SLOT_SIZES } from './slotSizes.ts';

declare const contentOf: typeof SLOT_CONTENT.contentOf;
declare const inlineScripts: typeof SCRIPT_SIZES.inlineScripts;
declare const isStandardSize: typeof SLOT_SIZES.isStandardSize;
declare const nameSizes: typeof SLOT_SIZES.nameSizes;
declare const nameStrength: typeof AD_NAMES.nameStrength;
declare const pairsIn: typeof SLOT_SIZES.pairsIn;
declare const plainText: typeof SLOT_CONTENT.plainText;
declare const placeBefore: typeof AD_SCRIPTS_IN_PAGE.placeBefore;
declare const rectOf: typeof RECT.rectOf;
declare const scriptSlots: typeof AD_SCRIPTS_IN_PAGE.scriptSlots;
declare const sizeInAttributePair: typeof SLOT_SIZES.sizeInAttributePair;
declare const sizeKeys: typeof SLOT_SIZES.sizeKeys;

function newContext(table: SlotTable, declared: SlotContext['declared']): SlotContext {
  const words = Object.fromEntries(
    Object.entries(table.words).map(([kind, list]) => [kind, new Set(list.split(' '))]),
  ) as SlotContext['words'];
  const language = document.documentElement.lang.slice(0, 2).toLowerCase();
  for (const word of (table.adWordsOf[language] ?? '').split(' ').filter(Boolean)) words.position.add(word);
  return {
    table,
    declared,
    words,
    strengths: new Map(),
    labels: new RegExp(`^\\(?(${table.labels})\\)?( \\(?(${table.labels})\\)?)*$`),
    sizeKeys: sizeKeys(pairsIn(table.standardSizes)),
    scripts: inlineScripts(),
    networks: new Map(),
    images: new Map(),
    isPhone: innerWidth < 700,
    hiding: undefined,
  };
}

/** The most specific name in a selector: a class, an id, an attribute or a tag. */
function keyOfSelector(selector: string): string {
  const last =
    selector
      .replace(/:(not|has)\([^)]*\)+| i(?=\])/g, '')
      .replace(/\[(?!id|class)([\w-]+)[^\]]*\]/g, '[$1]')
      .split(/\s*[>+\s]\s*/)
      .at(-1) ?? '';
  const longest = (pattern: RegExp) =>
    [...last.matchAll(pattern)]
      .map(([, one, two]) => one ?? two ?? '')
      .toSorted((one, two) => two.length - one.length)[0];
  const name = longest(/\[(?:id|class)[*^$]?="([^"]+)"|[.#]([\w-]+)/g);
  return plainKey(name ?? longest(/\[([\w-]+)/g) ?? /^[a-z][\w-]*/i.exec(last)?.[0] ?? '');
}

/** Numbers do not matter, and lists number their elements. */
function plainKey(text: string): string {
  return text.toLowerCase().replace(/\d+/g, '0');
}

/**
 * Adds the elements of the networks to the context. Asking the browser to match 250 selectors takes long on a large page, so only
 * elements are matched that have a name from the selectors. Most elements share their names with others.
 */
function findNetworks(context: SlotContext, elements: readonly Element[]): void {
  const { networks } = context.table;
  const selectors = networks.flatMap((row) => row.selectors);
  const keys = new RegExp([...new Set(selectors.map(keyOfSelector))].map((key) => key.trim()).join('|'));
  const joined = networks.map((row) => ({ row, selector: row.selectors.join(',') }));
  const printing = networks.filter(({ inlineScript }) => inlineScript !== undefined);
  const named = new Map<string, boolean>();
  for (const element of elements) {
    const names = plainKey(
      `${element.tagName} ${element.id} ${element.getAttribute('class') ?? ''} ${element.getAttributeNames()}`,
    );
    const known = named.get(names) ?? keys.test(names);
    named.set(names, known);
    if (!known) continue;
    for (const { row, selector } of joined)
      if (selector !== '' && element.matches(selector)) addMatch(context, { row, origin: element });
  }
  // After the elements, because a script that printed one needs no other place.
  for (const element of elements) if (element.tagName === 'SCRIPT') addPrinting(context, element, printing);
  const known = new Set([...context.networks.values()].flatMap((matches) => matches.map(({ origin }) => origin)));
  for (const { row, element, name } of scriptSlots(context, elements))
    if (!known.has(element))
      addMatch(context, name === undefined ? { row, origin: element } : { row, origin: element, name });
}

/** An old tag is only a script, which prints the ad where it stands. */
function addPrinting(context: SlotContext, script: Element, printing: readonly NetworkRow[]): void {
  const code = `${script.getAttribute('src') ?? ''} ${script.textContent ?? ''}`.slice(0, 5_000);
  const row =
    script.closest('body') === null ? undefined : printing.find(({ inlineScript = '' }) => code.includes(inlineScript));
  if (row === undefined) return;
  const before = script.previousElementSibling;
  // The script may name the empty element right before it.
  const isNamed =
    before !== null &&
    before.childElementCount === 0 &&
    [before.id, ...before.classList].some(
      (name) => name.length > 2 && new RegExp(`['"]${CSS.escape(name)}['"]`).test(code),
    );
  addMatch(context, { row, origin: isNamed ? before : script });
}

function addMatch(context: SlotContext, match: NetworkMatch): void {
  const { row, origin } = match;
  const element = row.kind === 'display' ? elementWithBox(context, origin) : origin;
  if (element === undefined) return;
  const matches = context.networks.get(element) ?? [];
  matches.push(match);
  context.networks.set(element, matches);
}

/** The nearest element that can hold an ad: not a script or an empty inline element, if what is around it holds only the ad. */
function elementWithBox(context: SlotContext, origin: Element): Element | undefined {
  let at = origin;
  while (at.tagName === 'SCRIPT' || (getComputedStyle(at).display === 'inline' && rectOf(at).width < 10)) {
    const parent = at.parentElement;
    const content =
      parent === null || /^(BODY|HTML|HEAD)$/.test(parent.tagName) ? 'content' : contentOf(context.labels, parent);
    if (parent === null || content === 'content' || content === 'text') break;
    at = parent;
  }
  if (at.tagName !== 'SCRIPT') return at;
  const isPrinted = [at.nextElementSibling, at.previousElementSibling].some(
    (one) => one !== null && context.networks.has(one),
  );
  return isPrinted ? undefined : placeBefore(at);
}

/** Adds links that hold nothing but the image of an ad. */
function findLinkedImages(context: SlotContext, root: Document | ShadowRoot): void {
  for (const image of [...root.querySelectorAll('a[href] img')].slice(0, 600)) {
    const link = image.closest('a');
    const size = link === null ? undefined : imageSize(context, image);
    if (link === null || size === undefined || !isAdLink(context, link, { image, size })) continue;
    if (link.querySelectorAll('img').length === 1 && plainText(link, 20) === '')
      context.images.set(link, { image, size });
  }
}

/** The standard size of the image: on the screen, or of its attributes if it did not load. */
function imageSize(context: SlotContext, image: Element): [number, number] | undefined {
  const { width, height } = rectOf(image);
  const size: [number, number] = [Math.round(width), Math.round(height)];
  const given = sizeInAttributePair(image)[0];
  const isLoaded = image instanceof HTMLImageElement && image.naturalWidth > 1;
  const chosen = isLoaded || given === undefined ? size : given;
  return isStandardSize(context.sizeKeys, ...chosen) ? chosen : undefined;
}

/** Photographs have standard sizes too, so the link, the file or the surroundings must speak for an ad. */
function isAdLink(
  context: SlotContext,
  link: HTMLAnchorElement,
  { image, size: [width, height] }: { image: Element; size: [number, number] },
): boolean {
  if (/\bsponsored\b/.test(link.rel)) return true;
  const source = image.getAttribute('src')?.slice(0, 300) ?? '';
  const isElsewhere =
    /^https?:$/.test(link.protocol) && link.hostname.replace(/^www\./, '') !== location.hostname.replace(/^www\./, '');
  const isBannerShape =
    width / height >= 3 || width / height <= 0.6 || /^(300x250|336x280|250x250|970x250)$/.test(`${width}x${height}`);
  if (isElsewhere && (isBannerShape || /\bnofollow\b/.test(link.rel))) return true;
  const speaksOfAds =
    /(^|[^a-z])(ads?|banners?|sponsor|skyscraper|leaderboard|tower|reklam[ae]?|werbung|publicid|anuncio|affil\w*|adclick|aclk)([^a-z]|$)|utm_medium=(banner|display|cpc)/i;
  if (
    isBannerShape &&
    (speaksOfAds.test(source) || speaksOfAds.test(link.href) || nameSizes(context.sizeKeys, source).length > 0)
  )
    return true;
  let at = link.parentElement;
  for (let level = 0; at && level < 4; level++, at = at.parentElement)
    if (context.networks.has(at) || nameStrength(context, at) === 'ad') return true;
  return false;
}

export const NETWORKS_IN_PAGE = {
  ...RECT,
  ...AD_NAMES,
  ...SLOT_CONTENT,
  ...SCRIPT_SIZES,
  ...AD_SCRIPTS_IN_PAGE,
  newContext,
  keyOfSelector,
  plainKey,
  findNetworks,
  addPrinting,
  addMatch,
  elementWithBox,
  findLinkedImages,
  imageSize,
  isAdLink,
};
