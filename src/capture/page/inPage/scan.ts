/** Looks for ad slots inside one frame. */
import type { SlotEvidence } from '../page.ts';
import type { Declaration } from './declarations.ts';
import { expressionOf } from './script.ts';

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A slot as one frame sees it; boxes are in the frame's viewport. */
export interface RawSlot {
  rect: Rect;
  sizes: [number, number][];
  /** Takes whatever fits its width. */
  fluid: boolean;
  evidence: SlotEvidence[];
  element: string;
  visible: boolean;
  collapsed: boolean;
  sticky: boolean;
  covered: boolean;
  isFrame: boolean;
  outOfPage: boolean;
  /** Index of the nearest slot that this one stands in, or -1. */
  parent: number;
}

/** What stays in the page: `elements[i]` is that of `slots[i]`. */
export interface Scan {
  slots: RawSlot[];
  elements: Element[];
  scroll: { x: number; y: number };
}

/** Where a child frame stands in its parent. */
export interface FrameOwner {
  /** Content box in the parent's viewport. */
  rect: Rect;
  visible: boolean;
  covered: boolean;
  sticky: boolean;
  /** Index of the slot that the frame is or stands in, or -1. */
  parent: number;
}

interface Finding {
  sizes: [number, number][];
  fluid: boolean;
  evidence: SlotEvidence[];
  outOfPage: boolean;
  declared: boolean;
}

function iabSizes(): [number, number][] {
  const list =
    '300x250 336x280 728x90 970x90 970x250 160x600 120x600 300x600 300x1050 320x50 320x100 300x50 300x100 468x60 234x60 250x250 200x200 180x150 320x480 480x320 980x120 930x180 970x66 640x360 640x480 400x300';
  return list.split(' ').map((pair) => pair.split('x').map(Number) as [number, number]);
}

function isIabSize(width: number, height: number): boolean {
  return iabSizes().some(([w, h]) => Math.abs(w - width) <= 1 && Math.abs(h - height) <= 1);
}

/** `adSlot-top article_ad` → ad, slot, top, article, ad. */
function wordsOf(element: Element): string[] {
  const named = `${element.id} ${element.getAttribute('class') ?? ''}`.slice(0, 400);
  return named
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** How surely the names of an element say that it holds an ad: 2 yes, 1 only in an ad's size, 0 no. */
function wordStrength(element: Element): 0 | 1 | 2 {
  const words = wordsOf(element);
  const not =
    /^(label|labels|blocker|blocked|adblock|free|close|notice|disclosure|disclaimer|choices|cookie|consent|gdpr|hero|header|footer|nav|menu|form|login|button|btn|link|text|title|subscribe|app)$/;
  if (words.some((word) => not.test(word))) return 0;
  const yes =
    /^(ads?|adverts?|advertisements?|advertising|adslots?|adunits?|adspace|adbox|adcontainer|adwrapper|adplacement|adzone|adbanner|dfp|gpt|gam|adsense|adsbygoogle|mpu|doubleclick)$/;
  if (words.some((word) => yes.test(word))) return 2;
  const perhaps =
    /^(banner|leaderboard|billboard|skyscraper|halfpage|sponsor|sponsors|sponsored|sponsorship|promo|commercial|partner)$/;
  return words.some((word) => perhaps.test(word)) ? 1 : 0;
}

function sizesFromText(text: string): [number, number][] {
  const pairs = [...text.matchAll(/(\d{2,4})\s*[x,×]\s*(\d{2,4})/g)].map(([, w, h]) => [Number(w), Number(h)]);
  return pairs.slice(0, 20) as [number, number][];
}

function attributeSizes(element: Element): [number, number][] {
  const names = ['data-ad-sizes', 'data-ad-size', 'data-sizes', 'data-size', 'data-multi-size', 'data-dfp-sizes'];
  return names.flatMap((name) => sizesFromText(element.getAttribute(name) ?? ''));
}

function hasAdAttribute(element: Element): boolean {
  const names =
    'data-google-query-id data-ad-slot data-ad-unit data-ad-client data-ad-sizes data-ad-size data-adunit data-ad-unit-path data-ad-id data-dfp data-dfp-sizes data-gpt data-freestar-ad data-ad data-ad-position';
  if (names.split(' ').some((name) => element.hasAttribute(name))) return true;
  return /^(div-)?gpt-(ad|unit)|^google_ads_|^aswift_|^dfp[-_]|^ad[-_]?slot|^adngin-|^fs-slot/i.test(element.id);
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

function declaredFinding(element: Element, declared: Map<string, Declaration[]>): Finding {
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

function lookedAtFinding(element: Element, finding: Finding, rect: Rect): void {
  const strength = wordStrength(element);
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

function isPinned(element: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const { position, bottom } = getComputedStyle(at);
    if (position === 'fixed' || (position === 'sticky' && bottom !== 'auto')) return true;
  }
  return false;
}

function parentOf(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot;
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

function isWithin(element: Element, outer: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) if (at === outer) return true;
  return false;
}

function topmostAt(x: number, y: number): Element | null {
  let top = document.elementFromPoint(x, y);
  while (top?.shadowRoot) {
    const inner = top.shadowRoot.elementFromPoint(x, y);
    if (inner === null || inner === top) break;
    top = inner;
  }
  return top;
}

/** Whether something else lies on most of it. Scrolls there; the caller scrolls back. */
function isCovered(element: Element): boolean {
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  const { left, top, width, height } = element.getBoundingClientRect();
  const spots = [0.5, 0.1, 0.9].flatMap((x) => [0.5, 0.1, 0.9].map((y) => [left + width * x, top + height * y]));
  const seen = spots.filter(([x = -1, y = -1]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
  const over = seen.filter(([x = 0, y = 0]) => {
    const hit = topmostAt(x, y);
    return hit !== null && !isWithin(hit, element) && !isWithin(element, hit);
  });
  return seen.length > 0 && over.length * 2 > seen.length;
}

function labelOf(element: Element): string {
  if (element.id !== '') return `#${element.id}`.slice(0, 120);
  const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`);
  const name = element.tagName.toLowerCase() + classes.join('');
  const parent = element.closest('[id]');
  return (parent ? `#${parent.id} ${name}` : name).slice(0, 120);
}

/** Without height, or taken away by what failed to fill it; not what the page hides on this device. */
function isCollapsed(element: Element, rect: Rect, finding: Finding): boolean {
  if (rect.width >= 10 && rect.height >= 10) return false;
  const parent = parentOf(element);
  if (!(element instanceof HTMLElement) || !parent?.checkVisibility()) return false;
  if (element.tagName === 'IFRAME') return false;
  if (getComputedStyle(element).display !== 'none') return true;
  const unfilled = element.matches('[data-ad-status="unfilled"], [data-google-query-id], [hidden]');
  return (
    element.style.display === 'none' ||
    unfilled ||
    (finding.declared && finding.sizes.length > 0 && element.matches(':empty'))
  );
}

function isShown(element: Element, rect: Rect): boolean {
  return (
    rect.width >= 10 &&
    rect.height >= 10 &&
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  );
}

function skips(element: Element): boolean {
  return /^(HTML|BODY|HEAD|SCRIPT|STYLE|LINK|META|TITLE|NOSCRIPT|TEMPLATE|IMG|PICTURE|SOURCE|SVG|PATH|BR|HR|INPUT|BUTTON|SELECT|OPTION|TEXTAREA|LABEL|VIDEO|AUDIO|CANVAS|OBJECT|EMBED|P|SPAN|H[1-6]|UL|OL|LI|TABLE|TR|TBODY|FORM|NAV|SMALL|I|B|EM|STRONG|TIME|AMP-IMG|I-AMPHTML-SIZER)$/i.test(
    element.tagName,
  );
}

function rectOf(element: Element): Rect {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

function examine(element: Element, declared: Map<string, Declaration[]>): RawSlot | undefined {
  const finding = declaredFinding(element, declared);
  if (finding.evidence.length === 0 && skips(element)) return undefined;
  const rect = rectOf(element);
  lookedAtFinding(element, finding, rect);
  if (finding.evidence.length === 0) return undefined;
  const sure = finding.evidence.some((kind) => /gpt|prebid|adsense|amp/.test(kind));
  const collapsed = isCollapsed(element, rect, finding);
  if (!sure && !isPlausible(rect, collapsed, element)) return undefined;
  // A declared slot without sizes is not shown in a window of this width.
  if (finding.declared && finding.sizes.length === 0 && !finding.fluid && !finding.outOfPage) return undefined;
  return {
    rect,
    sizes: finding.sizes.slice(0, 30),
    fluid: finding.fluid || (collapsed && finding.sizes.length === 0 && rect.width > 0),
    evidence: finding.evidence,
    element: labelOf(element),
    visible: isShown(element, rect),
    collapsed,
    sticky: isPinned(element),
    covered: false,
    isFrame: element.tagName === 'IFRAME',
    outOfPage: finding.outOfPage,
    parent: -1,
  };
}

/** For slots that nothing but their looks or names speak for. */
function isPlausible(rect: Rect, collapsed: boolean, element: Element): boolean {
  if (collapsed)
    return rect.width >= 120 && element.childElementCount <= 3 && (element.textContent ?? '').trim() === '';
  return rect.width >= 88 && rect.height >= 31 && rect.height <= 1_200;
}

function everyElement(root: Document | ShadowRoot, into: Element[]): Element[] {
  for (const element of root.querySelectorAll('*')) {
    if (into.length >= 40_000) break;
    into.push(element);
    if (element.shadowRoot) everyElement(element.shadowRoot, into);
  }
  return into;
}

function nearestSlot(element: Element | null, elements: Element[]): number {
  for (let at = element; at; at = parentOf(at)) {
    const index = elements.indexOf(at);
    if (index >= 0) return index;
  }
  return -1;
}

function scanFrame(declarations: Declaration[]): Scan {
  const declared = new Map<string, Declaration[]>();
  for (const one of declarations) declared.set(one.id, [...(declared.get(one.id) ?? []), one]);
  const slots: RawSlot[] = [];
  const elements: Element[] = [];
  for (const element of everyElement(document, [])) {
    if (slots.length >= 200) break;
    const slot = examine(element, declared);
    if (slot === undefined) continue;
    slots.push(slot);
    elements.push(element);
  }
  slots.forEach((slot, index) => {
    slot.parent = nearestSlot(parentOf(elements[index]!), elements);
  });
  return { slots, elements, scroll: { x: scrollX, y: scrollY } };
}

/** Afterwards, because it scrolls. */
function findCovered({ slots, elements, scroll }: Scan): void {
  slots.slice(0, 60).forEach((slot, index) => {
    slot.covered = slot.visible && isCovered(elements[index]!);
  });
  scrollTo({ left: scroll.x, top: scroll.y, behavior: 'instant' });
}

function ownerOf(frame: Element, { elements, scroll }: Scan): FrameOwner {
  const { x, y } = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const edge = (side: 'Left' | 'Top') => Number.parseFloat(style[`padding${side}`]);
  const rect = {
    x: x + frame.clientLeft + edge('Left'),
    y: y + frame.clientTop + edge('Top'),
    width: frame.clientWidth,
    height: frame.clientHeight,
  };
  const visible = isShown(frame, rect);
  const covered = visible && isCovered(frame);
  scrollTo({ left: scroll.x, top: scroll.y, behavior: 'instant' });
  return { rect, visible, covered, sticky: isPinned(frame), parent: nearestSlot(frame, elements) };
}

export interface ScanTools {
  scan(declarations: Declaration[]): Scan;
  findCovered(scan: Scan): void;
  ownerOf(frame: Element, scan: Scan): FrameOwner;
}

/** Gives {@link ScanTools}. */
export const SCAN_TOOLS = expressionOf(
  [
    iabSizes,
    isIabSize,
    wordsOf,
    wordStrength,
    sizesFromText,
    attributeSizes,
    hasAdAttribute,
    holdsContent,
    isEmptyBox,
    frameEvidence,
    ampSizes,
    adsenseSizes,
    declaredFinding,
    lookedAtFinding,
    isPinned,
    parentOf,
    isWithin,
    topmostAt,
    isCovered,
    labelOf,
    isCollapsed,
    isShown,
    skips,
    rectOf,
    examine,
    isPlausible,
    everyElement,
    nearestSlot,
    scanFrame,
    findCovered,
    ownerOf,
  ],
  '{ scan: scanFrame, findCovered, ownerOf }',
);
