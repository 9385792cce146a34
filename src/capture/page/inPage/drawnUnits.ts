/** Draws an anchor or an interstitial over the page, in the look of Google's. */
import type { DrawnFormat } from '../../../domain/slotFormats.ts';
import { addSheet, setStyles } from './stabilize.ts';
import { type Rect, shownPart } from './visibility.ts';

interface Unit {
  /** The layer over the page. It has a shadow root, in which no style of the page applies. */
  host: HTMLElement;
  undo: (() => void)[];
}

/** By the element for the ad. */
const units = new WeakMap<Node, Unit>();

const STYLES: Readonly<Record<DrawnFormat, string>> = {
  anchor: `
    .unit { position: absolute; inset: auto 0 0; display: flex; justify-content: center; background: #fff; pointer-events: auto;
      box-shadow: 0 0 5px rgba(0, 0, 0, 0.35); }
    .button { position: absolute; bottom: 100%; left: calc(50% - 36px); width: 72px; height: 20px; background: #fff;
      border-radius: 10px 10px 0 0; box-shadow: 0 0 5px rgba(0, 0, 0, 0.35); clip-path: inset(-6px -6px 0); }
    .button::before { content: ''; position: absolute; left: 31px; top: 4px; width: 8px; height: 8px; rotate: 45deg;
      border: solid #5f6368; border-width: 0 2px 2px 0; }`,
  interstitial: `
    .unit { position: absolute; inset: 0; display: flex; flex-direction: column; align-items: center;
      background: rgba(32, 33, 36, 0.6); }
    .unit::before { content: ''; flex: 0 1 44px; }
    .slot { margin: auto; pointer-events: auto; }
    .label { position: absolute; left: 8px; top: 8px; z-index: 1; padding: 1px 4px; border-radius: 2px; background: #fff;
      color: #202124; font: 700 11px/14px 'Liberation Sans', Arial, Helvetica, sans-serif; }
    .button { position: absolute; right: 8px; top: 8px; z-index: 1; width: 28px; height: 28px; border-radius: 50%; background: #fff;
      box-shadow: 0 0 3px rgba(0, 0, 0, 0.4); }
    .button::before, .button::after { content: ''; position: absolute; left: 7px; top: 13px; width: 14px; height: 2px;
      rotate: 45deg; background: #3c4043; }
    .button::after { rotate: -45deg; }`,
};

/** @returns the element for the ad. The undo of its stage removes the unit. */
export function drawUnit(format: DrawnFormat): Element {
  const host = document.createElement('div');
  host.setAttribute('data-drawn-unit', format);
  setStyles(host, {
    all: 'initial',
    display: 'block',
    position: 'fixed',
    direction: 'ltr',
    'z-index': '2147483647',
    'pointer-events': 'none',
  });
  const root = host.attachShadow({ mode: 'closed' });
  addSheet(root, `.slot { position: relative; flex: none; } ${STYLES[format]}`);
  const part = (name: string, ...inside: (Element | string)[]) => {
    const element = document.createElement('div');
    element.className = name;
    element.append(...inside);
    return element;
  };
  const slot = part('slot');
  root.append(part('unit', ...(format === 'anchor' ? [] : [part('label', 'Ad')]), part('button'), slot));
  host.popover = 'manual';
  const hideBackdrop = addSheet(document, '[data-drawn-unit]::backdrop { display: none !important; }');
  show(host, document.documentElement);
  const observer = new MutationObserver(() => {
    // The scripts of the page do not see what is in a shadow root.
    if (!host.isConnected) show(host, hiddenParent());
  });
  observer.observe(document, { childList: true, subtree: true });
  units.set(slot, { host, undo: [() => host.remove(), () => observer.disconnect(), hideBackdrop] });
  fitUnit(slot);
  return slot;
}

/** @returns an element over this part of the page. The undo of its stage removes it. */
export function drawArea({ x, y, width, height }: Rect): Element {
  const slot = document.createElement('div');
  slot.setAttribute('data-drawn-area', '');
  setStyles(slot, {
    all: 'initial',
    display: 'block',
    position: 'absolute',
    'z-index': '2147483647',
    left: `${x}px`,
    top: `${y}px`,
    width: `${width}px`,
    height: `${height}px`,
  });
  document.documentElement.append(slot);
  return slot;
}

/** A popover is above everything of the page, and no transformation of the page moves it. */
function show(host: HTMLElement, parent: Node): void {
  parent.appendChild(host);
  host.showPopover();
  place(host);
}

let shadow: ShadowRoot | undefined;

/** The body looks as before, because its shadow root shows its content. */
function hiddenParent(): Node {
  if (shadow === undefined && document.body.shadowRoot === null) {
    shadow = document.body.attachShadow({ mode: 'closed' });
    shadow.append(document.createElement('slot'));
  }
  return shadow ?? document.documentElement;
}

/** Lays the unit of an ad out for the part of the page that the screen shows. Does nothing for other ads. */
export function fitUnit(ad: Element): void {
  const unit = units.get(ad) ?? (ad.parentNode && units.get(ad.parentNode));
  if (unit) place(unit.host);
}

function place(host: HTMLElement): void {
  const { x, y, width, height } = shownPart();
  setStyles(host, { zoom: '1' });
  // A page may enlarge all that is in it.
  setStyles(host, { zoom: String(1 / host.currentCSSZoom) });
  setStyles(host, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
}

/** @returns how to remove the unit of a slot; nothing for other slots. */
export function undoOfUnit(slot: Element): (() => void)[] {
  if (slot.matches('[data-drawn-area]')) return [() => slot.remove()];
  return units.get(slot)?.undo ?? [];
}
