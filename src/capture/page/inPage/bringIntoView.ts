/** Scrolls the page so that the whole ad is visible, and hides what covers it. Runs in the top document. */
import { type Hiding, OVERLAYS } from './overlays.ts';
import type { Rect } from './rect.ts';
import type { PagePart } from './script.ts';
import { STABILIZE } from './stabilize.ts';

declare const freeBand: typeof OVERLAYS.freeBand;
declare const hideCovering: typeof OVERLAYS.hideCovering;
declare const hideViewportLayers: typeof OVERLAYS.hideViewportLayers;
declare const isUncovered: typeof OVERLAYS.isUncovered;
declare const releasePage: typeof OVERLAYS.releasePage;
declare const viewSettled: typeof STABILIZE.viewSettled;

/** The ad as the top document knows it: its image, or the frame around it and the ad's position in that frame. */
export interface AdInPage {
  owner: Element;
  offset: Rect;
}

/** `top`: at the top of the page if the ad is visible there; else centred. `start` and `end`: at that edge of the window, in both directions. */
export type ScrollPosition = 'top' | 'center' | 'start' | 'end';

export interface ViewRequest {
  position: ScrollPosition;
  /** Also hides layers that clicks pass through, and layers that scroll with the page. */
  thorough: boolean;
}

function adRect({ owner, offset }: AdInPage): Rect {
  const { left, top } = owner.getBoundingClientRect();
  return { x: left + offset.x, y: top + offset.y, width: offset.width, height: offset.height };
}

/** The part of the page that the screen shows, in the coordinates of `getBoundingClientRect`. */
function shownPart(): Rect {
  const view = visualViewport;
  if (view === null) return { x: 0, y: 0, width: innerWidth, height: innerHeight };
  return { x: view.offsetLeft, y: view.offsetTop, width: view.width, height: view.height };
}

/** The top left corner of the screen or of the page, in the same coordinates. */
function originOf(area: 'screen' | 'page'): { x: number; y: number } {
  if (area === 'screen') return shownPart();
  return { x: -scrollX, y: -scrollY };
}

async function toTop(): Promise<void> {
  scrollTo({ left: 0, top: 0, behavior: 'instant' });
  await viewSettled();
}

/** @returns the elements that it hid, and how to show them again. */
async function bringIntoView(ad: AdInPage, { position, thorough }: ViewRequest): Promise<Hiding> {
  const hiding: Hiding = { hidden: [], undo: [] };
  const add = (more: Hiding) => {
    hiding.hidden.push(...more.hidden);
    hiding.undo.push(...more.undo);
    if (more.hidden.length > 0) hiding.undo.push(...releasePage(ad.owner));
    return more.hidden.length > 0;
  };
  if (position === 'top') scrollTo({ left: 0, top: 0, behavior: 'instant' });
  add(hideViewportLayers(ad.owner));
  const staysAtTop = position === 'top' && isInBand(ad, 16) && isUncovered(ad.owner, adRect(ad));
  if (!staysAtTop) scrollToBand(ad, position === 'top' ? 'center' : position);
  await viewSettled();
  if (add(hideViewportLayers(ad.owner)) || !isInBand(ad, 0)) scrollToBand(ad, position === 'top' ? 'center' : position);
  if (thorough || !isUncovered(ad.owner, adRect(ad))) {
    if (add(hideCovering(ad.owner, adRect(ad), thorough)) && !isInBand(ad, 0)) scrollToBand(ad, 'center');
    await viewSettled();
  }
  return hiding;
}

/** Layers that a script added since the page was prepared. */
function hideLateLayers(ad: AdInPage): Hiding {
  const [wide, over] = [hideViewportLayers(ad.owner), hideCovering(ad.owner, adRect(ad), false)];
  return { hidden: [...wide.hidden, ...over.hidden], undo: [...wide.undo, ...over.undo] };
}

function isInBand(ad: AdInPage, margin: number): boolean {
  const { x, y, width, height } = adRect(ad);
  const band = bandOf(ad);
  const view = shownPart();
  const inColumns = x >= view.x - 0.5 && x + width <= view.x + view.width + 0.5;
  return inColumns && y >= band.top && y + height <= band.bottom - (band.bottom < view.y + view.height ? 0 : margin);
}

/** The rows of the screen that no bar covers; all rows if the ad does not fit between the bars. */
function bandOf(ad: AdInPage): { top: number; bottom: number } {
  const view = shownPart();
  const free = freeBand(ad.owner, adRect(ad), view);
  return free.bottom - free.top >= ad.offset.height ? free : { top: view.y, bottom: view.y + view.height };
}

/** Bars may appear or become smaller while the page scrolls, so this takes up to three steps. */
function scrollToBand(ad: AdInPage, position: Exclude<ScrollPosition, 'top'>): void {
  // Only this moves a screen that shows a part of a wider page across that page.
  const isWider = document.documentElement.clientWidth > shownPart().width + 1;
  const inline = isWider && position !== 'center' ? position : 'nearest';
  ad.owner.scrollIntoView({ block: 'center', inline, behavior: 'instant' });
  for (let step = 0; step < 3; step++) {
    const { x, y, width, height } = adRect(ad);
    const band = bandOf(ad);
    const view = shownPart();
    const spare = band.bottom - band.top - height;
    const part = position === 'start' ? 0.04 : position === 'end' ? 0.96 : 0.5;
    const down = y - (band.top + Math.max(0, Math.round(spare * part)));
    const across = x < view.x ? x - view.x : Math.max(0, x + width - view.x - view.width);
    if (Math.abs(down) < 1 && Math.abs(across) < 1) return;
    scrollerOf(ad.owner).scrollBy({ left: Math.ceil(across), top: Math.round(down), behavior: 'instant' });
  }
}

/** The page, or the container that some pages scroll instead. */
function scrollerOf(owner: Element): Element | Window {
  for (let at = owner.parentElement; at && at !== document.body; at = at.parentElement) {
    const scrolls = /auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight + 1;
    if (scrolls && at.clientHeight >= innerHeight * 0.6) return at;
  }
  return window;
}

export const BRING_INTO_VIEW = {
  ...OVERLAYS,
  ...STABILIZE,
  adRect,
  shownPart,
  originOf,
  toTop,
  bringIntoView,
  hideLateLayers,
  isInBand,
  bandOf,
  scrollToBand,
  scrollerOf,
} satisfies PagePart;
