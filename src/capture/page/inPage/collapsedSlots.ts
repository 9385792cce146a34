/** Tells whether a slot is empty and has no space, so that an ad would open it. */

import { AD_NAMES } from './adNames.ts';
import type { Rect } from './rect.ts';
import type { PagePart } from './script.ts';
import { SLOT_CONTENT } from './slotContent.ts';
import type { HidingRule, NetworkMatch, SlotContext } from './slotContext.ts';
import type { Finding } from './slotEvidence.ts';
import type { SLOT_SIZES } from './slotSizes.ts';
import { VISIBILITY } from './visibility.ts';

declare const contentOf: typeof SLOT_CONTENT.contentOf;
declare const deviceOf: typeof AD_NAMES.deviceOf;
declare const hasAdAttribute: typeof AD_NAMES.hasAdAttribute;
declare const isStandardSize: typeof SLOT_SIZES.isStandardSize;
declare const nameStrength: typeof AD_NAMES.nameStrength;
declare const isVisible: typeof VISIBILITY.isVisible;
declare const parentOf: typeof VISIBILITY.parentOf;

/** Whether the slot has no height, or is hidden because no ad came. Not true for slots that the page hides on this device. */
function isCollapsed(context: SlotContext, element: Element, about: { rect: Rect; finding: Finding }): boolean {
  const { rect, finding } = about;
  if (rect.width >= 10 && rect.height >= 10) return holdsOnlyLabel(context, element, about);
  const parent = parentOf(element);
  if (!(element instanceof HTMLElement) || !parent?.checkVisibility()) return false;
  // A page gives a frame without a size one only if it declares a slot with its id.
  if (element.tagName === 'IFRAME' && !finding.declared) return false;
  if (getComputedStyle(element).display !== 'none') return true;
  const unfilled = element.matches('[data-ad-status="unfilled"], [data-google-query-id], [hidden]');
  return (
    element.style.display === 'none' ||
    unfilled ||
    (finding.declared && finding.sizes.length > 0 && element.matches(':empty')) ||
    waitsForAd(context, element)
  );
}

/** Such a slot is only as high as the word "Advertisement" in it. */
function holdsOnlyLabel(context: SlotContext, element: Element, { rect }: { rect: Rect }): boolean {
  if (rect.height >= 45 || rect.width < 120 || isStandardSize(context.sizeKeys, rect.width, rect.height)) return false;
  const content = contentOf(context.labels, element);
  if (content === 'ad') return context.networks.has(element) && holdsOnlyBrokenImages(element);
  return content === 'label' || content === 'nothing';
}

/** Images that did not load are as small as their text. */
function holdsOnlyBrokenImages(element: Element): boolean {
  if (element.querySelector('iframe, ins, object, embed, canvas, svg, amp-ad, video')) return false;
  return [...element.querySelectorAll('img')].every(({ complete, naturalWidth }) => complete && naturalWidth === 0);
}

/** Whether a style of the page hides the named slot at every width, until a script shows it with its ad. */
function waitsForAd(context: SlotContext, element: Element): boolean {
  const isNamed = nameStrength(context, element) === 'ad' || hasAdAttribute(element) || context.networks.has(element);
  const content = contentOf(context.labels, element);
  if (!isNamed || (content !== 'nothing' && content !== 'label')) return false;
  context.hiding ??= [...document.styleSheets].flatMap((sheet) => hidingRules(rulesOf(sheet), true));
  const matching = context.hiding.filter(({ selector }) => element.matches(selector));
  return matching.length > 0 && matching.every(({ always }) => always);
}

/**
 * Whether the named slot keeps its space, but the page makes it, or a box around nothing else, invisible until its ad comes.
 * The ad that we show is visible by itself.
 */
function isInvisibleUntilFilled(context: SlotContext, element: Element, { width, height }: Rect): boolean {
  if (width < 10 || height < 10 || !element.checkVisibility()) return false;
  const isNamed = nameStrength(context, element) === 'ad' || hasAdAttribute(element) || context.networks.has(element);
  if (!isNamed || element.getAttribute('aria-hidden') === 'true') return false;
  let hidden = element;
  for (let at = parentOf(element); at && !isVisible(at); at = parentOf(at)) hidden = at;
  const content = contentOf(context.labels, hidden);
  return !isVisible(element) && (content === 'nothing' || content === 'label');
}

/** @returns none for a sheet of another origin, which scripts cannot read. */
function rulesOf(sheet: CSSStyleSheet): CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch (error) {
    if (error instanceof DOMException) return [];
    throw error;
  }
}

/** Rules that hide, and rules for `display` that hold for some windows only. */
function hidingRules(rules: readonly CSSRule[], always: boolean): HidingRule[] {
  return rules.flatMap((rule): HidingRule[] => {
    if (rule instanceof CSSStyleRule) {
      const { display } = rule.style;
      return (always ? display === 'none' : display !== '') && CSS.supports(`selector(${rule.selectorText})`)
        ? [{ selector: rule.selectorText, always }]
        : [];
    }
    if (rule instanceof CSSMediaRule)
      return /print/.test(rule.conditionText)
        ? []
        : hidingRules([...rule.cssRules], always && !/width|height|orientation|pointer|hover/.test(rule.conditionText));
    return rule instanceof CSSGroupingRule ? hidingRules([...rule.cssRules], always) : [];
  });
}

/** Twins for phones and desktops stand beside each other; a page without its styles shows both. */
function isForOtherDevice(context: SlotContext, element: Element): boolean {
  const media = /^AMP-/.test(element.tagName) ? element.getAttribute('media') : null;
  if (media !== null && !matchMedia(media).matches) return true;
  const mine = context.isPhone ? 'phone' : 'desktop';
  const matches: readonly NetworkMatch[] = context.networks.get(element) ?? [];
  const stated = matches.find(({ row }) => row.device !== undefined)?.row.device;
  const device = stated ?? deviceOf(element);
  return device !== undefined && device !== mine && !(device === 'tablet' && innerWidth >= 700 && innerWidth < 1_100);
}

export const COLLAPSED_SLOTS = {
  ...AD_NAMES,
  ...SLOT_CONTENT,
  ...VISIBILITY,
  isCollapsed,
  holdsOnlyLabel,
  holdsOnlyBrokenImages,
  waitsForAd,
  isInvisibleUntilFilled,
  rulesOf,
  hidingRules,
  isForOtherDevice,
} satisfies PagePart;
