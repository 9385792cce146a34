/** Finds the markup of known ad networks and plug-ins, and linked images that are ads. */
import { type NetworkRow, SLOT_TABLE as table } from '../slotTable.ts';
import { isClobbered, parentElementOf } from './clobbering.ts';
import {
  contentOf,
  type NetworkMatch,
  nameStrength,
  namesOf,
  plainText,
  positionOf,
  type SlotContext,
  siteHost,
  wordsIn,
} from './slotContext.ts';
import {
  commentsOf,
  inlineScripts,
  isStandardSize,
  nameSizes,
  pairsIn,
  sizeInAttributePair,
  sizeKeys,
  sizesFromText,
  sizesInScripts,
} from './slotSizes.ts';
import { rectOf } from './visibility.ts';

/** For a slot that the script of a network shows which no row names. */
const BY_SCRIPT: NetworkRow = {};

export function newContext(declared: SlotContext['declared']): SlotContext {
  const words = Object.fromEntries(
    Object.entries(table.words).map(([kind, list]) => [kind, new Set(list.split(' '))]),
  ) as SlotContext['words'];
  const language = document.documentElement.lang.slice(0, 2).toLowerCase() || siteHost().split('.').at(-1);
  for (const [codes, list] of Object.entries(table.adWordsOf))
    if (codes.split(' ').includes(language ?? '')) for (const word of list.split(' ')) words.position.add(word);
  return {
    table,
    declared,
    words,
    strengths: new Map(),
    sizeKeys: sizeKeys(pairsIn(table.standardSizes)),
    scripts: inlineScripts(),
    networks: new Map(),
    images: new Map(),
    isPhone: innerWidth < 700,
    headline: undefined,
    footer: undefined,
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
export function findNetworks(context: SlotContext, elements: readonly Element[]): void {
  const networks = Object.values(context.table.networks);
  const selectors = networks.flatMap((row) => row.selectors?.split(',').map((one) => one.trim()) ?? []);
  const keys = new RegExp([...new Set(selectors.map(keyOfSelector))].map((key) => key.trim()).join('|'));
  const printing = networks.filter(({ inlineScript }) => inlineScript !== undefined);
  const named = new Map<string, boolean>();
  for (const element of elements) {
    const names = plainKey(
      `${element.tagName} ${element.id} ${element.getAttribute('class') ?? ''} ${element.getAttributeNames()}`,
    );
    const known = named.get(names) ?? keys.test(names);
    named.set(names, known);
    if (!known) continue;
    for (const row of networks)
      if (row.selectors && element.matches(row.selectors)) addMatch(context, { row, origin: element });
  }
  // After the elements, because a script that printed one needs no other place.
  for (const element of elements) if (element.tagName === 'SCRIPT') addPrinting(context, element, printing);
  const known = new Set([...context.networks.values()].flatMap((matches) => matches.map(({ origin }) => origin)));
  for (const match of scriptSlots(context, elements)) if (!known.has(match.origin)) addMatch(context, match);
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
    !isClobbered(before) &&
    before.childElementCount === 0 &&
    [before.id, ...before.classList].some(
      (name) => name.length > 2 && new RegExp(`['"]${CSS.escape(name)}['"]`).test(code),
    );
  addMatch(context, { row, origin: isNamed ? before : script });
}

function addMatch(context: SlotContext, match: NetworkMatch): void {
  const { row, origin } = match;
  const element = (row.kind ?? 'display') === 'display' ? elementWithBox(context, origin) : origin;
  if (element === undefined) return;
  const matches = context.networks.get(element) ?? [];
  matches.push(match);
  context.networks.set(element, matches);
}

/** The nearest element that can hold an ad: not a script or an empty inline element, if what is around it holds only the ad. */
function elementWithBox(context: SlotContext, origin: Element): Element | undefined {
  let at = origin;
  while (at.tagName === 'SCRIPT' || (getComputedStyle(at).display === 'inline' && rectOf(at).width < 10)) {
    const parent = parentElementOf(at);
    const content = parent === null || /^(BODY|HTML|HEAD)$/.test(parent.tagName) ? 'content' : contentOf(parent);
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
export function findLinkedImages(context: SlotContext, root: Document | ShadowRoot): void {
  for (const image of [...root.querySelectorAll('a[href] img')].slice(0, 600)) {
    const link = image.closest('a');
    const size = link === null ? undefined : imageSize(context, image);
    if (link === null || size === undefined || !isAdLink(context, link, { image, size })) continue;
    if (link.querySelectorAll('img').length === 1 && plainText(link, 20) === '')
      context.images.set(link, { image, size });
  }
}

/** The standard size of the image: on the screen, or of its attributes or its file's name if it did not load. */
function imageSize(context: SlotContext, image: Element): [number, number] | undefined {
  const { width, height } = rectOf(image);
  const size: [number, number] = [Math.round(width), Math.round(height)];
  const given = sizeInAttributePair(image)[0] ?? nameSizes(context.sizeKeys, image.getAttribute('src') ?? '')[0];
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
  if (wordsIn(namesOf(link)).some((word) => word.startsWith('logo'))) return false;
  const source = image.getAttribute('src')?.slice(0, 300) ?? '';
  const [linked = '', ...site] = [link.hostname, location.hostname, siteHost()].map((host) =>
    host.replace(/^www\./, ''),
  );
  const isElsewhere = /^https?:$/.test(link.protocol) && !site.includes(linked);
  const isBannerShape =
    width / height >= 3 || width / height <= 0.6 || /^(300x250|336x280|250x250|970x250)$/.test(`${width}x${height}`);
  if (isElsewhere && (isBannerShape || /\bnofollow\b/.test(link.rel))) return true;
  const speaksOfAds =
    /(^|[^a-z])(ads?|banners?|sponsor|skyscraper|leaderboard|tower|reklam[ae]?|werbung|publicid|anuncio|affil\w*|adclick|aclk|advertise|mediadaten|media-?kit)([^a-z]|$)|utm_medium=(banner|display|cpc)/i;
  const invites =
    /\b(your|place|book) (an )?(ad|banner|advert)|advertise (here|with)|ad here|hier werben|ihre (werbung|anzeige)/i;
  if (isBannerShape && invites.test(image.getAttribute('alt') ?? '')) return true;
  if (
    isBannerShape &&
    (speaksOfAds.test(source) || speaksOfAds.test(link.href) || nameSizes(context.sizeKeys, source).length > 0)
  )
    return true;
  let at = parentElementOf(link);
  for (let level = 0; at && level < 4; level++, at = parentElementOf(at))
    if (context.networks.has(at) || nameStrength(context, at) === 'ad') return true;
  return false;
}

/** Finds slots by the scripts of ad servers that no row of the table names. */
function scriptSlots(context: SlotContext, elements: readonly Element[]): NetworkMatch[] {
  const printed = elements.filter((one) => one instanceof HTMLScriptElement && printsAd(context, one));
  return [...namedSlots(context, elements), ...printed.map((origin) => ({ row: BY_SCRIPT, origin }))];
}

/** Empty elements that an ad script names and gives the size of an ad, or that have such a script inside or right behind them. */
function namedSlots(context: SlotContext, elements: readonly Element[]): NetworkMatch[] {
  const ad = new RegExp(context.table.adScripts.code, 'i');
  const scripts = context.scripts.filter((code) => ad.test(apart(code)));
  const quoted = new Set(
    scripts.flatMap((code) => [...code.matchAll(/['"`][.#]?([\w-]{3,80})['"`]/g)].map(([, name = '']) => name)),
  );
  if (quoted.size === 0) return [];
  return elements.flatMap((element) => {
    const name = [element.id, ...element.classList].find((one) => quoted.has(one));
    if (name === undefined || context.declared.has(element.id)) return [];
    if (isOtherWidget(context, name) || !isEmptyBlock(element)) return [];
    const sizes = sizesInScripts(context.sizeKeys, scripts, name).filter((size) => isAdShape(context, size));
    const isKnown = sizes.length > 0 || isShownByOwnScript(element, name, ad) || namesPosition(context, scripts, name);
    return isKnown ? [{ row: BY_SCRIPT, origin: element, name }] : [];
  });
}

/** Units of a header bidder whose code is no id: the elements that the page's scripts render the winning ads into take them. */
export function adoptUnits(context: SlotContext): void {
  const units = [...context.declared.values()].flat();
  const homeless = units.filter(
    ({ kind, id, outOfPage }) => kind === 'prebid' && !outOfPage && !document.getElementById(id),
  );
  if (homeless.length === 0) return;
  for (const code of context.scripts.filter((one) => /\brenderAd\s*\(/.test(one)))
    for (const [, id = ''] of code.matchAll(/getElementById\(\s*['"`]([\w-]{2,80})['"`]\s*\)/g)) {
      const element = document.getElementById(id);
      if (
        element !== null &&
        /^(DIV|SPAN|INS|SECTION|ASIDE|IFRAME)$/.test(element.tagName) &&
        !context.declared.has(id)
      )
        context.declared.set(id, homeless);
    }
}

/** `siteAds` → `site Ads`. */
function apart(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2');
}

/** Whether a script puts the element beside the name of an ad's position: `{ type: 'med_rect', selectorId: 'box' }`. */
function namesPosition({ table }: SlotContext, scripts: readonly string[], name: string): boolean {
  return scripts.some((code) =>
    [...code.matchAll(/\{([^{}]{5,300})\}/g)].some(([, group = '']) => {
      const strings = [...group.matchAll(/['"`]([\w .#-]{2,80})['"`]/g)].map(([, text = '']) => text);
      const others = strings.filter((text) => text.replace(/^[.#]/, '') !== name);
      return (
        others.length < strings.length &&
        others.some((text) => {
          const position = positionOf(table.positions, wordsIn(text).join('-'));
          return position !== undefined && (position.kind ?? 'display') === 'display';
        })
      );
    }),
  );
}

function isOtherWidget({ words }: SlotContext, name: string): boolean {
  const { never, widget, ad } = words;
  const used = wordsIn(name);
  return used.some((word) => never.has(word) || widget.has(word)) && !used.some((word) => ad.has(word));
}

function isEmptyBlock(element: Element): boolean {
  if (!/^(DIV|SPAN|INS|SECTION|ASIDE|CENTER|TD|P)$/.test(element.tagName)) return false;
  const content = contentOf(element);
  return (
    (content === 'nothing' || content === 'label') &&
    [...element.children].every((one) => /^(SCRIPT|NOSCRIPT|SPAN|DIV)$/.test(one.tagName))
  );
}

/** Players and charts have sizes too. */
function isAdShape({ sizeKeys }: SlotContext, [width, height]: readonly [number, number]): boolean {
  return (
    isStandardSize(sizeKeys, width, height) && !/^(640x360|640x480|400x300|480x300|320x240)$/.test(`${width}x${height}`)
  );
}

function isShownByOwnScript(element: Element, name: string, ad: RegExp): boolean {
  const own = [...element.querySelectorAll('script'), element.nextElementSibling];
  return own.some((one) => {
    const code = one instanceof HTMLScriptElement && one.src === '' ? (one.textContent ?? '') : '';
    return code.length < 3_000 && code.includes(name) && ad.test(apart(code));
  });
}

/** Whether the script prints one ad where it is written: its address or its comment says so. */
function printsAd(context: SlotContext, script: HTMLScriptElement): boolean {
  if (script.closest('body') === null || script.closest('noscript, svg') !== null) return false;
  const { source, comment } = context.table.adScripts;
  if (script.src !== '' && new RegExp(source, 'i').test(script.src)) return true;
  const isNamed = [...script.attributes].some(({ name }) => /^data-.*(slot|zone|ad-?unit|placement)/.test(name));
  if (script.src !== '' && isNamed) return true;
  const introduction = commentsOf(script);
  const hasSize = sizesFromText(introduction).some((size) => isAdShape(context, size));
  return hasSize && new RegExp(comment, 'i').test(introduction);
}

/** A new empty element in place of a script that prints between other content. It has no height until it gets an ad. */
function placeBefore(script: Element): Element | undefined {
  const parent = parentElementOf(script);
  if (parent === null || !/^(block|flow-root|table-cell|list-item)$/.test(getComputedStyle(parent).display))
    return undefined;
  const place = document.createElement('div');
  place.setAttribute('data-ad-place', '');
  script.before(place);
  return place;
}
