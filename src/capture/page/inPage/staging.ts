/** Puts a picture into a slot of the live page and takes everything back afterwards. */
import { OVERLAYS } from './overlays.ts';
import { RECT, type Rect, type StagedSize } from './rect.ts';
import { expressionOf } from './script.ts';
import { SLOT_ROOM } from './slotRoom.ts';
import { STILLNESS } from './stillness.ts';
import { STYLES } from './styles.ts';

declare const addSheet: typeof STYLES.addSheet;
declare const hideContent: typeof SLOT_ROOM.hideContent;
declare const makeRoom: typeof SLOT_ROOM.makeRoom;
declare const rectOf: typeof RECT.rectOf;
declare const restingPlace: typeof SLOT_ROOM.restingPlace;
declare const setStyles: typeof STYLES.setStyles;

/** What stays in the page while an ad stands in it. */
export interface Stage {
  image: HTMLImageElement;
  undo: (() => void)[];
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
  return rectOf(image);
}

function end({ undo }: Stage): void {
  for (const back of undo.reverse()) back();
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

/** Gives {@link StagingTools}. */
export const STAGING_TOOLS = expressionOf(
  {
    ...RECT,
    ...STYLES,
    ...SLOT_ROOM,
    ...STILLNESS,
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
  '{ beginInElement, beginInDocument, paint, unpaint, rectOfStage, end, nextFrames, viewSettled, freeze, isClear, liftOverlays }',
);
