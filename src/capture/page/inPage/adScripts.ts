/** Finds slots by the scripts of ad servers that no row of the table names. */
import type { NetworkRow } from '../slotTable.ts';
import type { AD_NAMES } from './adNames.ts';
import { RECT } from './rect.ts';
import type { PagePart } from './script.ts';
import { SCRIPT_SIZES } from './scriptSizes.ts';
import { SLOT_CONTENT } from './slotContent.ts';
import type { SlotContext } from './slotContext.ts';
import type { SLOT_SIZES } from './slotSizes.ts';

declare const commentsOf: typeof SLOT_SIZES.commentsOf;
declare const contentOf: typeof SLOT_CONTENT.contentOf;
declare const isStandardSize: typeof SLOT_SIZES.isStandardSize;
declare const positionOf: typeof AD_NAMES.positionOf;
declare const wordsIn: typeof AD_NAMES.wordsIn;
declare const sizesFromText: typeof SLOT_SIZES.sizesFromText;
declare const sizesInScripts: typeof SCRIPT_SIZES.sizesInScripts;

/** A slot that a script shows. `name`: the id or the class that the script uses. */
interface ScriptSlot {
  row: NetworkRow;
  element: Element;
  name?: string;
}

function scriptSlots(context: SlotContext, elements: readonly Element[]): ScriptSlot[] {
  const row = (kind: NetworkRow['adScript']) => context.table.networks.find(({ adScript }) => adScript === kind);
  const naming = row('names');
  const printing = row('prints');
  const named = naming === undefined ? [] : namedSlots(context, elements).map((slot) => ({ ...slot, row: naming }));
  if (printing === undefined) return named;
  const printed = elements.filter((one) => one instanceof HTMLScriptElement && printsAd(context, one));
  return [...named, ...printed.map((element) => ({ element, row: printing }))];
}

/** Empty elements that an ad script names and gives the size of an ad, or that have such a script inside or right behind them. */
function namedSlots(context: SlotContext, elements: readonly Element[]): { element: Element; name: string }[] {
  const ad = new RegExp(context.table.adScripts.code, 'i');
  const scripts = context.scripts.filter((code) => ad.test(apart(code)));
  const quoted = new Set(
    scripts.flatMap((code) => [...code.matchAll(/['"`][.#]?([\w-]{3,80})['"`]/g)].map(([, name = '']) => name)),
  );
  if (quoted.size === 0) return [];
  return elements.flatMap((element) => {
    const name = [element.id, ...element.classList].find((one) => quoted.has(one));
    if (name === undefined || context.declared.has(element.id)) return [];
    if (isOtherWidget(context, name) || !isEmptyBlock(context, element)) return [];
    const sizes = sizesInScripts(context.sizeKeys, scripts, name).filter((size) => isAdShape(context, size));
    const isKnown = sizes.length > 0 || isShownByOwnScript(element, name, ad) || namesPosition(context, scripts, name);
    return isKnown ? [{ element, name }] : [];
  });
}

/** Units of a header bidder whose code is no id: the elements that the page's scripts render the winning ads into take them. */
function adoptUnits(context: SlotContext): void {
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
        others.some((text) => positionOf(table.positions, wordsIn(text).join('-'))?.kind === 'display')
      );
    }),
  );
}

function isOtherWidget({ words }: SlotContext, name: string): boolean {
  const { never, widget, ad } = words;
  const used = wordsIn(name);
  return used.some((word) => never.has(word) || widget.has(word)) && !used.some((word) => ad.has(word));
}

function isEmptyBlock(context: SlotContext, element: Element): boolean {
  if (!/^(DIV|SPAN|INS|SECTION|ASIDE|CENTER|TD|P)$/.test(element.tagName)) return false;
  const content = contentOf(context.labels, element);
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
  const parent = script.parentElement;
  if (parent === null || !/^(block|flow-root|table-cell|list-item)$/.test(getComputedStyle(parent).display))
    return undefined;
  const place = document.createElement('div');
  place.setAttribute('data-ad-place', '');
  script.before(place);
  return place;
}

export const AD_SCRIPTS_IN_PAGE = {
  ...RECT,
  ...SLOT_CONTENT,
  ...SCRIPT_SIZES,
  scriptSlots,
  namedSlots,
  adoptUnits,
  namesPosition,
  apart,
  isOtherWidget,
  isEmptyBlock,
  isAdShape,
  isShownByOwnScript,
  printsAd,
  placeBefore,
} satisfies PagePart;
