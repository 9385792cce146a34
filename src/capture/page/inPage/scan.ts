/** Finds ad slots inside one frame. */
import type { DrawnFormat } from '../../../domain/slotFormats.ts';
import type { SlotEvidence, SlotSurroundings } from '../page.ts';
import { NEVER_DISPLAY, type SlotKind } from '../slotTable.ts';
import { allowedSizes, roomOf } from './allowedSizes.ts';
import { isClobbered, parentElementOf } from './clobbering.ts';
import { type Declaration, declarationsIn, type SlotRecords, unitsOverPage } from './declarations.ts';
import { adoptUnits, findLinkedImages, findNetworks, newContext } from './networks.ts';
import { findPlayers, type Player } from './players.ts';
import { contentOf, labelOf, nameStrength, namesOf, type SlotContext, wordsIn } from './slotContext.ts';
import {
  declaredEvidence,
  holdsOnlyBrokenImages,
  inspectElement,
  isBait,
  isCollapsed,
  isForOtherDevice,
  isInvisibleUntilFilled,
} from './slotEvidence.ts';
import { isStandardSize } from './slotSizes.ts';
import { isCovered, isShown, isSticky, isWithin, parentOf, type Rect, rectOf } from './visibility.ts';

/** A slot in one frame. Boxes are in the frame's viewport. */
export interface RawSlot {
  rect: Rect;
  sizes: [number, number][];
  /** Accepts any ad that fits its width. */
  fluid: boolean;
  evidence: SlotEvidence[];
  element: string;
  visible: boolean;
  collapsed: boolean;
  sticky: boolean;
  covered: boolean;
  isFrame: boolean;
  kind: SlotKind;
  /** As in a candidate. */
  sizeTrust: number;
  surroundings: SlotSurroundings;
  /** Index of the nearest slot around this one, or -1. */
  parent: number;
}

/** The result, which stays in the page: `elements[i]` is the element of `slots[i]`. */
export interface Scan {
  slots: RawSlot[];
  elements: Element[];
  scroll: { x: number; y: number };
  /** Units that the page lets a library draw over it. */
  overPage: DrawnFormat[];
}

/** The position of a child frame in its parent. */
export interface FrameOwner {
  /** Content box in the parent's viewport. */
  rect: Rect;
  visible: boolean;
  covered: boolean;
  sticky: boolean;
  /** Index of the slot that is the frame or contains it, or -1. */
  parent: number;
}

function isNeverSlot(element: Element): boolean {
  return /^(HTML|BODY|HEAD|SCRIPT|STYLE|LINK|META|TITLE|NOSCRIPT|TEMPLATE|IMG|PICTURE|SOURCE|SVG|PATH|BR|HR|INPUT|BUTTON|SELECT|OPTION|TEXTAREA|LABEL|VIDEO|AUDIO|CANVAS|OBJECT|EMBED|H[1-6]|TABLE|TR|TBODY|FORM|NAV|SMALL|I|B|EM|STRONG|TIME|A|AMP-IMG|I-AMPHTML-SIZER)$/i.test(
    element.tagName,
  );
}

/** Decides on slots whose only evidence is their size or name. */
function isPlausible(
  context: SlotContext,
  element: Element,
  { rect, collapsed }: { rect: Rect; collapsed: boolean },
): boolean {
  const isPart = /^(P|SPAN|LI|UL|OL|TD)$/.test(element.tagName) && !element.matches('span[data-slot-id]:empty');
  if (isPart && !isStandardSize(context.sizeKeys, rect.width, rect.height)) return false;
  if (!collapsed) return rect.width >= 88 && rect.height >= 31 && rect.height <= 1_200;
  const content = contentOf(element);
  return (
    placeOf(element, rect).width >= 120 &&
    element.childElementCount <= 3 &&
    (content === 'nothing' || content === 'label' || (content === 'ad' && holdsOnlyBrokenImages(element)))
  );
}

/** Where a hidden element would be: at the end of the box around it. */
function placeOf(element: Element, rect: Rect): Rect {
  if (rect.width > 0 || rect.height > 0) return rect;
  for (let at = parentOf(element); at; at = parentOf(at)) {
    const { x, y, width, height } = rectOf(at);
    if (width > 0) return { x, y: y + (at.childElementCount > 1 ? height : 0), width, height: 0 };
  }
  return rect;
}

/** An anchor, a rail or an interstitial, by its place in the window. */
function kindOfFixed(rect: Rect): SlotKind {
  if (rect.height > innerHeight * 0.5) return rect.width > innerWidth * 0.5 ? 'interstitial' : 'rail';
  return rect.width < innerWidth * 0.3 && rect.height > 300 ? 'rail' : 'anchor';
}

function examine(element: Element, context: SlotContext): RawSlot | undefined {
  const finding = declaredEvidence(element, context);
  if (finding.evidence.length === 0 && isNeverSlot(element)) return undefined;
  const image = context.images.get(element);
  const rect = rectOf(image?.image ?? element);
  inspectElement(context, element, { finding, rect });
  if (finding.evidence.length === 0) return undefined;
  const sure = isSure(finding);
  const collapsed = isCollapsed(context, element, { rect, finding });
  if (!sure && !isPlausible(context, element, { rect, collapsed })) return undefined;
  // A declared slot without sizes stays empty at this window width.
  if (finding.declared && finding.sizes.length === 0 && !finding.fluid && !finding.outOfPage) return undefined;
  const matches = context.networks.get(element) ?? [];
  if (collapsed && isForOtherDevice(context, element)) return undefined;
  const known = image
    ? { sizes: [image.size], trust: 4, kind: 'display' as const }
    : allowedSizes(context, element, { matches, rect, collapsed });
  const holdsPage = contentOf(element) === 'content' && !finding.declared && known.kind === 'display';
  if (holdsPage && !image) return undefined;
  const afterFooter = isAfterFooter(context, element);
  const sticky = isSticky(element);
  // Scripts often add bars at the end of the document.
  const isAtEnd = afterFooter && !sticky;
  if (collapsed && !sure && known.trust < 2 && (isAtEnd || isBait(context, element))) return undefined;
  const declared = finding.sizes.length > 0 && known.kind !== 'none';
  const kind = finding.outOfPage ? 'none' : known.kind === 'display' && sticky ? kindOfFixed(rect) : known.kind;
  return {
    rect: placeOf(element, rect),
    sizes: (declared ? finding.sizes : known.sizes).slice(0, 30),
    fluid: finding.fluid,
    evidence: finding.evidence,
    element: labelOf(element),
    visible: isShown(image?.image ?? element, rect) || isInvisibleUntilFilled(context, element, rect),
    collapsed,
    sticky,
    covered: false,
    isFrame: element.tagName === 'IFRAME',
    kind: finding.declared && !finding.outOfPage && !sticky ? 'display' : kind,
    sizeTrust: declared ? 5 : known.trust,
    surroundings: { ...surroundingsOf(context, element, rect), afterFooter },
    parent: -1,
  };
}

const FOOTER = 'footer, [role="contentinfo"], :not(html, body):is([id*="footer" i], [class*="footer" i])';

/** Whether the element stands behind the last footer that is as wide as the page. */
function isAfterFooter(context: SlotContext, element: Element): boolean {
  if (context.footer === undefined) context.footer = lastFooter();
  return context.footer?.compareDocumentPosition(element) === Node.DOCUMENT_POSITION_FOLLOWING;
}

function lastFooter(): Element | null {
  const last = [...document.querySelectorAll(FOOTER)].findLast((one) => {
    const { y, width, height } = rectOf(one);
    const isAtEnd = (y + scrollY) * 2 > document.documentElement.scrollHeight;
    return isAtEnd && height > 30 && width >= document.documentElement.clientWidth * 0.6;
  });
  return last ?? null;
}

function surroundingsOf(context: SlotContext, element: Element, rect: Rect): Omit<SlotSurroundings, 'afterFooter'> {
  context.headline ??= headlineBottom();
  return {
    name: nameStrength(context, element),
    content: contentOf(element),
    room: Math.round(roomOf(element)),
    belowHeadline: context.headline === 'none' ? null : Math.round(placeOf(element, rect).y - context.headline),
    inArticle:
      element.closest('article, main, [itemprop="articleBody"], :not(html, body)[class*="article" i]') !== null,
    inFooter: element.closest(FOOTER) !== null,
    inMenu: isInMenu(element),
    forOtherDevice: isForOtherDevice(context, element),
  };
}

/** Whether around the element are links of the site, buttons for sharing, or the name of a sponsor, and no text. */
function isInMenu(element: Element): boolean {
  const menu = /^(nav(bar|igation)?|menu|share(tools)?|sponsor(ed)?)$/;
  for (let at = parentElementOf(element); at && at.querySelector('h1, p, article') === null; at = parentElementOf(at))
    if (at.tagName === 'NAV' || wordsIn(namesOf(at)).some((word) => menu.test(word))) return true;
  return false;
}

/** The lower edge of the page's first headline, in the frame's viewport. Logos are headlines without much text. */
function headlineBottom(): number | 'none' {
  const shown = (one: HTMLElement) => one.innerText.trim().length > 15 && isShown(one, rectOf(one));
  for (const tag of ['h1', 'h2, h3']) {
    const headline = [...document.querySelectorAll<HTMLElement>(tag)].slice(0, 50).find(shown);
    if (headline) return rectOf(headline).y + rectOf(headline).height;
  }
  return 'none';
}

function everyElement(
  root: Document | ShadowRoot,
  into: { elements: Element[]; roots: (Document | ShadowRoot)[] },
): void {
  into.roots.push(root);
  for (const element of root.querySelectorAll('*')) {
    if (into.elements.length >= 40_000) break;
    if (isClobbered(element)) continue;
    into.elements.push(element);
    if (element.shadowRoot) everyElement(element.shadowRoot, into);
  }
}

/** All elements, after the context knows the networks and linked images among them. */
function elementsToExamine(context: SlotContext): Element[] {
  const found: { elements: Element[]; roots: (Document | ShadowRoot)[] } = { elements: [], roots: [] };
  everyElement(document, found);
  findNetworks(context, found.elements);
  for (const root of found.roots) findLinkedImages(context, root);
  // The search for networks adds an element before each script that prints an ad.
  return found.elements.flatMap((element) => {
    const before = element.previousElementSibling;
    return element.tagName === 'SCRIPT' && before instanceof HTMLDivElement && before.hasAttribute('data-ad-place')
      ? [before, element]
      : [element];
  });
}

function nearestSlot(element: Element | null, elements: Element[]): number {
  for (let at = element; at; at = parentOf(at)) {
    const index = elements.indexOf(at);
    if (index >= 0) return index;
  }
  return -1;
}

interface ScanRequest {
  /** Declarations of the page's scripts; undefined if the recorder did not run in the frame. */
  records: Partial<SlotRecords> | undefined;
  /** Whether pictures show the page without its own ads. */
  hidesAds: boolean;
}

export function scan({ records, hidesAds }: ScanRequest): Scan {
  const declared = new Map<string, Declaration[]>();
  for (const one of declarationsIn(records)) declared.set(one.id, [...(declared.get(one.id) ?? []), one]);
  const slots: RawSlot[] = [];
  const elements: Element[] = [];
  const context = newContext(declared);
  adoptUnits(context);
  const examined = elementsToExamine(context);
  for (const element of examined) {
    if (slots.length >= 200) break;
    const slot = examine(element, context);
    if (slot === undefined) continue;
    slots.push(slot);
    elements.push(element);
  }
  for (const [index, element] of elements.entries()) {
    const slot = slots[index];
    if (slot !== undefined) slot.parent = nearestSlot(parentOf(element), elements);
  }
  addPlayers(context, examined, { slots, elements });
  if (collapsesUnfilled(context, records?.collapse))
    for (const one of elements)
      if (one.id !== '' && declared.has(one.id)) one.setAttribute('data-collapses-unfilled', '');
  if (hidesAds)
    for (const [index, one] of elements.entries()) {
      const slot = slots[index];
      // A widget of recommendations without its images would look broken.
      if (isSure(slot) && !NEVER_DISPLAY.has(slot.kind)) markAds(one);
    }
  return { slots, elements, scroll: { x: scrollX, y: scrollY }, overPage: unitsOverPage(records) };
}

/** A box around a player that is not higher has no content of the page. CSS pixels. */
const MARGIN = 80;

type Found = Pick<Scan, 'slots' | 'elements'>;

/** A video in a slot is an ad, and no player of the page. */
function addPlayers(context: SlotContext, examined: readonly Element[], { slots, elements }: Found): void {
  for (const { element, rect } of findPlayers(examined)) {
    if (isInAd(context, { element, rect }, { slots, elements })) continue;
    const known = elements.indexOf(element);
    const at = known >= 0 ? known : elements.push(element) - 1;
    slots[at] = {
      rect,
      sizes: [[Math.round(rect.width), Math.round(rect.height)]],
      fluid: false,
      evidence: ['player'],
      element: labelOf(element),
      visible: true,
      collapsed: false,
      sticky: isSticky(element),
      covered: false,
      isFrame: false,
      kind: 'in_stream',
      sizeTrust: 4,
      surroundings: { ...surroundingsOf(context, element, rect), afterFooter: isAfterFooter(context, element) },
      parent: slots[known]?.parent ?? -1,
    };
    // A box over a video is a part of its player.
    for (const [index, one] of elements.entries()) {
      const slot = slots[index];
      if (slot !== undefined && index !== at && isWithin(one, element) && isInside(slot.rect, rect)) slot.parent = at;
    }
  }
}

function isInAd(context: SlotContext, { element, rect }: Player, { slots, elements }: Found): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const slot = slots[elements.indexOf(at)];
    if (slot?.kind === 'video') return false;
    const isBox = rectOf(at).height <= rect.height + MARGIN;
    if (isSure(slot) || (isBox && at !== element && nameStrength(context, at) === 'ad')) return true;
  }
  return false;
}

function isInside(inner: Rect, outer: Rect): boolean {
  const [right, bottom] = [outer.x + outer.width, outer.y + outer.height];
  const isAcross = inner.x >= outer.x - 1 && inner.x + inner.width <= right + 1;
  return isAcross && inner.y >= outer.y - 1 && inner.y + inner.height <= bottom + 1;
}

/** Whether it is a slot for another reason than its name and its size. */
function isSure<S extends Pick<RawSlot, 'evidence'>>(found: S | undefined): found is S {
  return found?.evidence.some((kind) => /gpt|prebid|adsense|amp|network|linked_image/.test(kind)) ?? false;
}

/** Marks ads that came with the page or from the publisher, whose requests were not blocked. Staging hides them. */
function markAds(slot: Element): void {
  const ads = 'iframe, video, a img';
  for (const ad of [...(slot.matches(ads) ? [slot] : []), ...slot.querySelectorAll(ads)])
    ad.setAttribute('data-other-ad', '');
}

/** Whether the page tells Google Publisher Tag to collapse a slot that gets no ad. Staging does that to the other slots of a picture. */
function collapsesUnfilled({ scripts }: SlotContext, setting: unknown): boolean {
  if (/ON_NO_FILL|BEFORE_FETCH/.test(JSON.stringify(setting ?? null))) return true;
  return scripts.some((code) => /collapseEmptyDivs?\((?!\s*false)|ON_NO_FILL/.test(code));
}

/** Runs after the scan, because it scrolls. */
export function findCovered({ slots, elements, scroll }: Scan): void {
  for (const [index, element] of elements.slice(0, 60).entries()) {
    const slot = slots[index];
    if (slot !== undefined) slot.covered = slot.visible && isCovered(element);
  }
  (document.scrollingElement ?? window).scrollTo({ left: scroll.x, top: scroll.y, behavior: 'instant' });
}

export function ownerOf(frame: Element, { elements, scroll }: Scan): FrameOwner {
  // The scan of another frame of the same origin scrolls this one too.
  (document.scrollingElement ?? window).scrollTo({ left: scroll.x, top: scroll.y, behavior: 'instant' });
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
  (document.scrollingElement ?? window).scrollTo({ left: scroll.x, top: scroll.y, behavior: 'instant' });
  return { rect, visible, covered, sticky: isSticky(frame), parent: nearestSlot(frame, elements) };
}
