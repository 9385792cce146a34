/** Finds ad slots inside one frame. */
import type { SlotEvidence } from '../page.ts';
import type { Declaration } from './declarations.ts';
import { RECT, type Rect } from './rect.ts';
import { expressionOf } from './script.ts';
import { type Finding, SLOT_EVIDENCE } from './slotEvidence.ts';
import { VISIBILITY } from './visibility.ts';

declare const declaredEvidence: typeof SLOT_EVIDENCE.declaredEvidence;
declare const isCovered: typeof VISIBILITY.isCovered;
declare const isSticky: typeof VISIBILITY.isSticky;
declare const isShown: typeof VISIBILITY.isShown;
declare const inspectElement: typeof SLOT_EVIDENCE.inspectElement;
declare const parentOf: typeof VISIBILITY.parentOf;
declare const rectOf: typeof RECT.rectOf;

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
  outOfPage: boolean;
  /** Index of the nearest slot around this one, or -1. */
  parent: number;
}

/** The result, which stays in the page: `elements[i]` is the element of `slots[i]`. */
export interface Scan {
  slots: RawSlot[];
  elements: Element[];
  scroll: { x: number; y: number };
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

function labelOf(element: Element): string {
  if (element.id !== '') return `#${element.id}`.slice(0, 120);
  const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`);
  const name = element.tagName.toLowerCase() + classes.join('');
  const parent = element.closest('[id]');
  return (parent ? `#${parent.id} ${name}` : name).slice(0, 120);
}

/** Whether the slot has no height, or a script hid it because no ad came. Not true for slots that the page hides on this device. */
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

function isNeverSlot(element: Element): boolean {
  return /^(HTML|BODY|HEAD|SCRIPT|STYLE|LINK|META|TITLE|NOSCRIPT|TEMPLATE|IMG|PICTURE|SOURCE|SVG|PATH|BR|HR|INPUT|BUTTON|SELECT|OPTION|TEXTAREA|LABEL|VIDEO|AUDIO|CANVAS|OBJECT|EMBED|P|SPAN|H[1-6]|UL|OL|LI|TABLE|TR|TBODY|FORM|NAV|SMALL|I|B|EM|STRONG|TIME|AMP-IMG|I-AMPHTML-SIZER)$/i.test(
    element.tagName,
  );
}

/** Decides on slots whose only evidence is their size or name. */
function isPlausible(rect: Rect, collapsed: boolean, element: Element): boolean {
  if (collapsed)
    return rect.width >= 120 && element.childElementCount <= 3 && (element.textContent ?? '').trim() === '';
  return rect.width >= 88 && rect.height >= 31 && rect.height <= 1_200;
}

function examine(element: Element, declared: Map<string, Declaration[]>): RawSlot | undefined {
  const finding = declaredEvidence(element, declared);
  if (finding.evidence.length === 0 && isNeverSlot(element)) return undefined;
  const rect = rectOf(element);
  inspectElement(element, finding, rect);
  if (finding.evidence.length === 0) return undefined;
  const sure = finding.evidence.some((kind) => /gpt|prebid|adsense|amp/.test(kind));
  const collapsed = isCollapsed(element, rect, finding);
  if (!sure && !isPlausible(rect, collapsed, element)) return undefined;
  // A declared slot without sizes stays empty at this window width.
  if (finding.declared && finding.sizes.length === 0 && !finding.fluid && !finding.outOfPage) return undefined;
  return {
    rect,
    sizes: finding.sizes.slice(0, 30),
    fluid: finding.fluid || (collapsed && finding.sizes.length === 0 && rect.width > 0),
    evidence: finding.evidence,
    element: labelOf(element),
    visible: isShown(element, rect),
    collapsed,
    sticky: isSticky(element),
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

/** Runs after the scan, because it scrolls. */
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
  return { rect, visible, covered, sticky: isSticky(frame), parent: nearestSlot(frame, elements) };
}

export interface ScanTools {
  scan(declarations: Declaration[]): Scan;
  findCovered(scan: Scan): void;
  ownerOf(frame: Element, scan: Scan): FrameOwner;
}

/** Evaluates to {@link ScanTools}. */
export const SCAN_TOOLS = expressionOf(
  {
    ...RECT,
    ...VISIBILITY,
    ...SLOT_EVIDENCE,
    labelOf,
    isCollapsed,
    isNeverSlot,
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
