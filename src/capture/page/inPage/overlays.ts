/** Finds and hides layers that cover a slot or the viewport, such as consent dialogs, pop-ups, app banners and adblock walls. */
import { builtIn, isClobbered, parentElementOf } from './clobbering.ts';
import { fitUnit } from './drawnUnits.ts';
import { addSheet, setStyles, viewSettled } from './stabilize.ts';
import {
  fixedLayerOf,
  hasVerticalLines,
  holdsShownAd,
  isWithin,
  parentOf,
  type Rect,
  shownPart,
  topmostAt,
} from './visibility.ts';

/** The ad as the top document knows it: its image, or the frame around it and the ad's position in that frame. */
export interface AdInPage {
  owner: Element;
  offset: Rect;
}

/**
 * `top`: at the top of the page if the ad is visible there; else centered. `head`: the same, but else at the lower edge of the window, below
 * as much of the page as fits. `start` and `end`: at that edge of the window, in both directions.
 */
type ScrollPosition = 'top' | Band;
type Band = 'head' | 'center' | 'start' | 'end';

/** The place of the ad in the free rows of the window, from their upper edge. */
const PARTS: Readonly<Record<Band, number>> = { start: 0.04, center: 0.5, end: 0.96, head: 0.96 };

export interface ViewRequest {
  position: ScrollPosition;
  /** Also hides layers that clicks pass through, and layers that scroll with the page. */
  thorough: boolean;
}

/** The elements that were hidden, in words for the user, and how to show them again. */
export interface Hiding {
  hidden: string[];
  undo: (() => void)[];
}

/** The topmost element at a point if it covers the slot or the page; undefined for the slot itself and what contains it. */
function foreignAt(x: number, y: number, slot: Element): Element | undefined {
  const hit = topmostAt(x, y);
  return hit === null || isWithin(hit, slot) || isWithin(slot, hit) ? undefined : hit;
}

/** Whether no element covers the slot. */
function isUncovered(slot: Element, rect: Rect): boolean {
  return gridOf(rect, 5).every(([x, y]) => topmostAt(x, y) !== null && foreignAt(x, y, slot) === undefined);
}

/** Points of a rectangle: its edges, and `steps` in each direction. */
export function gridOf({ x, y, width, height }: Rect, steps: number): [number, number][] {
  const parts = Array.from({ length: steps }, (_, index) => 0.01 + (0.98 * index) / (steps - 1));
  return parts.flatMap((across) => parts.map((down): [number, number] => [x + width * across, y + height * down]));
}

/** The outermost layer of an element that does not contain the slot. @param positions which elements count as layers. */
function layerOf(hit: Element, slot: Element, positions: RegExp): HTMLElement | undefined {
  let layer: HTMLElement | undefined;
  for (let at: Element | null = hit; at && !isWithin(slot, at); at = parentOf(at)) {
    const floats = positions.test(getComputedStyle(at).position) || at.matches('dialog, [popover]');
    if (at instanceof HTMLElement && floats) layer = at;
  }
  return layer;
}

/** Layers with the number of the points that each covers. */
function layersAt(points: [number, number][], slot: Element, positions: RegExp): Map<HTMLElement, [number, number][]> {
  const layers = new Map<HTMLElement, [number, number][]>();
  for (const point of points) {
    const hit = foreignAt(point[0], point[1], slot);
    const layer = hit && layerOf(hit, slot, positions);
    if (layer) layers.set(layer, [...(layers.get(layer) ?? []), point]);
  }
  return layers;
}

/** The rows of the view between the bars that stick to its upper and lower edge, over the columns of this box. */
function freeBand(slot: Element, rect: Rect, view: Rect): { top: number; bottom: number } {
  const columns = [0.1, 0.5, 0.9].map((part) => rect.x + rect.width * part);
  const barAt = (y: number) => {
    const bars = layersAt(
      columns.map((x): [number, number] => [x, y]),
      slot,
      /^(fixed|sticky)$/,
    );
    return [...bars.keys()].map((bar) => bar.getBoundingClientRect()).find(({ height }) => height < view.height * 0.45);
  };
  let top = view.y;
  for (let bar = barAt(top + 1); bar && bar.bottom > top; bar = barAt(top + 1)) top = bar.bottom;
  let bottom = view.y + view.height;
  for (let bar = barAt(bottom - 2); bar && bar.top < bottom; bar = barAt(bottom - 2)) bottom = bar.top;
  return { top, bottom };
}

/** Hides layers that cover much of the viewport, and pop-ups that were above such a layer. */
function hideViewportLayers(slot: Element): Hiding {
  const hiding: Hiding = { hidden: [], undo: [] };
  const points = gridOf({ x: 0, y: 0, width: innerWidth, height: innerHeight }, 5);
  let enough = points.length * 0.3;
  for (let round = 0; round < 8; round++) {
    const layers = [...layersAt(points, slot, /^fixed$/)];
    const found = layers.find(
      ([layer, at]) => at.length >= enough && !isBar(layer) && !holdsShownAd(layer) && coversContent(layer, at),
    );
    if (found === undefined) break;
    hideLayer(found[0], 'the page', hiding);
    // The backdrop of a dialog is often a layer of its own.
    if (found[1].length >= points.length * 0.6) enough = 1;
  }
  return hiding;
}

function isBar(layer: HTMLElement): boolean {
  const { top, bottom, width, height } = layer.getBoundingClientRect();
  return width >= innerWidth * 0.8 && height <= innerHeight * 0.25 && (top <= 1 || bottom >= innerHeight - 1);
}

/**
 * Hides notices that leave the page usable: cookie bars, paywall sheets, newsletter pop-ups and app banners. The page keeps its
 * navigation and its ad anchors.
 */
function hideNotices(slot: Element): Hiding {
  const hiding: Hiding = { hidden: [], undo: [] };
  const rows = [6, innerHeight - 6, innerHeight - 50].flatMap((y) =>
    [0.1, 0.5, 0.9].map((x): [number, number] => [innerWidth * x, y]),
  );
  const points = [...gridOf({ x: 0, y: 0, width: innerWidth, height: innerHeight }, 7), ...rows];
  for (let round = 0; round < 4; round++) {
    const layer = [...layersAt(points, slot, /^(fixed|sticky)$/).keys()].find(isNotice);
    if (layer === undefined) break;
    hideLayer(layer, 'the page', hiding);
  }
  return hiding;
}

function isNotice(layer: HTMLElement): boolean {
  if (holdsShownAd(layer)) return false;
  const { position } = getComputedStyle(layer);
  const { top, bottom, height } = layer.getBoundingClientRect();
  const isAtEdge = top <= 1 || bottom >= innerHeight - 1;
  if (position === 'sticky' && !(isAtEdge && height < innerHeight * 0.45)) return false;
  const isNavigation = 'nav, header, [role="navigation"], [role="banner"], [role="search"], input[type="search"]';
  const links = layer.querySelectorAll('a').length;
  if (layer.matches(isNavigation) || layer.querySelector(isNavigation) || links > 12) return false;
  const frames = [...layer.querySelectorAll('iframe, ins')];
  if (frames.some((frame) => frame.getBoundingClientRect().width >= 100)) return false;
  const text = layer.innerText.trim();
  // A menu has little text but its links.
  if (links >= 3 && text.split(/\s+/).length <= links * 3) return false;
  const consentOrApp =
    /cookie|consen[ts]|gdpr|dsgvo|datenschutz|priva(?:cy|cidad|tliv)|vie privée|traceurs|rastread|zustimm|einwillig|toestemming|samtyc?k|personvern|person(?:lig|uppgift|oplysning)|henkilötie|tietosuoj|prywatno|zgod[ęya]|soukrom|google play|app store|(?:download|get|open in|open) (?:the|our) app|\bapp (?:laden|herunterladen|öffnen)|\bl.app(?:lication)?\b/i;
  const offer =
    /newsletter|infolettre|bolet[ií]n|nieuwsbrief|nyhedsbrev|nyhetsbrev|subscri|paywall|abonn|abbon|suscr|assin|prenumer|subskry/i;
  // Headers of sites name their subscriptions too.
  const words = top <= 1 && bottom < innerHeight * 0.25 ? [consentOrApp] : [consentOrApp, offer];
  return words.some((pattern) => pattern.test(text.slice(0, 2_000)));
}

/** Not true for a panel beside the content, or behind it. */
function coversContent(layer: HTMLElement, points: [number, number][]): boolean {
  const over = points.filter(([x, y]) =>
    document
      .elementsFromPoint(x, y)
      .some((one) => !isClobbered(one) && !isWithin(one, layer) && !isWithin(layer, one) && hasContent(one)),
  );
  return over.length * 4 >= points.length || layer.matches('dialog, [popover]');
}

function hasContent(element: Element): boolean {
  if (/^(IMG|VIDEO|CANVAS|IFRAME|PICTURE)$/i.test(element.tagName)) return true;
  return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
}

/**
 * Hides what covers the slot.
 * @param thorough also finds layers that clicks pass through, and layers that scroll with the page.
 */
function hideCovering(slot: Element, rect: Rect, thorough: boolean): Hiding {
  const hiding: Hiding = { hidden: [], undo: [] };
  const positions = thorough ? /^(fixed|sticky|absolute)$/ : /^(fixed|sticky)$/;
  const off = thorough ? addSheet(document, '* { pointer-events: auto !important; }') : () => undefined;
  const points = gridOf(rect, thorough ? 15 : 5);
  for (let round = 0; round < 8; round++) {
    const layer = [...layersAt(points, slot, positions).keys()].find(
      (one) => !isMainContent(one) && !isMasthead(one) && !holdsShownAd(one),
    );
    if (layer === undefined) break;
    hideLayer(layer, 'the ad', hiding);
  }
  off();
  return hiding;
}

/** The head of the site, by which the reader of a picture recognizes it. */
function isMasthead(layer: HTMLElement): boolean {
  return isBar(layer) && layer.getBoundingClientRect().top <= 1 && !isNotice(layer);
}

/** Where the page cannot scroll the ad out from under the head of the site, the ad moves down. @returns the undo. */
function moveBelowMasthead(ad: AdInPage): (() => void)[] {
  const rect = adRect(ad);
  const heads = [...layersAt(gridOf(rect, 5), ad.owner, /^(fixed|sticky)$/).keys()].filter(isMasthead);
  const bottom = Math.max(...heads.map((head) => head.getBoundingClientRect().bottom));
  const slot = ad.owner.closest('[data-holds-shown-ad]') ?? ad.owner;
  if (!(slot instanceof HTMLElement) || bottom <= rect.y) return [];
  const margin = Number.parseFloat(getComputedStyle(slot).marginTop) || 0;
  return [setStyles(slot, { 'margin-top': `${margin + Math.ceil(bottom - rect.y)}px` })];
}

/** To hide the text of the page would be worse than to lose the slot. */
function isMainContent(layer: HTMLElement): boolean {
  if (getComputedStyle(layer).position === 'fixed') return false;
  return (
    layer.matches('main, article, h1, p') ||
    layer.querySelector('main, article') !== null ||
    layer.innerText.length > 3_000
  );
}

function hideLayer(layer: HTMLElement, covered: string, { hidden, undo }: Hiding): void {
  hidden.push(`${describeLayer(layer)} covered ${covered} and was hidden.`);
  undo.push(setStyles(layer, { display: 'none', visibility: 'hidden' }));
}

export function nameOf(element: HTMLElement): string {
  const id = builtIn(element, 'id');
  const names = [...element.classList].slice(0, 2).map((name) => `.${name}`);
  return (id === '' ? element.tagName.toLowerCase() + names.join('') : `#${id}`).slice(0, 80);
}

function describeLayer(layer: HTMLElement): string {
  const text = `${layer.id} ${layer.className} ${layer.innerText.slice(0, 2_000)}`;
  const kinds: [RegExp, string][] = [
    [/ad.?block|adblocker|werbeblocker|bloqueur de pub|whitelist/i, 'A notice about ad blockers'],
    [/cookie|consent|gdpr|datenschutz|zustimm/i, 'A consent dialog'],
    [/newsletter|inbox|e-?mail/i, 'A newsletter pop-up'],
    [/\bapp\b|app-?(store|banner)|google play/i, 'An app banner'],
    [/subscri|paywall|abonn|\babo\b|suscr/i, 'A subscription notice'],
  ];
  return `${kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'A layer'} (${nameOf(layer)})`;
}

/** Ends the scroll lock and the blur that a page sets while a dialog is open. */
function releasePage(slot: Element): (() => void)[] {
  const undo: (() => void)[] = [];
  for (const root of [document.documentElement, document.body]) {
    const { overflowY, position } = getComputedStyle(root);
    if (/hidden|clip/.test(overflowY) || position === 'fixed')
      undo.push(setStyles(root, { 'overflow-y': 'visible', position: 'static', height: 'auto', 'max-height': 'none' }));
  }
  for (let at: Element | null = slot; at; at = parentOf(at)) {
    if (at instanceof HTMLElement && /blur/.test(getComputedStyle(at).filter))
      undo.push(setStyles(at, { filter: 'none' }));
  }
  return undo;
}

/** The ad in the viewport of the top document. */
export function adRect({ owner, offset }: AdInPage): Rect {
  const { left, top } = owner.getBoundingClientRect();
  return { x: left + offset.x, y: top + offset.y, width: offset.width, height: offset.height };
}

/** The top left corner of the screen, or where the page begins, in the same coordinates. */
export function originOf(area: 'screen' | 'page'): { x: number; y: number } {
  if (area === 'screen') return shownPart();
  return { x: -scrollX, y: -scrollY };
}

export const toTop = (): Promise<void> => scrollToRow(0);

export async function scrollToRow(top: number): Promise<void> {
  (document.scrollingElement ?? window).scrollTo({ left: 0, top, behavior: 'instant' });
  await viewSettled();
}

/**
 * Scrolls the page so that the whole ad is visible, and hides what covers it. Runs in the top document.
 * @returns the elements that it hid, and how to show them again.
 */
export async function bringIntoView(ad: AdInPage, { position, thorough }: ViewRequest): Promise<Hiding> {
  const hiding: Hiding = { hidden: [], undo: [] };
  const add = (more: Hiding) => {
    hiding.hidden.push(...more.hidden);
    hiding.undo.push(...more.undo);
    if (more.hidden.length > 0) hiding.undo.push(...releasePage(ad.owner));
    return more.hidden.length > 0;
  };
  hiding.undo.push(...hideOtherAds(ad));
  const fromTop = position === 'top' || position === 'head';
  if (fromTop) (document.scrollingElement ?? window).scrollTo({ left: 0, top: 0, behavior: 'instant' });
  fitUnit(ad.owner);
  add(hideViewportLayers(ad.owner));
  add(hideNotices(ad.owner));
  const margin = fixedLayerOf(ad.owner) === undefined ? 16 : 0;
  const staysAtTop = fromTop && isInBand(ad, margin) && isUncovered(ad.owner, adRect(ad));
  const band = position === 'top' ? 'center' : position;
  const toBand = (to = band) => hiding.undo.push(...scrollToBand(ad, to));
  if (!staysAtTop) toBand();
  await viewSettled();
  const isChanged = [hideViewportLayers(ad.owner), hideNotices(ad.owner)].map(add).includes(true);
  if (isChanged || !isInBand(ad, 0)) toBand();
  if (thorough || !isUncovered(ad.owner, adRect(ad))) {
    hiding.undo.push(...moveBelowMasthead(ad));
    if (add(hideCovering(ad.owner, adRect(ad), thorough)) && !isInBand(ad, 0)) toBand('center');
    await viewSettled();
  }
  return hiding;
}

/** Ads that the search marked. Their slots stay, empty. */
function hideOtherAds({ owner }: AdInPage): (() => void)[] {
  return [...document.querySelectorAll<HTMLElement>('[data-other-ad]')]
    .filter((one) => !isWithin(owner, one) && !holdsShownAd(one))
    .map((one) => setStyles(one, { visibility: 'hidden' }));
}

/** Layers that a script added since the page was prepared. */
export function hideLateLayers(ad: AdInPage): Hiding {
  const all = [hideViewportLayers(ad.owner), hideNotices(ad.owner), hideCovering(ad.owner, adRect(ad), false)];
  return { hidden: all.flatMap(({ hidden }) => hidden), undo: all.flatMap(({ undo }) => undo) };
}

function isInBand(ad: AdInPage, margin: number): boolean {
  const { y, height } = adRect(ad);
  const [band, view] = [bandOf(ad), shownPart()];
  return (
    isInColumns(ad) && y >= band.top && y + height <= band.bottom - (band.bottom < view.y + view.height ? 0 : margin)
  );
}

/** The rows of the screen that no bar covers; all rows if the ad does not fit between the bars. */
function bandOf(ad: AdInPage): { top: number; bottom: number } {
  const view = shownPart();
  const free = freeBand(ad.owner, adRect(ad), view);
  return free.bottom - free.top >= ad.offset.height ? free : { top: view.y, bottom: view.y + view.height };
}

/**
 * Bars may appear or become smaller while the page scrolls, so this takes up to three steps. If the page scrolls only to
 * certain places, and none of them shows the whole ad, it may stop anywhere.
 *
 * @returns the undo.
 */
function scrollToBand(ad: AdInPage, position: Band): (() => void)[] {
  // Only this moves a screen that shows a part of a wider page across that page.
  const isWider = document.documentElement.clientWidth > shownPart().width + 1;
  const isVertical = hasVerticalLines();
  const inline = isVertical ? 'center' : isWider && (position === 'start' || position === 'end') ? position : 'nearest';
  ad.owner.scrollIntoView({ block: 'center', inline, behavior: 'instant' });
  const snapping = snappingAround(ad.owner);
  if (snapping.length > 0 && isInBand(ad, 0)) return [];
  const undo = snapping.map((one) => setStyles(one, { 'scroll-snap-type': 'none' }));
  for (let step = 0; step < 3; step++) {
    const { x, y, width, height } = adRect(ad);
    const band = bandOf(ad);
    const view = shownPart();
    const spare = band.bottom - band.top - height;
    const part = PARTS[position];
    const down = y - (band.top + Math.max(0, Math.round(spare * part)));
    const across = x < view.x ? x - view.x : Math.max(0, x + width - view.x - view.width);
    if (Math.abs(down) < 1 && Math.abs(across) < 1) break;
    // The ad is in the middle of a frame that is wider than the screen.
    const isPartOfPage = isWider || innerWidth > view.width + 1;
    if (isPartOfPage && across !== 0)
      ad.owner.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' });
    scrollerOf(ad.owner).scrollBy({ left: Math.ceil(across), top: Math.round(down), behavior: 'instant' });
  }
  if (!isVertical && !isWider) backToSide(ad);
  return undo;
}

/** Readers scroll down only, so the page returns to the side at which its lines begin if the ad is visible there. */
function backToSide(ad: AdInPage): void {
  const before = { x: shownPart().x + scrollX, top: scrollY };
  if (Math.abs(before.x) < 1) return;
  const root = document.documentElement;
  root.scrollIntoView({ block: 'nearest', inline: 'start', behavior: 'instant' });
  // The box of the root element may be as high as the window, at the top of the page.
  (document.scrollingElement ?? window).scrollTo({ top: before.top, behavior: 'instant' });
  if (!isInColumns(ad)) ad.owner.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' });
}

function isInColumns(ad: AdInPage): boolean {
  const [{ x, width }, view] = [adRect(ad), shownPart()];
  return x >= view.x - 0.5 && x + width <= view.x + view.width + 0.5;
}

function snappingAround(owner: Element): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let at: Element | null = owner; at; at = parentOf(at))
    if (at instanceof HTMLElement && getComputedStyle(at).scrollSnapType !== 'none') found.push(at);
  return found;
}

/** The container that scrolls in place of the page, in words for the user; null if there is none. */
export function innerScroller({ owner }: AdInPage): string | null {
  const middle = topmostAt(innerWidth / 2, innerHeight / 2);
  const found = [owner, ...(middle === null ? [] : [middle])]
    .map(scrollerOf)
    .find((one) => one instanceof HTMLElement && one !== document.scrollingElement);
  return found instanceof HTMLElement ? nameOf(found) : null;
}

/** The page, or the container that some pages scroll instead. */
function scrollerOf(owner: Element): Element | Window {
  for (let at = parentElementOf(owner); at && at !== document.body; at = parentElementOf(at)) {
    const scrolls = /auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight + 1;
    if (scrolls && at.clientHeight >= innerHeight * 0.6) return at;
  }
  return document.scrollingElement ?? window;
}
