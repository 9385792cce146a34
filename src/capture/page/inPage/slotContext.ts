import { type NetworkRow, type PositionRow, SLOT_TABLE, type SlotTable } from '../slotTable.ts';
import { builtIn, parentElementOf } from './clobbering.ts';
import type { Declaration } from './declarations.ts';

/** `ad`: images, frames or ad elements; `text`: a short text; `content`: a part of the page. */
type SlotContent = 'nothing' | 'label' | 'ad' | 'text' | 'content';

/** `perhaps`: only with the size of an ad; `position`: the name of a position without an ad word. */
type NameStrength = 'ad' | 'perhaps' | 'position' | 'none';

interface NameContext {
  words: Record<keyof SlotTable['words'], Set<string>>;
  /** By id and classes, because many elements have the same ones. */
  strengths: Map<string, NameStrength>;
}

/** A slot in the markup of a network. `origin` is the element of the network; the slot is an element around it if it has no box. */
export interface NetworkMatch {
  row: NetworkRow;
  origin: Element;
  /** The name that an ad script uses for the element, if not its id. */
  name?: string;
}

/** The facts that one scan of a frame collects before it looks at the elements. */
export interface SlotContext extends NameContext {
  table: SlotTable;
  declared: Map<string, Declaration[]>;
  /** A key for each standard size. */
  sizeKeys: Set<number>;
  /** Texts of the frame's inline scripts. */
  scripts: string[];
  networks: Map<Element, NetworkMatch[]>;
  /** Links that hold only the image of an ad. */
  images: Map<Element, { image: Element; size: [number, number] }>;
  isPhone: boolean;
  /** The lower edge of the first headline, in the frame's viewport; undefined until the first slot is found. */
  headline: number | 'none' | undefined;
  /** The last footer of the page; undefined until the first slot is found, null if there is none. */
  footer: Element | null | undefined;
  /** Rules that hide elements, or show them at some widths; empty until the first hidden slot. */
  hiding: HidingRule[] | undefined;
}

/** A style rule for `display`. `always`: it hides at every width; else it holds for some windows only. */
export interface HidingRule {
  selector: string;
  always: boolean;
}

/** `adSlot-top article_ad2` → ad, slot, top, article, ad. */
export function wordsIn(text: string): string[] {
  return text
    .slice(0, 400)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .normalize('NFC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);
}

/** Custom elements have a name of their own, such as `ad-banner`. */
export function namesOf(element: Element): string {
  const tag = element.tagName.includes('-') ? ` ${element.tagName.toLowerCase()}` : '';
  return `${element.getAttribute('class') ?? ''} ${element.id}${tag}`;
}

function isAdWord(words: Set<string>, word: string): boolean {
  return (
    words.has(word) ||
    words.has(word.replace(/\d+$/, '')) ||
    /^(ads?(banner|billboard|box|cont|desktop|footer|full|header|inline|leader|left|mobile|mpu|place|rect|right|side|sky|slot|space|unit|wrap|zone)|publicid|pubblicit|reklam|werb(e|ung)|advert(s|is|or))|(article|banner|bottom|box|content|footer|half-?page|header|inbody|inline|leader|left|maxi|mobile|rectangle|right|side|sidebar|sky|sticky|top)ads?\d*$/.test(
      word,
    )
  );
}

export function strengthOfWords(context: NameContext, names: string): NameStrength {
  const { words } = context;
  // `ad__label` is a label, and `ad ad--label` an ad that has one.
  const used = wordsIn(
    names
      .split(/\s+/)
      .filter((name) => !/(?<!(no|without|with|has|hide|un)[-_]*)label(?!l?ed)/i.test(name))
      .join(' '),
  );
  if (saysNoSlot(context, names)) return 'none';
  if (used.some((word) => isAdWord(words.ad, word))) return 'ad';
  if (used.some((word) => words.position.has(word))) return 'position';
  if (used.some((word) => words.notAlone.has(word))) return 'none';
  return used.some((word) => words.perhaps.has(word)) ? 'perhaps' : 'none';
}

/** `ad-survey` is no slot, but `ad-no-close` may be one, and the class `no-login` beside `ad-slot` says nothing about it. */
export function saysNoSlot({ words }: NameContext, names: string): boolean {
  return names.split(/\s+/).some((name) => {
    const used = wordsIn(name.replace(/freestar/i, ''));
    return used.some(
      (word, at) =>
        (words.never.has(word) || /(test|detector|button)$/.test(word)) &&
        !/^(no|non|not|without|with|has|hide|un)$/.test(used[at - 1] ?? ''),
    );
  });
}

export function nameStrength(context: NameContext, element: Element): NameStrength {
  // Numbers do not matter, and lists number their elements.
  const names = namesOf(element).replace(/\d+/g, '0');
  if (names === ' ') return 'none';
  const known = context.strengths.get(names);
  if (known !== undefined) return known;
  const strength = strengthOfWords(context, names);
  context.strengths.set(names, strength);
  return strength;
}

/** The host name of the site; that of the page may be another, as in a copy of it. */
export function siteHost(): string {
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href ?? '';
  return URL.parse(canonical)?.hostname || location.hostname;
}

/** Advanced Ads names its elements after the host: `examp-1071028202` on example.com. */
function hasIdOfSite({ id }: Element): boolean {
  return (
    /^[a-z]\w{4}-(\d{3,}|[0-9a-f]{32})$/i.test(id) &&
    id.toLowerCase().startsWith(`${/[a-z]\w{4}/i.exec(siteHost())?.[0].toLowerCase()}-`)
  );
}

export function hasAdAttribute(element: Element): boolean {
  const names =
    /^data-(google-query-id|freestar-ad|commercial-format|(adv?|ad-?(unit|slot|zone)|dfp|gpt)(-(?!target|mark|module|page|site|label|config).*|id|type)?)$/;
  if (element.getAttributeNames().some((name) => names.test(name)) || hasIdOfSite(element)) return true;
  // The path of an ad unit begins with the number of its network.
  return /^(div-)?gpt-(ad|unit)|^google_ads_|^aswift_|^dfp[-_]|^ad[-_]?slot|^adngin-|^fs-slot|^\/?\d{4,12}\/\w/i.test(
    element.id,
  );
}

/** An empty element such as `<div data-position="leaderboard">`, which nothing around it calls an ad. */
export function namesPositionInData(context: NameContext, element: Element): boolean {
  if (element.childElementCount > 0 || (element.textContent ?? '').trim() !== '') return false;
  const parent = parentElementOf(element);
  if (parent && nameStrength(context, parent) === 'ad') return false;
  return [...element.attributes].some(
    ({ name, value }) =>
      /^data-.*(position|placement|slot|unit|zone)/.test(name) &&
      value.length < 80 &&
      /^(ad|position)$/.test(strengthOfWords(context, value)),
  );
}

/** `aria-label="Anzeige"`. */
export function isLabelled(element: Element): boolean {
  return ['aria-label', 'aria-roledescription'].some((name) => {
    const label = element.getAttribute(name) ?? '';
    return label.length > 1 && isLabel(label);
  });
}

/** Classes, data attributes and id in lower case, joined with hyphens. The id comes last. */
export function slotName(element: Element): string {
  const attributes = [...element.attributes]
    .filter(({ name, value }) => (name.startsWith('data-') || name === 'name' || name === 'unit') && value.length < 80)
    // `data-out-of-page="false"` does not speak of an out-of-page slot.
    .filter(({ value }) => !/^(false|no|0|off|none)$/i.test(value))
    .map(({ name, value }) => `${name} ${value}`);
  return wordsIn([element.getAttribute('class') ?? '', ...attributes, element.id].join(' ').slice(-400)).join('-');
}

export function positionOf(positions: SlotTable['positions'], name: string): PositionRow | undefined {
  const found = Object.entries(positions).flatMap(([pattern, row]) => (new RegExp(pattern).test(name) ? [row] : []));
  // `masthead-skin` is the place in the page beside which the skin stands.
  return found[0]?.kind === 'skin' ? (found.find(({ kind }) => kind === undefined) ?? found[0]) : found[0];
}

/** For which device the names say that the element is; undefined if they name none or several. */
export function deviceOf(element: Element): 'phone' | 'desktop' | 'tablet' | undefined {
  const parent = parentElementOf(element);
  const near = parent ? namesOf(parent) : '';
  const screen = ['data-screen', 'data-device', 'data-adslot']
    .map((name) => element.getAttribute(name) ?? '')
    .join(' ');
  const names = `${namesOf(element)} ${near} ${screen}`;
  const utility = deviceOfUtilities(names);
  if (utility !== undefined) return utility;
  const words = wordsIn(names);
  const some = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const found = [
    some(/^(mobile|mobi|mob|phone|smartphone|msite|mew)\d*$/) ? ('phone' as const) : undefined,
    some(/^(desktop|desk|dsk)\d*$/) ? ('desktop' as const) : undefined,
    some(/^(tablet|tab)\d*$/) ? ('tablet' as const) : undefined,
  ].filter((device) => device !== undefined);
  const hides = words.includes('hidden') || words.includes('hide');
  return found.length === 1 && !hides ? found[0] : undefined;
}

/** Classes of Tailwind and Bootstrap that show an element only above or below a width: `lg:hidden`, `hidden lg:block`, `d-md-none`. */
function deviceOfUtilities(names: string): 'phone' | 'desktop' | undefined {
  const has = (pattern: RegExp) => names.split(/\s+/).some((name) => pattern.test(name));
  if (has(/^(md|lg|xl):(hidden|h-0)$|^d-(md|lg|xl)-none$|^(visible-xs|hidden-(md|lg)|hide-for-(medium|large))$/))
    return 'phone';
  const isHidden = has(/^(hidden|h-0|d-none|hidden-xs|hide-for-small(-only)?|show-for-(medium|large))$/);
  const isShown = has(/^(md|lg|xl):(block|flex|grid|inline-block|h-[^0].*)$|^d-(md|lg|xl)-(block|flex)$/);
  return isHidden && (isShown || has(/^(hidden-xs|hide-for-small(-only)?|show-for-(medium|large))$/))
    ? 'desktop'
    : undefined;
}

/** The text of the element without scripts, at most about `max` characters. */
export function plainText(element: Element, max: number): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = '';
  while (walker.nextNode() && text.length < max) {
    const node = walker.currentNode;
    if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/i.test(node.parentElement?.tagName ?? ''))
      text += ` ${node.nodeValue ?? ''}`;
    text = text.replace(/\s+/g, ' ');
  }
  return text.trim();
}

const LABELS = new RegExp(`^\\(?(${SLOT_TABLE.labels})\\)?( \\(?(${SLOT_TABLE.labels})\\)?)*$`);

/** "Advertisement", "Anzeige", "728 × 90". */
export function isLabel(text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/\d+\s*[x×]\s*\d+\s*(px)?/g, '')
    .replace(/[^\p{L}\p{M}\s()]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (words === '' || (words.length <= 60 && LABELS.test(words))) return true;
  // "This advertisement has not loaded yet, but your article continues below."
  const speaksOfAd = words.split(' ').some((word) => LABELS.test(word));
  return words.length <= 160 && speaksOfAd && /\b(loaded|loading|continues?|below|weiter|continua|suite)\b/.test(words);
}

export function contentOf(element: Element): SlotContent {
  if (element.tagName === 'IFRAME') return 'ad';
  if (element.querySelector('input:not([type=hidden]), select, textarea, form, video, audio, article, nav'))
    return 'content';
  // A widget may have the title "Advertisement".
  if ([...element.querySelectorAll('h1, h2')].some((title) => !isLabel(plainText(title, 100)))) return 'content';
  const text = plainText(element, 200);
  if (text.length > 160 || element.querySelectorAll('p, h3, h4, li').length > 2) return 'content';
  if (text !== '' && !isLabel(text)) return 'text';
  if (element.querySelector('iframe, img, ins, object, embed, canvas, svg, amp-ad')) return 'ad';
  return text === '' ? 'nothing' : 'label';
}

/** Whether it is only the word "Advertisement" near a slot. */
export function isOnlyLabel(element: Element, height: number): boolean {
  if (element.childElementCount > 0 || height > 45) return false;
  const text = plainText(element, 100);
  return /\p{L}/u.test(text) && isLabel(text);
}

/** A selector or an id by which a person finds the element. */
export function labelOf(element: Element): string {
  const id = builtIn(element, 'id');
  if (id !== '') return `#${id}`.slice(0, 120);
  const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`);
  const name = element.tagName.toLowerCase() + classes.join('');
  const parent = element.closest('[id]');
  return (parent ? `#${builtIn(parent, 'id')} ${name}` : name).slice(0, 120);
}
