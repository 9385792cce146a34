/** Puts a picture into a slot of the live page and takes everything back afterwards. */
import type { Rect } from './scan.ts';
import { expressionOf } from './script.ts';

export interface StagedSize {
  /** CSS pixels. */
  width: number;
  height: number;
}

/** What stays in the page while an ad stands in it. */
export interface Stage {
  image: HTMLImageElement;
  undo: (() => void)[];
}

function setStyles(element: HTMLElement | SVGElement, styles: Record<string, string>): () => void {
  const before = element.getAttribute('style');
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, 'important');
  return () => {
    if (before === null) element.removeAttribute('style');
    else element.setAttribute('style', before);
  };
}

/** For shadow roots as for documents; no policy of the page stops it. */
function addSheet(root: Document | ShadowRoot, text: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

function newImage(size: StagedSize): HTMLImageElement {
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

function innerSize(element: HTMLElement): StagedSize {
  const style = getComputedStyle(element);
  const sum = (...names: string[]) =>
    names.reduce((all, name) => all + (Number.parseFloat(style.getPropertyValue(name)) || 0), 0);
  const { width, height } = element.getBoundingClientRect();
  return {
    width: width - sum('padding-left', 'padding-right', 'border-left-width', 'border-right-width'),
    height: height - sum('padding-top', 'padding-bottom', 'border-top-width', 'border-bottom-width'),
  };
}

/** Gives a slot that has collapsed, or is smaller than its ad, the room that a filled one would take. */
function makeRoom(element: HTMLElement, size: StagedSize): () => void {
  const undo: (() => void)[] = [];
  if (getComputedStyle(element).display === 'none') undo.push(setStyles(element, { display: 'block' }));
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

function hideContent(element: HTMLElement): () => void {
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

/** Ads stand at the top of their slot, in its middle from side to side; in the middle of one that centres its content. */
function restingPlace(element: HTMLElement, size: StagedSize): { x: number; y: number } {
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
  return {
    x: box.left + edge('left') + Math.floor((inner.width - size.width) / 2),
    y: box.top + edge('top') + (centres ? Math.floor(spare / 2) : 0),
  };
}

function moveTo(image: HTMLImageElement, place: { x: number; y: number }): void {
  const now = image.getBoundingClientRect();
  setStyles(image, { left: `${place.x - now.left}px`, top: `${place.y - now.top}px` });
}

function beginInElement(element: Element, size: StagedSize): Stage {
  if (!(element instanceof HTMLElement)) throw new Error('the slot is no element of a page');
  const undo = [makeRoom(element, size), hideContent(element)];
  if (getComputedStyle(element).position === 'static') undo.push(setStyles(element, { position: 'relative' }));
  const image = newImage(size);
  const root = element.shadowRoot;
  (root && root.querySelector('slot') === null ? root : element).append(image);
  undo.push(() => image.remove());
  moveTo(image, restingPlace(element, size));
  return { image, undo };
}

/** For a slot that is a frame: inside it, over whatever it shows. */
function beginInDocument(size: StagedSize): Stage {
  const off = addSheet(
    document,
    'html, html *:not([data-shown-ad]) { visibility: hidden !important; } html, body { background: transparent !important; }',
  );
  const image = newImage(size);
  setStyles(image, {
    position: 'fixed',
    left: `${Math.floor((innerWidth - size.width) / 2)}px`,
    top: '0px',
    'z-index': '2147483647',
  });
  document.documentElement.append(image);
  return { image, undo: [off, () => image.remove()] };
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
  const { x, y, width, height } = image.getBoundingClientRect();
  return { x, y, width, height };
}

function end({ undo }: Stage): void {
  for (const back of undo.reverse()) back();
}

/** Resolves after two pictures of the screen, or soon where none are made. */
function nextFrames(): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, 250);
    const shown = () => {
      clearTimeout(late);
      resolve();
    };
    requestAnimationFrame(() => requestAnimationFrame(shown));
  });
}

/** Until the pictures in view are there, for a second at most. */
async function viewSettled(): Promise<void> {
  await nextFrames();
  const missing = [...document.images].filter((image) => {
    const { top, bottom, width } = image.getBoundingClientRect();
    return !image.complete && width > 0 && bottom > 0 && top < innerHeight;
  });
  if (missing.length === 0) return;
  const loaded = missing.map(
    (image) =>
      new Promise((resolve) => {
        for (const name of ['load', 'error']) image.addEventListener(name, resolve);
      }),
  );
  await Promise.race([Promise.all(loaded), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  await nextFrames();
}

/** Holds still what moves by itself, so that two pictures of the same thing are the same. */
function freeze(): void {
  for (const animation of document.getAnimations()) animation.pause();
  for (const media of document.querySelectorAll('video, audio')) if (media instanceof HTMLMediaElement) media.pause();
  const sheet = '__stillSheet';
  if (Reflect.get(document, sheet) === true) return;
  Object.defineProperty(document, sheet, { value: true });
  addSheet(document, '* { caret-color: transparent !important; scroll-behavior: auto !important; }');
}

function overlayAt(x: number, y: number, slot: Element): HTMLElement | undefined {
  for (let at = document.elementFromPoint(x, y); at; at = at.parentElement) {
    if (at === slot || at.contains(slot)) return undefined;
    if (at instanceof HTMLElement && getComputedStyle(at).position === 'fixed') return at;
  }
  return undefined;
}

/** Whether something lies on a corner, an edge or the middle of it. */
function isClear(slot: Element, rect: Rect): boolean {
  const parts = [0.02, 0.5, 0.98];
  return parts.every((px) =>
    parts.every((py) => {
      const hit = document.elementFromPoint(rect.x + rect.width * px, rect.y + rect.height * py);
      return hit !== null && (hit === slot || hit.contains(slot) || slot.contains(hit));
    }),
  );
}

/** Takes fixed layers away that lie over the middle of the slot: interstitials and their backdrops. */
function liftOverlays(slot: Element, rect: Rect): { lifted: string[]; undo: (() => void)[] } {
  const lifted: string[] = [];
  const undo: (() => void)[] = [];
  for (let layer = 0; layer < 6; layer++) {
    const spots = [0.5, 0.2, 0.8].map((part) => overlayAt(rect.x + rect.width * part, rect.y + rect.height / 2, slot));
    const overlay = spots.find((one) => one !== undefined && spots.filter((other) => other === one).length >= 2);
    if (overlay === undefined) break;
    undo.push(setStyles(overlay, { visibility: 'hidden', display: 'none' }));
    lifted.push((overlay.id ? `#${overlay.id}` : `${overlay.tagName.toLowerCase()}.${overlay.className}`).slice(0, 80));
  }
  return { lifted, undo };
}

export interface StagingTools {
  beginInElement(element: Element, size: StagedSize): Stage;
  beginInDocument(size: StagedSize): Stage;
  paint(stage: Stage, source: string): Promise<void>;
  unpaint(stage: Stage): void;
  rectOfStage(stage: Stage): Rect;
  end(stage: Pick<Stage, 'undo'>): void;
  nextFrames(): Promise<void>;
  viewSettled(): Promise<void>;
  freeze(): void;
  isClear(slot: Element, rect: Rect): boolean;
  liftOverlays(slot: Element, rect: Rect): { lifted: string[]; undo: (() => void)[] };
}

const TOOLS = [
  beginInElement,
  beginInDocument,
  paint,
  unpaint,
  rectOfStage,
  end,
  nextFrames,
  viewSettled,
  freeze,
  isClear,
  liftOverlays,
];

/** Gives {@link StagingTools}. */
export const STAGING_TOOLS = expressionOf(
  [...TOOLS, setStyles, addSheet, newImage, innerSize, makeRoom, hideContent, restingPlace, moveTo, overlayAt],
  `{ ${TOOLS.map(({ name }) => name).join(', ')} }`,
);
