/** Places a picture into a slot of the live page, and restores the page afterwards. */
import type { AdSize } from '../../../domain/ads.ts';
import { isClobbered, parentElementOf } from './clobbering.ts';
import { spreadOut } from './coverage.ts';
import { undoOfUnit } from './drawnUnits.ts';
import { nameOf } from './overlays.ts';
import { addSheet, setStyles } from './stabilize.ts';
import { isWithin, type Rect, rectOf } from './visibility.ts';

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
  /** Whether empty slots of the page collapsed, because the page's own scripts do that if no ad comes. */
  collapsed: boolean;
  /** Opens the space for the ad in another way, if the first way put the ad over content. */
  spreadOut(): void;
}

/** A slot that is a frame, with the columns of it that the screen shows. */
export interface GrownFrame extends Pick<Stage, 'undo' | 'spreadOut'> {
  left: number;
  right: number;
}

/** Marks the slot of a shown ad. */
const HOLDS = 'data-holds-shown-ad';

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
  setStyles(image, { left: '0px', top: '0px' });
  const start = image.getBoundingClientRect();
  setStyles(image, { left: `${place.x - start.left}px`, top: `${place.y - start.top}px` });
}

/** An ad, and its place in the slot. */
export interface AdToStage {
  size: AdSize;
  /** It lies over the whole box of the slot, as in a video player, whose padding may give it its height. */
  isOverBox: boolean;
}

export function beginInElement(found: Element, ad: AdToStage): Stage {
  if (!(found instanceof HTMLElement)) throw new Error('the slot is not an HTML element');
  const image = newImage(ad.size);
  const placeholder = ad.isOverBox ? undefined : (placeholderBeside(found, ad.size) ?? boxOfPlaceholder(found));
  const stage = standIn(placeholder ?? found, image, ad);
  stage.undo.push(keepStanding(stage, found, ad), ...undoOfUnit(found));
  return stage;
}

/** Makes space for the ad, hides the content of the slot, and puts the ad in its place. */
function standIn(element: HTMLElement, image: HTMLImageElement, ad: AdToStage): Stage {
  const { size, isOverBox } = ad;
  const collapsing = collapseUnfilled(element);
  const opening = openBoxesAround(element);
  const undo = [...collapsing, ...opening, ...(isOverBox ? [] : [makeSpace(element, size)]), hideContent(element)];
  const host = isReplaced(element) ? (parentElementOf(element) ?? element) : element;
  if (getComputedStyle(host).position === 'static') undo.push(setStyles(host, { position: 'relative' }));
  const root = host.shadowRoot;
  (root && root.querySelector('slot') === null ? root : host).append(image);
  undo.push(() => image.remove());
  moveTo(image, adPosition(element, ad));
  const wrappers = openWrappers(element, image);
  if (wrappers.opened.length > 0) moveTo(image, adPosition(element, ad));
  const all = [...undo, ...wrappers.undo];
  const spread = () => {
    all.push(...spreadOut(element));
    moveTo(image, adPosition(element, ad));
  };
  return { image, undo: all, opened: wrappers.opened, collapsed: collapsing.length > 0, spreadOut: spread };
}

/** A page that removes the ad more often does not keep it in its slot. */
const MAX_RETURNS = 300;

/**
 * Frameworks that render again remove what they did not make, or replace the slot. Puts the ad back, or into the slot that took the
 * place of the first. @returns the undo.
 */
function keepStanding({ image, undo }: Stage, slot: HTMLElement, ad: AdToStage): () => void {
  const host = image.parentNode;
  const parent = parentElementOf(slot);
  const alike = () => [...(parent?.children ?? [])].filter((one) => one.className === slot.className);
  const place = alike().indexOf(slot);
  const successor = () => (slot.id === '' ? alike()[place] : document.getElementById(slot.id));
  let returns = 0;
  const observer = new MutationObserver(() => {
    if (image.isConnected || returns++ >= MAX_RETURNS) return;
    if (host?.isConnected) return void host.append(image);
    const next = successor();
    if (next instanceof HTMLElement && next.className === slot.className) undo.push(...standIn(next, image, ad).undo);
  });
  observer.observe(slot.getRootNode(), { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** The page hides the bar of an anchor until its ad comes. */
function openBoxesAround(slot: HTMLElement): (() => void)[] {
  const undo: (() => void)[] = [];
  for (let at = parentElementOf(slot); at && !slot.checkVisibility(); at = parentElementOf(at))
    if (getComputedStyle(at).display === 'none') undo.push(setStyles(at, { display: 'block' }));
  return undo;
}

/** Collapses the empty slots that the search marked, but not the one of the ad. */
function collapseUnfilled(slot: HTMLElement): (() => void)[] {
  const mark = '[data-collapses-unfilled]:not(:has(iframe, img))';
  const empty = [...document.querySelectorAll<HTMLElement>(mark)].filter(
    (one) => !isWithin(slot, one) && rectOf(one).height > 1,
  );
  // The slot may be in one that the staging of another ad collapsed.
  const around = [...document.querySelectorAll<HTMLElement>(mark)].filter(
    (one) => isWithin(slot, one) && one.style.getPropertyPriority('display') === 'important',
  );
  return [
    ...empty.map((one) => setStyles(one, { display: 'none' })),
    ...around.map((one) => setStyles(one, { display: '' })),
  ];
}

/** The empty box beside a closed slot that shows a placeholder of the ad's size until the ad comes: the ad takes its place. */
function placeholderBeside(slot: HTMLElement, size: AdSize): HTMLElement | undefined {
  const parent = parentElementOf(slot);
  if (rectOf(slot).height > 1 || parent === null) return undefined;
  return [...parent.children].find((one): one is HTMLElement => {
    if (isClobbered(one)) return false;
    const { width, height } = rectOf(one);
    const fits = width >= size.width - 4 && height >= size.height - 4 && height <= size.height + 80;
    return (
      fits &&
      one instanceof HTMLElement &&
      one.matches('div, aside, section, span') &&
      one.innerText.trim().length <= 40 &&
      one.querySelector('img, iframe, video, canvas, input, a') === null
    );
  });
}

/** The box around an element that only keeps the space: without a name, at the edge, and alone. The ad replaces it, and the box aligns the ad. */
function boxOfPlaceholder(slot: HTMLElement): HTMLElement | undefined {
  const box = parentElementOf(slot);
  if (box === null || box === document.body || isClobbered(box) || !slot.matches('div:empty:not([id], [class])'))
    return undefined;
  const others = [...box.children].filter(
    (one) => one !== slot && (isClobbered(one) || !one.matches('[data-shown-ad]')),
  );
  const isAlone = others.length === 0 && box.innerText.trim() === '';
  const isAtEdge = Math.abs(rectOf(slot).x - rectOf(box).x - edgeOf(box, 'left')) < 1;
  return isAlone && isAtEdge && rectOf(slot).width < innerSize(box).width - 1 ? box : undefined;
}

/** Gives a slot that is a frame the space for its ad. @returns the columns of the frame that the screen shows. */
export function growFrame(frame: Element, size: AdSize): GrownFrame {
  if (!(frame instanceof HTMLElement)) return { left: 0, right: size.width, undo: [], spreadOut: () => undefined };
  frame.setAttribute(HOLDS, '');
  const undo = [() => frame.removeAttribute(HOLDS), makeSpace(frame, size)];
  const seen = visibleColumns(frame);
  const left = frame.getBoundingClientRect().left + frame.clientLeft;
  const spread = () => void undo.push(...spreadOut(frame));
  return { left: seen.left - left, right: seen.right - left, undo, spreadOut: spread };
}

/** For a slot that is a frame: places the ad inside the frame, over its content. @param seen the columns that the screen shows. */
export function beginInDocument(size: AdSize, seen: { left: number; right: number }): Stage {
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
  return { image, undo: [off, () => image.remove()], opened: [], collapsed: false, spreadOut: () => undefined };
}

/** Scrolls the frame of the ad, but not the page around it. */
export function scrollOwnFrame({ image }: Stage): void {
  const { top, bottom, left, right } = image.getBoundingClientRect();
  if (top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth) return;
  const middle = { x: (left + right - innerWidth) / 2, y: (top + bottom - innerHeight) / 2 };
  (document.scrollingElement ?? window).scrollBy({ left: middle.x, top: middle.y, behavior: 'instant' });
}

export async function paint({ image }: Stage, source: string): Promise<void> {
  image.src = source;
  await image.decode();
  setStyles(image, { visibility: 'visible' });
}

export function unpaint({ image }: Stage): void {
  setStyles(image, { visibility: 'hidden' });
}

export function rectOfStage({ image }: Stage): Rect {
  return rectOf(image);
}

export function end({ undo }: Pick<Stage, 'undo'>): void {
  for (const back of undo.reverse()) back();
}

/** The size of the content box. */
function innerSize(element: HTMLElement): AdSize {
  const { width, height } = element.getBoundingClientRect();
  return {
    width: width - edgeOf(element, 'left') - edgeOf(element, 'right'),
    height: height - edgeOf(element, 'top') - edgeOf(element, 'bottom'),
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
  element.setAttribute(HOLDS, '');
  const off = addSheet(
    element.getRootNode() as Document | ShadowRoot,
    `[${HOLDS}] *:not([data-shown-ad]), [${HOLDS}]::before, [${HOLDS}]::after { visibility: hidden !important; }
     [${HOLDS}] { color: transparent !important; -webkit-text-fill-color: transparent !important; text-shadow: none !important;
       background-image: none !important; content-visibility: visible !important; }`,
  );
  return () => {
    off();
    element.removeAttribute(HOLDS);
  };
}

/**
 * The ad is at the top of its slot. It stands across where the slot's innermost box puts its content, and in the center if that does
 * not say. Where the screen or a container cuts the slot off, the ad is centered in the visible part.
 */
function adPosition(element: HTMLElement, { size, isOverBox }: AdToStage): { x: number; y: number } {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  if (isOverBox) return box;
  const inner = innerSize(element);
  const centres =
    /flex|grid/.test(style.display) &&
    /center/.test(style.flexDirection === 'column' ? style.justifyContent : style.alignItems);
  const spare = Math.max(0, inner.height - size.height);
  const holder = innermostBox(element, size);
  const width = innerSize(holder).width;
  const left = holder.getBoundingClientRect().left + edgeOf(holder, 'left');
  const page = document.documentElement.clientWidth;
  // The picture of a page that is wider than the screen begins at its left edge, as on the device.
  const isBeyondScreen = page > screen.width * 1.1 && width > screen.width;
  const side = isBeyondScreen ? 'left' : width < page * 0.85 ? sideOf(getComputedStyle(holder)) : 'center';
  const columns = {
    left: side === 'right' ? left + width - size.width : left,
    right: side === 'left' ? left + size.width : left + width,
  };
  return {
    x: alignedLeft(columns, visibleColumns(element), size.width),
    y: box.top + edgeOf(element, 'top') + (centres ? Math.floor(spare / 2) : 0),
  };
}

/** The width of padding and border, CSS pixels. */
function edgeOf(element: HTMLElement, side: 'left' | 'right' | 'top' | 'bottom'): number {
  const style = getComputedStyle(element);
  const pixels = (name: string) => Number.parseFloat(style.getPropertyValue(name)) || 0;
  return pixels(`padding-${side}`) + pixels(`border-${side}-width`);
}

/** The box in the slot in which the frame of an ad server would stand: the innermost that holds nothing beside it and has the room. */
function innermostBox(element: HTMLElement, size: AdSize): HTMLElement {
  let at = element;
  for (;;) {
    const inner = [...at.children].filter(
      (one) => isClobbered(one) || !one.matches('script, style, noscript, link, template, [data-shown-ad]'),
    );
    const [only] = inner;
    if (
      inner.length !== 1 ||
      !(only instanceof HTMLElement) ||
      isClobbered(only) ||
      !only.matches('div, ins, span, section, aside, center')
    )
      return at;
    if (innerSize(only).width < size.width || getComputedStyle(only).position === 'absolute') return at;
    if (boxOfPlaceholder(only)) return at;
    at = only;
  }
}

/** An alignment of the whole page, as many style sheets set it for the body, is not about the slot. */
function sideOf({ textAlign, display, direction, flexDirection, justifyContent, alignItems }: CSSStyleDeclaration) {
  const isColumn = /flex/.test(display) && flexDirection.startsWith('column');
  const across = isColumn ? alignItems : justifyContent;
  const said = /flex|grid/.test(display)
    ? across
    : textAlign === getComputedStyle(document.body).textAlign
      ? ''
      : textAlign;
  const [start, end] = direction === 'rtl' ? (['right', 'left'] as const) : (['left', 'right'] as const);
  if (said === 'flex-start') return start;
  if (/^(flex-)?end$/.test(said)) return end;
  return (['left', 'right'] as const).find((side) => said.endsWith(side)) ?? 'center';
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
  for (let at = parentElementOf(element); at && at !== document.body; at = parentElementOf(at)) {
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
  for (let at: HTMLElement | null = element; at && at !== document.body; at = parentElementOf(at)) {
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
    opened.push(nameOf(at));
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
