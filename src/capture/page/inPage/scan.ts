/** Looks for ad slots inside one frame. */
import type { SlotEvidence } from '../page.ts';
import type { Declaration } from './declarations.ts';
import { RECT, type Rect } from './rect.ts';
import { expressionOf } from './script.ts';
import { SIGHT } from './sight.ts';
import { type Finding, SLOT_EVIDENCE } from './slotEvidence.ts';

declare const declaredFinding: typeof SLOT_EVIDENCE.declaredFinding;
declare const isCovered: typeof SIGHT.isCovered;
declare const isPinned: typeof SIGHT.isPinned;
declare const isShown: typeof SIGHT.isShown;
declare const lookedAtFinding: typeof SLOT_EVIDENCE.lookedAtFinding;
declare const parentOf: typeof SIGHT.parentOf;
declare const rectOf: typeof RECT.rectOf;

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

function skips(element: Element): boolean {
  return /^(HTML|BODY|HEAD|SCRIPT|STYLE|LINK|META|TITLE|NOSCRIPT|TEMPLATE|IMG|PICTURE|SOURCE|SVG|PATH|BR|HR|INPUT|BUTTON|SELECT|OPTION|TEXTAREA|LABEL|VIDEO|AUDIO|CANVAS|OBJECT|EMBED|P|SPAN|H[1-6]|UL|OL|LI|TABLE|TR|TBODY|FORM|NAV|SMALL|I|B|EM|STRONG|TIME|AMP-IMG|I-AMPHTML-SIZER)$/i.test(
    element.tagName,
  );
}

/** For slots that nothing but their looks or names speak for. */
function isPlausible(rect: Rect, collapsed: boolean, element: Element): boolean {
  if (collapsed)
    return rect.width >= 120 && element.childElementCount <= 3 && (element.textContent ?? '').trim() === '';
  return rect.width >= 88 && rect.height >= 31 && rect.height <= 1_200;
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
  for (const [index, element] of elements.entries()) {
    const slot = slots[index];
    if (slot !== undefined) slot.parent = nearestSlot(parentOf(element), elements);
  }
  return { slots, elements, scroll: { x: scrollX, y: scrollY } };
}

/** Afterwards, because it scrolls. */
function findCovered({ slots, elements, scroll }: Scan): void {
  for (const [index, element] of elements.slice(0, 60).entries()) {
    const slot = slots[index];
    if (slot !== undefined) slot.covered = slot.visible && isCovered(element);
  }
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
  {
    ...RECT,
    ...SIGHT,
    ...SLOT_EVIDENCE,
    labelOf,
    isCollapsed,
    skips,
    examine,
    isPlausible,
    everyElement,
    nearestSlot,
    scanFrame,
    findCovered,
    ownerOf,
  },
  '{ scan: scanFrame, findCovered, ownerOf }',
);
