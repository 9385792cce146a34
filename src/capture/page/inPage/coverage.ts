/** Finds content of the page that an ad lies over, and opens the space in another way. */
import { isClobbered, parentElementOf } from './clobbering.ts';
import { type AdInPage, adRect, gridOf } from './overlays.ts';
import { isLabel } from './slotContext.ts';
import { addSheet, setStyles } from './stabilize.ts';
import { fixedLayerOf, isWithin } from './visibility.ts';

/**
 * The text or image of the page that the ad hides, in words for the user; null if there is none. The ad must be in view. The
 * content of the slot itself does not count, because a filled slot would not show it.
 */
export function contentUnder(ad: AdInPage): string | null {
  const slot = ad.owner.closest('[data-holds-shown-ad]') ?? ad.owner;
  // The client chose what this area covers.
  if (slot.closest('[data-drawn-area]')) return null;
  const layer = fixedLayerOf(slot);
  const hidden = new Map<Element, number>();
  // The browser finds no element that lets clicks through.
  const removeSheet = addSheet(document, '* { pointer-events: auto !important; }');
  const { x: left, y: top, width, height } = adRect(ad);
  // The browser also finds what begins where the ad ends.
  const inside = { x: left + 2, y: top + 2, width: width - 4, height: height - 4 };
  for (const [x, y] of gridOf(inside, 9)) {
    const under = document
      .elementsFromPoint(x, y)
      .filter((one) => !isClobbered(one) && (layer === undefined || isWithin(one, layer)))
      .find((one) => !isWithin(one, slot) && !isWithin(slot, one) && isContentAt(one, x, y));
    if (under) hidden.set(under, (hidden.get(under) ?? 0) + 1);
  }
  removeSheet();
  // One point may be a mark in the corner of the slot.
  const [most] = [...hidden].toSorted(([, one], [, two]) => two - one);
  const points = [...hidden.values()].reduce((sum, one) => sum + one, 0);
  return most === undefined || points < 2 ? null : describeContent(most[0]);
}

function isContentAt(element: Element, x: number, y: number): boolean {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  // A broken image paints only its text.
  if (element instanceof HTMLImageElement && element.complete && element.naturalWidth === 0) return false;
  if (/^(IMG|VIDEO|CANVAS|IFRAME|PICTURE|SVG|INPUT|BUTTON|SELECT|TEXTAREA)$/i.test(element.tagName)) return true;
  if (getComputedStyle(element).backgroundImage.includes('url(')) return true;
  return [...element.childNodes].some((node) => {
    const text = node.textContent ?? '';
    // The ad stands over the label of an empty slot.
    if (node.nodeType !== Node.TEXT_NODE || text.trim() === '' || isLabel(text)) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].some(
      ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
    );
  });
}

function describeContent(element: Element): string {
  const text = (element.textContent ?? '').trim().replace(/\s+/g, ' ');
  return text === '' ? `the ${element.tagName.toLowerCase()} beside it` : `the text “${text.slice(0, 40)}”`;
}

/** Takes the slot out of its row, and makes the boxes around it as high as their content, so that nothing lies beside or under the ad. */
export function spreadOut(slot: HTMLElement): (() => void)[] {
  const undo: (() => void)[] = [];
  const styles: Record<string, string> = { clear: 'both', float: 'none', 'grid-column': '1 / -1' };
  const { position } = getComputedStyle(slot);
  if (position === 'absolute') Object.assign(styles, { position: 'relative', inset: 'auto', transform: 'none' });
  undo.push(setStyles(slot, styles));
  for (let at = parentElementOf(slot); at && at !== document.body; at = parentElementOf(at)) {
    const inner = getComputedStyle(at);
    const isShort = at.getBoundingClientRect().bottom < slot.getBoundingClientRect().bottom - 0.5;
    if (inner.display.endsWith('flex') && inner.flexDirection.startsWith('row') && inner.flexWrap === 'nowrap')
      undo.push(setStyles(at, { 'flex-wrap': 'wrap' }));
    if (!isShort || /^(absolute|fixed)$/.test(inner.position)) continue;
    const { height } = at.getBoundingClientRect();
    undo.push(setStyles(at, { height: 'auto', 'max-height': 'none', 'min-height': `${height}px` }));
  }
  return undo;
}
