/** Places a picture into a slot of the live page, and restores the page afterwards. */
import { OVERLAYS } from './overlays.ts';
import { type AdSize, RECT, type Rect } from './rect.ts';
import { expressionOf } from './script.ts';
import { SLOT_SPACE } from './slotSpace.ts';
import { STABILIZE } from './stabilize.ts';
import { STYLES } from './styles.ts';

declare const addSheet: typeof STYLES.addSheet;
declare const hideContent: typeof SLOT_SPACE.hideContent;
declare const makeSpace: typeof SLOT_SPACE.makeSpace;
declare const rectOf: typeof RECT.rectOf;
declare const adPosition: typeof SLOT_SPACE.adPosition;
declare const setStyles: typeof STYLES.setStyles;

/** The state that stays in the page as long as it shows the ad. */
export interface Stage {
  image: HTMLImageElement;
  undo: (() => void)[];
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
  if (getComputedStyle(element).position === 'static') undo.push(setStyles(element, { position: 'relative' }));
  const image = newImage(size);
  const root = element.shadowRoot;
  (root && root.querySelector('slot') === null ? root : element).append(image);
  undo.push(() => image.remove());
  moveTo(image, adPosition(element, size));
  return { image, undo };
}

/** For a slot that is a frame: places the ad inside the frame, over its content. */
function beginInDocument(size: AdSize): Stage {
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
  return rectOf(image);
}

function end({ undo }: Stage): void {
  for (const back of undo.reverse()) back();
}

export interface StagingTools {
  beginInElement(element: Element, size: AdSize): Stage;
  beginInDocument(size: AdSize): Stage;
  paint(stage: Stage, source: string): Promise<void>;
  unpaint(stage: Stage): void;
  rectOfStage(stage: Stage): Rect;
  end(stage: Pick<Stage, 'undo'>): void;
  nextFrames(): Promise<void>;
  viewSettled(): Promise<void>;
  freeze(): void;
  isUncovered(slot: Element, rect: Rect): boolean;
  hideOverlays(slot: Element, rect: Rect): { hidden: string[]; undo: (() => void)[] };
}

/** Evaluates to {@link StagingTools}. */
export const STAGING_TOOLS = expressionOf(
  {
    ...RECT,
    ...STYLES,
    ...SLOT_SPACE,
    ...STABILIZE,
    ...OVERLAYS,
    newImage,
    moveTo,
    beginInElement,
    beginInDocument,
    paint,
    unpaint,
    rectOfStage,
    end,
  },
  '{ beginInElement, beginInDocument, paint, unpaint, rectOfStage, end, nextFrames, viewSettled, freeze, isUncovered, hideOverlays }',
);
