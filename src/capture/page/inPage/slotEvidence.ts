/** Collects the evidence that an element is an ad slot. */
import type { SlotEvidence } from '../page.ts';
import { AD_NAMES } from './adNames.ts';
import type { Declaration } from './declarations.ts';
import type { Rect } from './rect.ts';
import type { PagePart } from './script.ts';
import { SLOT_SIZES } from './slotSizes.ts';

declare const attributeSizes: typeof SLOT_SIZES.attributeSizes;
declare const hasAdAttribute: typeof AD_NAMES.hasAdAttribute;
declare const isIabSize: typeof SLOT_SIZES.isIabSize;
declare const nameStrength: typeof AD_NAMES.nameStrength;

export interface Finding {
  sizes: [number, number][];
  fluid: boolean;
  evidence: SlotEvidence[];
  outOfPage: boolean;
  declared: boolean;
}

function declaredEvidence(element: Element, declared: Map<string, Declaration[]>): Finding {
  const finding: Finding = { sizes: [], fluid: false, evidence: [], outOfPage: false, declared: false };
  for (const one of element.id === '' ? [] : (declared.get(element.id) ?? [])) {
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
  if (/^AMP-(AD|EMBED|STICKY-AD)$/.test(element.tagName)) {
    finding.evidence.push('amp');
    finding.sizes.push(...ampSizes(element));
  }
  return finding;
}

function ampSizes(element: Element): [number, number][] {
  const own: [number, number] = [Number(element.getAttribute('width')), Number(element.getAttribute('height'))];
  return [...(own[0] > 1 && own[1] > 1 ? [own] : []), ...attributeSizes(element)];
}

function adsenseSizes(element: HTMLElement): { sizes: [number, number][]; fluid: boolean } {
  const { width, height } = getComputedStyle(element);
  const sized = element.style.height.endsWith('px') || !element.hasAttribute('data-ad-format');
  const size: [number, number] = [Number.parseFloat(width), Number.parseFloat(height)];
  if (sized && size[0] > 1 && size[1] > 1) return { sizes: [size], fluid: false };
  return { sizes: [], fluid: true };
}

function inspectElement(element: Element, finding: Finding, rect: Rect): void {
  const strength = nameStrength(element);
  const iab = isIabSize(rect.width, rect.height);
  if (element.tagName === 'IFRAME') {
    if (frameEvidence(element, rect) || strength === 2) finding.evidence.push('frame');
    return;
  }
  const named = hasAdAttribute(element) || strength === 2 || (strength === 1 && iab);
  if (named && !holdsContent(element)) {
    finding.evidence.push('attribute');
    finding.sizes.push(...attributeSizes(element));
  }
  if (iab && (finding.evidence.length > 0 || isEmptyBox(element))) finding.evidence.push('iab_size');
}

function frameEvidence(frame: Element, rect: Rect): boolean {
  const source = frame.getAttribute('src') ?? '';
  const address = URL.parse(source, location.href);
  if (
    address &&
    /(^|\.)(youtube(-nocookie)?|vimeo|dailymotion|spotify|soundcloud|twitter|x|facebook|instagram|tiktok|openstreetmap|recaptcha|disqus)\.(com|net|org)$|^maps\.google\./.test(
      address.hostname,
    )
  )
    return false;
  if (/^google_ads_iframe_|^aswift_|^ad[-_]/.test(frame.id)) return true;
  if (
    address &&
    /(^|\.)(doubleclick\.net|googlesyndication\.com|adnxs\.com|amazon-adsystem\.com)$|^(ad|ads|adserver|banner|banners)\./.test(
      address.hostname,
    )
  )
    return rect.width >= 88;
  return isIabSize(rect.width, rect.height);
}

/** An area that holds a document's text is no slot, whatever it is called. */
function holdsContent(element: Element): boolean {
  const text = (element.textContent ?? '').length;
  if (text === 0 || element.tagName === 'IFRAME') return false;
  if (text > 5_000 || element.querySelectorAll('p, h1, h2, h3, article, form, nav, video').length > 2) return true;
  return element instanceof HTMLElement && element.innerText.trim().length > 160;
}

function isEmptyBox(element: Element): boolean {
  if (!(element instanceof HTMLElement) || element.children.length > 3) return false;
  if (element.querySelector('img, picture, svg, canvas, video, iframe, input, button, a[href]')) return false;
  const text = element.textContent.trim();
  return (
    text === '' ||
    (text.length <= 30 && /^(advert|ads?\b|anzeige|werbung|publicit|sponsor|reklam|annons|anuncio)/i.test(text))
  );
}

export const SLOT_EVIDENCE = {
  ...SLOT_SIZES,
  ...AD_NAMES,
  holdsContent,
  isEmptyBox,
  frameEvidence,
  ampSizes,
  adsenseSizes,
  declaredEvidence,
  inspectElement,
} satisfies PagePart;
