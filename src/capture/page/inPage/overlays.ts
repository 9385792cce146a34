/** Finds and hides elements that cover a slot. */
import type { Rect } from './rect.ts';
import type { PagePart } from './script.ts';
import { STYLES } from './styles.ts';

declare const setStyles: typeof STYLES.setStyles;

/** Whether no element covers a corner, an edge or the middle of the slot. */
function isUncovered(slot: Element, rect: Rect): boolean {
  const parts = [0.02, 0.5, 0.98];
  return parts.every((px) =>
    parts.every((py) => {
      const hit = document.elementFromPoint(rect.x + rect.width * px, rect.y + rect.height * py);
      return hit !== null && (hit === slot || hit.contains(slot) || slot.contains(hit));
    }),
  );
}

function overlayAt(x: number, y: number, slot: Element): HTMLElement | undefined {
  for (let at = document.elementFromPoint(x, y); at; at = at.parentElement) {
    if (at === slot || at.contains(slot)) return undefined;
    if (at instanceof HTMLElement && getComputedStyle(at).position === 'fixed') return at;
  }
  return undefined;
}

/** Hides fixed layers that cover the middle of the slot, such as interstitials and their backdrops. */
function hideOverlays(slot: Element, rect: Rect): { hidden: string[]; undo: (() => void)[] } {
  const hidden: string[] = [];
  const undo: (() => void)[] = [];
  for (let layer = 0; layer < 6; layer++) {
    const spots = [0.5, 0.2, 0.8].map((part) => overlayAt(rect.x + rect.width * part, rect.y + rect.height / 2, slot));
    const overlay = spots.find((one) => one !== undefined && spots.filter((other) => other === one).length >= 2);
    if (overlay === undefined) break;
    undo.push(setStyles(overlay, { visibility: 'hidden', display: 'none' }));
    hidden.push((overlay.id ? `#${overlay.id}` : `${overlay.tagName.toLowerCase()}.${overlay.className}`).slice(0, 80));
  }
  return { hidden, undo };
}

export const OVERLAYS = { ...STYLES, isUncovered, overlayAt, hideOverlays } satisfies PagePart;
