/** Recognizes ad slots by the classes, ids and attributes of an element. */
import type { PositionRow, SlotTable } from '../slotTable.ts';
import type { PagePart } from './script.ts';

/** `perhaps`: only with the size of an ad; `position`: the name of a position without an ad word. */
export type NameStrength = 'ad' | 'perhaps' | 'position' | 'none';

export interface NameContext {
  words: Record<keyof SlotTable['words'], Set<string>>;
  /** By id and classes, because many elements have the same ones. */
  strengths: Map<string, NameStrength>;
}

/** `adSlot-top article_ad2` → ad, slot, top, article, ad. */
function wordsIn(text: string): string[] {
  return text
    .slice(0, 400)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .normalize('NFC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);
}

/** Custom elements have a name of their own, such as `ad-banner`. */
function namesOf(element: Element): string {
  const tag = element.tagName.includes('-') ? ` ${element.tagName.toLowerCase()}` : '';
  return `${element.getAttribute('class') ?? ''} ${element.id}${tag}`;
}

function isAdWord(words: Set<string>, word: string): boolean {
  return (
    words.has(word) ||
    words.has(word.replace(/\d+$/, '')) ||
    /^(ads?(banner|billboard|box|cont|desktop|footer|full|header|inline|leader|left|mobile|mpu|place|rect|right|side|sky|slot|space|unit|wrap|zone)|publicid|pubblicit|reklam|werb(e|ung)|advert(s|is))/.test(
      word,
    )
  );
}

function strengthOfWords(context: NameContext, names: string): NameStrength {
  const { words } = context;
  const used = wordsIn(names);
  if (used.some((word) => words.never.has(word))) return 'none';
  if (used.some((word) => isAdWord(words.ad, word))) return 'ad';
  if (used.some((word) => words.position.has(word))) return 'position';
  if (used.some((word) => words.notAlone.has(word))) return 'none';
  return used.some((word) => words.perhaps.has(word)) ? 'perhaps' : 'none';
}

function nameStrength(context: NameContext, element: Element): NameStrength {
  // Numbers do not matter, and lists number their elements.
  const names = namesOf(element).replace(/\d+/g, '0');
  if (names === ' ') return 'none';
  const known = context.strengths.get(names);
  if (known !== undefined) return known;
  const strength = strengthOfWords(context, names);
  context.strengths.set(names, strength);
  return strength;
}

function hasAdAttribute(element: Element): boolean {
  const names =
    'data-google-query-id data-ad-slot data-ad-unit data-ad-client data-ad-sizes data-ad-size data-adunit data-ad-unit-path data-ad-id data-dfp data-dfp-sizes data-gpt data-freestar-ad data-ad data-ad-position';
  if (names.split(' ').some((name) => element.hasAttribute(name))) return true;
  return /^(div-)?gpt-(ad|unit)|^google_ads_|^aswift_|^dfp[-_]|^ad[-_]?slot|^adngin-|^fs-slot/i.test(element.id);
}

/** Classes, data attributes and id in lower case, joined with hyphens. The id comes last. */
function slotName(element: Element): string {
  const attributes = [...element.attributes]
    .filter(({ name, value }) => (name.startsWith('data-') || name === 'name' || name === 'unit') && value.length < 80)
    .map(({ name, value }) => `${name} ${value}`);
  return wordsIn([element.getAttribute('class') ?? '', ...attributes, element.id].join(' ').slice(-400)).join('-');
}

function positionOf(positions: readonly PositionRow[], name: string): PositionRow | undefined {
  return positions.find(({ pattern }) => new RegExp(pattern).test(name));
}

/** For which device the names say that the element is; undefined if they name none or several. */
function deviceOf(element: Element): 'phone' | 'desktop' | 'tablet' | undefined {
  const words = wordsIn(`${namesOf(element)} ${element.parentElement ? namesOf(element.parentElement) : ''}`);
  const names = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const found = [
    names(/^(mobile|mobi|mob|phone|smartphone|msite)\d*$/) ? ('phone' as const) : undefined,
    names(/^(desktop|desk|dsk)\d*$/) ? ('desktop' as const) : undefined,
    names(/^(tablet|tab)\d*$/) ? ('tablet' as const) : undefined,
  ].filter((device) => device !== undefined);
  const hides = words.includes('hidden') || words.includes('hide');
  return found.length === 1 && !hides ? found[0] : undefined;
}

export const AD_NAMES = {
  wordsIn,
  namesOf,
  isAdWord,
  strengthOfWords,
  nameStrength,
  hasAdAttribute,
  slotName,
  positionOf,
  deviceOf,
} satisfies PagePart;
