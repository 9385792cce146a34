/** Collects the evidence that an element is an ad slot. */
import type { SlotEvidence } from '../page.ts';
import {
  contentOf,
  deviceOf,
  type HidingRule,
  hasAdAttribute,
  isLabelled,
  isOnlyLabel,
  type NetworkMatch,
  nameStrength,
  namesOf,
  namesPositionInData,
  type SlotContext,
  saysNoSlot,
  strengthOfWords,
  wordsIn,
} from './slotContext.ts';
import { isStandardSize } from './slotSizes.ts';
import { fixedLayerOf, isVisible, parentOf, type Rect } from './visibility.ts';

export interface Finding {
  sizes: [number, number][];
  fluid: boolean;
  evidence: SlotEvidence[];
  outOfPage: boolean;
  declared: boolean;
}

export function declaredEvidence(element: Element, context: SlotContext): Finding {
  const finding: Finding = { sizes: [], fluid: false, evidence: [], outOfPage: false, declared: false };
  for (const one of element.id === '' ? [] : (context.declared.get(element.id) ?? [])) {
    finding.declared = true;
    if (!finding.evidence.includes(one.kind)) finding.evidence.push(one.kind);
    finding.sizes.push(...one.sizes);
    finding.fluid ||= one.fluid;
    finding.outOfPage ||= one.outOfPage;
  }
  const isNever = context.networks.get(element)?.some(({ row }) => row.kind === 'none');
  if (element.tagName === 'INS' && element.classList.contains('adsbygoogle') && !isNever) {
    Object.assign(finding, adsenseSizes(element as HTMLElement));
    finding.evidence.push('adsense');
  }
  if (/^AMP-(AD|EMBED|STICKY-AD)$/.test(element.tagName)) finding.evidence.push('amp');
  if (context.networks.has(element)) finding.evidence.push('network');
  if (context.images.has(element)) finding.evidence.push('linked_image');
  return finding;
}

function adsenseSizes(element: HTMLElement): { sizes: [number, number][]; fluid: boolean } {
  const { width, height } = getComputedStyle(element);
  const sized = element.style.height.endsWith('px') || !element.hasAttribute('data-ad-format');
  const size: [number, number] = [Number.parseFloat(width), Number.parseFloat(height)];
  if (sized && size[0] > 1 && size[1] > 1) return { sizes: [size], fluid: false };
  return { sizes: [], fluid: /^(auto|fluid)?$/.test(element.getAttribute('data-ad-format') ?? '') };
}

export function inspectElement(
  context: SlotContext,
  element: Element,
  { finding, rect }: { finding: Finding; rect: Rect },
): void {
  const strength = nameStrength(context, element);
  const standard = isStandardSize(context.sizeKeys, rect.width, rect.height);
  if (element.tagName === 'IFRAME') {
    if (frameEvidence(element, rect, standard) || strength === 'ad') finding.evidence.push('frame');
    return;
  }
  if (isNamedSlot(context, element, { strength, standard, rect })) finding.evidence.push('attribute');
  if (standard && (finding.evidence.length > 0 || isEmptyBox(context, element, rect)))
    finding.evidence.push('iab_size');
}

/** A name that speaks of ads counts unless the element holds a part of the page; a weaker name needs more. */
function isNamedSlot(
  context: SlotContext,
  element: Element,
  { strength, standard, rect }: { strength: ReturnType<typeof nameStrength>; standard: boolean; rect: Rect },
): boolean {
  const isSure =
    strength === 'ad' || hasAdAttribute(element) || isLabelled(element) || namesPositionInData(context, element);
  if (!isSure && (strength === 'none' || (strength === 'perhaps' && !standard))) return false;
  if (isOnlyLabel(element, rect.height)) return false;
  const content = contentOf(element);
  if (isSure)
    return content !== 'content' && (content !== 'text' || standard || element.querySelector('iframe, a img') !== null);
  if (strength === 'perhaps') return content === 'nothing' || content === 'label' || content === 'ad';
  return content === 'nothing' || content === 'label' || (standard && content === 'ad');
}

function frameEvidence(frame: Element, rect: Rect, standard: boolean): boolean {
  const source = frame.getAttribute('src') ?? '';
  const address = URL.parse(source, location.href);
  if (
    address &&
    /(^|\.)(youtube(-nocookie)?|vimeo|dailymotion|spotify|soundcloud|twitter|x|facebook|instagram|tiktok|openstreetmap|recaptcha|disqus)\.(com|net|org)$|^maps\.google\./.test(
      address.hostname,
    )
  )
    return false;
  if (address && /(^|\.)google\.[a-z.]+\/maps\//.test(address.hostname + address.pathname)) return false;
  if (/^google_ads_iframe_|^aswift_|^ad[-_]/.test(frame.id)) return true;
  if (
    address &&
    /(^|\.)(doubleclick\.net|googlesyndication\.com|adnxs\.com|amazon-adsystem\.com)$|^(ad|ads|adserver|banner|banners)\./.test(
      address.hostname,
    )
  )
    return rect.width >= 88;
  return standard;
}

/** An empty box that is placed over the page, or whose name says something else, is a layer or a widget. */
function isEmptyBox(context: SlotContext, element: Element, { height }: Rect): boolean {
  if (!(element instanceof HTMLElement) || element.children.length > 3) return false;
  if (/^(absolute|fixed)$/.test(getComputedStyle(element).position)) return false;
  const { notAlone, widget } = context.words;
  if (saysNoSlot(context, namesOf(element))) return false;
  if (wordsIn(namesOf(element)).some((word) => notAlone.has(word) || widget.has(word))) return false;
  if (element.querySelector('img, picture, svg, canvas, video, iframe, input, button, a[href]')) return false;
  if (isOnlyLabel(element, height)) return false;
  const content = contentOf(element);
  return content === 'nothing' || content === 'label';
}

/** Whether the slot has no height, or is hidden because no ad came. Not true for slots that the page hides on this device. */
export function isCollapsed(context: SlotContext, element: Element, about: { rect: Rect; finding: Finding }): boolean {
  const { rect, finding } = about;
  if (rect.width >= 10 && rect.height >= 10) return holdsOnlyLabel(context, element, about);
  const parent = parentOf(element);
  if (!(element instanceof HTMLElement)) return false;
  if (!parent?.checkVisibility()) return isCalledAd(context, element) && isInClosedBar(context, element);
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

/** Whether a bar at the edge of the window holds the slot and nothing else. Pages open it when its ad comes. */
function isInClosedBar(context: SlotContext, slot: Element): boolean {
  const bar = fixedLayerOf(slot);
  if (!(bar instanceof HTMLElement) || !parentOf(bar)?.checkVisibility()) return false;
  const { top, bottom, height } = getComputedStyle(bar);
  if ((top === 'auto') === (bottom === 'auto') || height !== 'auto') return false;
  const content = contentOf(bar);
  const isClosed = bar.style.display === 'none' || isHiddenAtEveryWidth(context, bar);
  return isClosed && content !== 'text' && content !== 'content';
}

/** The most ad words that a slot has among its classes. */
const MAX_AD_CLASSES = 3;

/** An element by which the page finds out about ad blockers: many classes, each of them an ad word. */
export function isBait(context: SlotContext, element: Element): boolean {
  const names = [...element.classList].filter((name) => strengthOfWords(context, name) === 'ad');
  return names.length > MAX_AD_CLASSES;
}

function isCalledAd(context: SlotContext, element: Element): boolean {
  return nameStrength(context, element) === 'ad' || hasAdAttribute(element) || context.networks.has(element);
}

/** Such a slot is only as high as the word "Advertisement" in it. */
function holdsOnlyLabel(context: SlotContext, element: Element, { rect }: { rect: Rect }): boolean {
  if (rect.height >= 45 || rect.width < 120 || isStandardSize(context.sizeKeys, rect.width, rect.height)) return false;
  const content = contentOf(element);
  if (content === 'ad') return isCalledAd(context, element) && holdsOnlyBrokenImages(element);
  return content === 'label' || content === 'nothing';
}

/** Images that did not load are as small as their text. */
export function holdsOnlyBrokenImages(element: Element): boolean {
  if (element.querySelector('iframe, ins, object, embed, canvas, svg, amp-ad, video')) return false;
  return [...element.querySelectorAll('img')].every(({ complete, naturalWidth }) => complete && naturalWidth === 0);
}

/** Whether a style of the page hides the named slot until a script shows it with its ad. */
function waitsForAd(context: SlotContext, element: Element): boolean {
  const content = contentOf(element);
  if (!isCalledAd(context, element) || (content !== 'nothing' && content !== 'label')) return false;
  return isHiddenAtEveryWidth(context, element);
}

function isHiddenAtEveryWidth(context: SlotContext, element: Element): boolean {
  context.hiding ??= [...document.styleSheets].flatMap((sheet) => hidingRules(rulesOf(sheet), true));
  const matching = context.hiding.filter(({ selector }) => element.matches(selector));
  return matching.length > 0 && matching.every(({ always }) => always);
}

/**
 * Whether the named slot keeps its space, but the page makes it, or a box around nothing else, invisible until its ad comes.
 * The ad that we show is visible by itself.
 */
export function isInvisibleUntilFilled(context: SlotContext, element: Element, { width, height }: Rect): boolean {
  if (width < 10 || height < 10 || !element.checkVisibility()) return false;
  if (!isCalledAd(context, element) || element.getAttribute('aria-hidden') === 'true') return false;
  let hidden = element;
  for (let at = parentOf(element); at && !isVisible(at); at = parentOf(at)) hidden = at;
  const content = contentOf(hidden);
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
export function isForOtherDevice(context: SlotContext, element: Element): boolean {
  const media = /^AMP-/.test(element.tagName) ? element.getAttribute('media') : null;
  if (media !== null && !matchMedia(media).matches) return true;
  const mine = context.isPhone ? 'phone' : 'desktop';
  const matches: readonly NetworkMatch[] = context.networks.get(element) ?? [];
  const stated = matches.find(({ row }) => row.device !== undefined)?.row.device;
  const device = stated ?? deviceOf(element);
  return device !== undefined && device !== mine && !(device === 'tablet' && innerWidth >= 700 && innerWidth < 1_100);
}
