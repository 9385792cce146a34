import type { PagePart } from './script.ts';

/** CSS pixels, in the viewport of the element's own frame. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

function rectOf(element: Element): Rect {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

export const RECT = { rectOf } satisfies PagePart;
