/** Tells whether a reader sees an element: shown, sticky, covered. */
import { builtIn, isClobbered } from './clobbering.ts';

/** CSS pixels, in the viewport of the element's own frame. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function parentOf(element: Element): Element | null {
  const parent = builtIn(element, 'assignedSlot') ?? builtIn(element, 'parentElement') ?? hostOf(element);
  return parent !== null && isClobbered(parent) ? parentOf(parent) : parent;
}

function hostOf(element: Element): Element | null {
  const root = builtIn(element, 'getRootNode').call(element);
  return root instanceof ShadowRoot ? root.host : null;
}

export function isWithin(element: Element, outer: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) if (at === outer) return true;
  return false;
}

/** Whether it shows a staged ad: several ads of one picture are staged at the same time. */
export function holdsShownAd(element: Element): boolean {
  return element.matches(SHOWN_AD) || element.querySelector(SHOWN_AD) !== null;
}

const SHOWN_AD = '[data-shown-ad], [data-holds-shown-ad]';

const shadowOf = (element: Element | null) => element && builtIn(element, 'shadowRoot');

/** The browser rounds a point in the last half pixel of the window to one outside. */
const beforeEnd = (at: number, end: number) => (at < end ? Math.min(at, end - 1) : at);

export function topmostAt(x: number, y: number): Element | null {
  let top = document.elementFromPoint(beforeEnd(x, innerWidth), beforeEnd(y, innerHeight));
  for (let root = shadowOf(top); root; root = shadowOf(top)) {
    const inner = root.elementFromPoint(x, y);
    if (inner === null || inner === top) break;
    top = inner;
  }
  return top !== null && isClobbered(top) ? parentOf(top) : top;
}

export function isVisible(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

export function isShown(element: Element, rect: Rect): boolean {
  return rect.width >= 10 && rect.height >= 10 && isVisible(element);
}

/**
 * Fixed to the window, or a thin bar that sticks to its lower edge. A side bar that sticks while the text scrolls is part of the
 * page. A fixed box that fills the window and in which the page scrolls is part of it too, as is a body that a dialog fixes. A high
 * header at the top is part of it, because the page begins below it.
 */
export function isSticky(element: Element): boolean {
  let scrolls = false;
  for (let at: Element | null = element; at && at !== document.body; at = parentOf(at)) {
    const { position, bottom, overflowY } = getComputedStyle(at);
    const { y, width, height } = rectOf(at);
    scrolls ||= /^(auto|scroll)$/.test(overflowY) && at.scrollHeight > at.clientHeight;
    const isPage = scrolls && width >= innerWidth * 0.9 && height >= innerHeight * 0.9;
    const isHeader = y <= 0 && width >= innerWidth * 0.8 && height > 130 && height < innerHeight * 0.5;
    if (position === 'fixed' && !isPage && !isHeader) return true;
    if (position === 'sticky' && bottom !== 'auto' && width >= innerWidth * 0.8 && height <= innerHeight * 0.3)
      return true;
  }
  return false;
}

/** The layer fixed to the window that holds a slot. Readers scroll what is under it out from there. */
export function fixedLayerOf(slot: Element): Element | undefined {
  let layer: Element | undefined;
  for (let at: Element | null = slot; at; at = parentOf(at)) if (getComputedStyle(at).position === 'fixed') layer = at;
  return layer;
}

/** Whether other elements cover most of it. Scrolls to the element; the caller restores the scroll position. */
export function isCovered(element: Element): boolean {
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

/** The part of the page that the screen shows, in the coordinates of `getBoundingClientRect`. */
export function shownPart(): Rect {
  const view = visualViewport;
  if (view === null) return { x: 0, y: 0, width: innerWidth, height: innerHeight };
  return { x: view.offsetLeft, y: view.offsetTop, width: view.width, height: view.height };
}

/** Readers scroll such a page sideways. */
export function hasVerticalLines(): boolean {
  return /^(vertical|sideways)/.test(getComputedStyle(document.body ?? document.documentElement).writingMode);
}

export function rectOf(element: Element): Rect {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}
