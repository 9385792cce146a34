/** Places a picture into a slot of the live page, and restores the page afterwards. */
import type { AdSize } from '../../../domain/ads.ts';
import { type AdInPage, type Hiding, OVERLAYS, type ViewRequest } from './overlays.ts';
import { expressionOf } from './script.ts';
import { STABILIZE } from './stabilize.ts';
import { type Rect, VISIBILITY } from './visibility.ts';

declare const { addSheet, setStyles }: typeof STABILIZE;
declare const { rectOf }: typeof VISIBILITY;

interface Columns {
  left: number;
  right: number;
}

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
    ...VISIBILITY,
    ...STABILIZE,
    ...OVERLAYS,
    innerSize,
    makeSpace,
    isReplaced,
    hideContent,
    adPosition,
    centresColumns,
    alignedLeft,
    visibleColumns,
    openWrappers,
    cutsOff,
    holdsOnly,
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

/** Prepares a slot for an ad: makes space and hides the slot's content. */
function innerSize(element: HTMLElement): AdSize {
  const style = getComputedStyle(element);
  const sum = (...names: string[]) =>
    names.reduce((all, name) => all + (Number.parseFloat(style.getPropertyValue(name)) || 0), 0);
  const { width, height } = element.getBoundingClientRect();
  return {
    width: width - sum('padding-left', 'padding-right', 'border-left-width', 'border-right-width'),
    height: height - sum('padding-top', 'padding-bottom', 'border-top-width', 'border-bottom-width'),
  };
}

/** Gives a slot that collapsed, or is smaller than its ad, the space that a filled slot would take. @returns the undo. */
function makeSpace(element: HTMLElement, size: AdSize): () => void {
  const undo: (() => void)[] = [];
  const { display } = getComputedStyle(element);
  if (/^(none|contents)$/.test(display)) undo.push(setStyles(element, { display: 'block' }));
  // Sizes do not apply to inline elements. The box of one that became a block has another width.
  if (display === 'inline' && !isReplaced(element)) undo.push(setStyles(element, { display: 'inline-block' }));
  const room = innerSize(element);
  const outer = element.getBoundingClientRect();
  const styles: Record<string, string> = {};
  const growth = (needed: number, inner: number, whole: number) =>
    `${getComputedStyle(element).boxSizing === 'border-box' ? needed + whole - inner : needed}px`;
  if (room.width < size.width) styles['min-width'] = growth(size.width, room.width, outer.width);
  if (room.height < size.height) {
    styles['min-height'] = growth(size.height, room.height, outer.height);
    styles['max-height'] = 'none';
  }
  if (Object.keys(styles).length > 0) undo.push(setStyles(element, styles));
  return () => {
    for (const back of undo.reverse()) back();
  };
}

/** Whether the element cannot contain others. */
function isReplaced(element: Element): boolean {
  return element.matches('img, picture, video, canvas, object, embed, iframe, input');
}

function hideContent(element: HTMLElement): () => void {
  if (isReplaced(element)) return setStyles(element, { visibility: 'hidden' });
  const mark = 'data-holds-shown-ad';
  element.setAttribute(mark, '');
  const off = addSheet(
    element.getRootNode() as Document | ShadowRoot,
    `[${mark}] *:not([data-shown-ad]), [${mark}]::before, [${mark}]::after { visibility: hidden !important; }
     [${mark}] { color: transparent !important; -webkit-text-fill-color: transparent !important; text-shadow: none !important;
       background-image: none !important; content-visibility: visible !important; }`,
  );
  return () => {
    off();
    element.removeAttribute(mark);
  };
}

/**
 * The ad is at the top of its slot and centred horizontally. A slot that is much wider decides itself: it is not made for this
 * size. Where the screen or a container cuts the slot off, the ad is centred in the visible part.
 */
function adPosition(element: HTMLElement, size: AdSize): { x: number; y: number } {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const edge = (side: string) =>
    Number.parseFloat(style.getPropertyValue(`padding-${side}`)) +
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`));
  const inner = innerSize(element);
  const centres =
    /flex|grid/.test(style.display) &&
    /center/.test(style.flexDirection === 'column' ? style.justifyContent : style.alignItems);
  const spare = Math.max(0, inner.height - size.height);
  const left = box.left + edge('left');
  const startsLeft = inner.width >= 2 * size.width && !centresColumns(style);
  const right = left + (startsLeft ? size.width : inner.width);
  return {
    x: alignedLeft({ left, right }, visibleColumns(element), size.width),
    y: box.top + edge('top') + (centres ? Math.floor(spare / 2) : 0),
  };
}

function centresColumns({
  textAlign,
  display,
  flexDirection,
  justifyContent,
  alignItems,
}: CSSStyleDeclaration): boolean {
  if (!/flex|grid/.test(display)) return !/^(start|left|justify)$/.test(textAlign);
  const isColumn = /flex/.test(display) && flexDirection.startsWith('column');
  return /center|end|space/.test(isColumn ? alignItems : justifyContent);
}

function alignedLeft(slot: Columns, seen: Columns, width: number): number {
  const centredIn = ({ left, right }: Columns) => left + Math.floor((right - left - width) / 2);
  const centred = centredIn(slot);
  if (centred >= seen.left && centred + width <= seen.right) return centred;
  const part = { left: Math.max(slot.left, seen.left), right: Math.min(slot.right, seen.right) };
  if (part.right - part.left >= width) return centredIn(part);
  // A slot that is slightly too narrow: the ad passes its edge, but not the edge of the screen.
  const partly = part.right - part.left >= width / 2 && seen.right - seen.left >= width;
  return partly ? Math.max(seen.left, Math.min(centred, seen.right - width)) : centred;
}

/** The part of the window, from left to right, in which no container clips the element. Scrolling is not considered. */
function visibleColumns(element: HTMLElement): Columns {
  const seen = { left: 0, right: document.documentElement.clientWidth };
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
    if (getComputedStyle(at).overflowX === 'visible') continue;
    const { left, width } = at.getBoundingClientRect();
    seen.left = Math.max(seen.left, left + at.clientLeft);
    seen.right = Math.min(seen.right, left + (at.clientWidth > 0 ? at.clientLeft + at.clientWidth : width));
  }
  return seen;
}

/**
 * Opens containers that cut the ad off or make it transparent, if they contain nothing else. Pages keep them closed until an ad arrives.
 * @returns the elements that it opened, in words for the user, and the undo.
 */
function openWrappers(element: HTMLElement, image: HTMLElement): { opened: string[]; undo: (() => void)[] } {
  const opened: string[] = [];
  const undo: (() => void)[] = [];
  for (let at: HTMLElement | null = element; at && at !== document.body; at = at.parentElement) {
    if (at !== element && !holdsOnly(at, element)) break;
    const style = getComputedStyle(at);
    const styles: Record<string, string> = {};
    if (style.overflow !== 'visible' && cutsOff(at, image))
      Object.assign(styles, { overflow: 'visible', 'max-height': 'none', 'max-width': 'none' });
    if (Number(style.opacity) < 0.5) styles['opacity'] = '1';
    if (Object.keys(styles).length === 0) continue;
    undo.push(setStyles(at, styles));
    const height = image.getBoundingClientRect().bottom - at.getBoundingClientRect().top;
    if ('overflow' in styles) undo.push(setStyles(at, { 'min-height': `${height}px` }));
    opened.push(
      at.id === ''
        ? at.tagName.toLowerCase() +
            [...at.classList]
              .slice(0, 2)
              .map((name) => `.${name}`)
              .join('')
        : `#${at.id}`,
    );
  }
  return { opened, undo };
}

function cutsOff(container: HTMLElement, image: HTMLElement): boolean {
  const outer = container.getBoundingClientRect();
  const inner = image.getBoundingClientRect();
  const slack = 0.5;
  return (
    inner.top < outer.top + container.clientTop - slack ||
    inner.bottom > outer.bottom - container.clientTop + slack ||
    inner.left < outer.left + container.clientLeft - slack ||
    inner.right > outer.right - container.clientLeft + slack
  );
}

/** Whether a container has no content besides the slot, except a short label. */
function holdsOnly(container: HTMLElement, slot: HTMLElement): boolean {
  const others = [...container.querySelectorAll<HTMLElement>('img, video, iframe, canvas, h1, h2, h3, form')];
  if (others.some((one) => !slot.contains(one))) return false;
  return container.innerText.length - slot.innerText.length <= 40;
}
