/** Places a picture into a slot of the live page, and restores the page afterwards. */

import type { AdSize } from '../../../domain/ads.ts';
import { type AdInPage, BRING_INTO_VIEW, type ViewRequest } from './bringIntoView.ts';
import type { Hiding } from './overlays.ts';
import { RECT, type Rect } from './rect.ts';
import { expressionOf } from './script.ts';
import { SLOT_SPACE } from './slotSpace.ts';
import { STYLES } from './styles.ts';

declare const addSheet: typeof STYLES.addSheet;
declare const hideContent: typeof SLOT_SPACE.hideContent;
declare const makeSpace: typeof SLOT_SPACE.makeSpace;
declare const rectOf: typeof RECT.rectOf;
declare const adPosition: typeof SLOT_SPACE.adPosition;
declare const alignedLeft: typeof SLOT_SPACE.alignedLeft;
declare const isReplaced: typeof SLOT_SPACE.isReplaced;
declare const openWrappers: typeof SLOT_SPACE.openWrappers;
declare const visibleColumns: typeof SLOT_SPACE.visibleColumns;
declare const setStyles: typeof STYLES.setStyles;

/** The state that stays in the page as long as it shows the ad. */
export interface Stage {
  image: HTMLImageElement;
  undo: (() => void)[];
  /** Containers that were opened, because they cut the ad off. */
  opened: string[];
}

function newImage(size: AdSize): HTMLImageElement {
  const image = document.createElement('img');
  image.setAttribute('data-shown-ad', '');
  setStyles(image, {
    all: 'initial',
    display: 'block',
    position: 'absolute',
    left: '0px',
    top: '0px',
    width: `${size.width}px`,
    height: `${size.height}px`,
    visibility: 'hidden',
  });
  return image;
}

function moveTo(image: HTMLImageElement, place: { x: number; y: number }): void {
  const now = image.getBoundingClientRect();
  setStyles(image, { left: `${place.x - now.left}px`, top: `${place.y - now.top}px` });
}

function beginInElement(element: Element, size: AdSize): Stage {
  if (!(element instanceof HTMLElement)) throw new Error('the slot is not an HTML element');
  const undo = [makeSpace(element, size), hideContent(element)];
  const host = isReplaced(element) ? (element.parentElement ?? element) : element;
  if (getComputedStyle(host).position === 'static') undo.push(setStyles(host, { position: 'relative' }));
  const image = newImage(size);
  const root = host.shadowRoot;
  (root && root.querySelector('slot') === null ? root : host).append(image);
  undo.push(() => image.remove());
  moveTo(image, adPosition(element, size));
  const wrappers = openWrappers(element, image);
  if (wrappers.opened.length > 0) moveTo(image, adPosition(element, size));
  return { image, undo: [...undo, ...wrappers.undo], opened: wrappers.opened };
}

/** Gives a slot that is a frame the space for its ad. @returns the columns of the frame that the screen shows. */
function growFrame(frame: Element, size: AdSize): { left: number; right: number; undo: (() => void)[] } {
  if (!(frame instanceof HTMLElement)) return { left: 0, right: size.width, undo: [] };
  const undo = [makeSpace(frame, size)];
  const seen = visibleColumns(frame);
  const left = frame.getBoundingClientRect().left + frame.clientLeft;
  return { left: seen.left - left, right: seen.right - left, undo };
}

/** For a slot that is a frame: places the ad inside the frame, over its content. @param seen the columns that the screen shows. */
function beginInDocument(size: AdSize, seen: { left: number; right: number }): Stage {
  const off = addSheet(
    document,
    'html, html *:not([data-shown-ad]) { visibility: hidden !important; } html, body { background: transparent !important; }',
  );
  const image = newImage(size);
  setStyles(image, {
    position: 'fixed',
    left: `${alignedLeft({ left: 0, right: innerWidth }, seen, size.width)}px`,
    top: '0px',
    'z-index': '2147483647',
  });
  document.documentElement.append(image);
  return { image, undo: [off, () => image.remove()], opened: [] };
}

/** Scrolls the frame of the ad, but not the page around it. */
function scrollOwnFrame({ image }: Stage): void {
  const { top, bottom, left, right } = image.getBoundingClientRect();
  if (top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth) return;
  const middle = { x: (left + right - innerWidth) / 2, y: (top + bottom - innerHeight) / 2 };
  scrollBy({ left: middle.x, top: middle.y, behavior: 'instant' });
}

async function paint({ image }: Stage, source: string): Promise<void> {
  image.src = source;
  await image.decode();
  setStyles(image, { visibility: 'visible' });
}

function unpaint({ image }: Stage): void {
  setStyles(image, { visibility: 'hidden' });
}

function rectOfStage({ image }: Stage): Rect {
  return rectOf(image);
}

function end({ undo }: Stage): void {
  for (const back of undo.reverse()) back();
}

export interface StagingTools {
  beginInElement(element: Element, size: AdSize): Stage;
  beginInDocument(size: AdSize, seen: { left: number; right: number }): Stage;
  growFrame(frame: Element, size: AdSize): { left: number; right: number; undo: (() => void)[] };
  scrollOwnFrame(stage: Stage): void;
  paint(stage: Stage, source: string): Promise<void>;
  unpaint(stage: Stage): void;
  rectOfStage(stage: Stage): Rect;
  end(stage: Pick<Stage, 'undo'>): void;
  freeze(): void;
  bringIntoView(ad: AdInPage, request: ViewRequest): Promise<Hiding>;
  hideLateLayers(ad: AdInPage): Hiding;
  originOf(area: 'screen' | 'page'): { x: number; y: number };
  toTop(): Promise<void>;
}

/** Evaluates to {@link StagingTools}. */
export const STAGING_TOOLS = expressionOf(
  {
    ...RECT,
    ...STYLES,
    ...SLOT_SPACE,
    ...BRING_INTO_VIEW,
    newImage,
    moveTo,
    beginInElement,
    beginInDocument,
    growFrame,
    scrollOwnFrame,
    paint,
    unpaint,
    rectOfStage,
    end,
  },
  `{ beginInElement, beginInDocument, growFrame, scrollOwnFrame, paint, unpaint, rectOfStage, end, freeze, bringIntoView,
    hideLateLayers, originOf, toTop }`,
);
