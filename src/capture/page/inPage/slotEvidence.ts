/** Collects the evidence that an element is an ad slot. */
import type { SlotEvidence } from '../page.ts';
import { AD_NAMES } from './adNames.ts';
import type { Rect } from './rect.ts';
import type { PagePart } from './script.ts';
import { SLOT_CONTENT } from './slotContent.ts';
import type { SlotContext } from './slotContext.ts';
import { SLOT_SIZES } from './slotSizes.ts';

declare const contentOf: typeof SLOT_CONTENT.contentOf;
declare const hasAdAttribute: typeof AD_NAMES.hasAdAttribute;
declare const isOnlyLabel: typeof SLOT_CONTENT.isOnlyLabel;
declare const isStandardSize: typeof SLOT_SIZES.isStandardSize;
declare const namesOf: typeof AD_NAMES.namesOf;
declare const wordsIn: typeof AD_NAMES.wordsIn;
declare const nameStrength: typeof AD_NAMES.nameStrength;

export interface Finding {
  sizes: [number, number][];
  fluid: boolean;
  evidence: SlotEvidence[];
  outOfPage: boolean;
  declared: boolean;
}

function declaredEvidence(element: Element, context: SlotContext): Finding {
  const finding: Finding = { sizes: [], fluid: false, evidence: [], outOfPage: false, declared: false };
  for (const one of element.id === '' ? [] : (context.declared.get(element.id) ?? [])) {
    finding.declared = true;
    if (!finding.evidence.includes(one.kind)) finding.evidence.push(one.kind);
    finding.sizes.push(...one.sizes);
    finding.fluid ||= one.fluid;
    finding.outOfPage ||= one.outOfPage;
  }
  if (element.tagName === 'INS' && element.classList.contains('adsbygoogle')) {
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

function inspectElement(
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
  const isSure = strength === 'ad' || hasAdAttribute(element);
  if (!isSure && (strength === 'none' || (strength === 'perhaps' && !standard))) return false;
  if (isOnlyLabel(context.labels, element, rect.height)) return false;
  const content = contentOf(context.labels, element);
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
  const { never, notAlone, widget } = context.words;
  if (wordsIn(namesOf(element)).some((word) => never.has(word) || notAlone.has(word) || widget.has(word))) return false;
  if (element.querySelector('img, picture, svg, canvas, video, iframe, input, button, a[href]')) return false;
  if (isOnlyLabel(context.labels, element, height)) return false;
  const content = contentOf(context.labels, element);
  return content === 'nothing' || content === 'label';
}

export const SLOT_EVIDENCE = {
  ...SLOT_SIZES,
  ...AD_NAMES,
  ...SLOT_CONTENT,
  isNamedSlot,
  isEmptyBox,
  frameEvidence,
  adsenseSizes,
  declaredEvidence,
  inspectElement,
} satisfies PagePart;
