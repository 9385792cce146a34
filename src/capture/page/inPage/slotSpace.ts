/** Prepares a slot for an ad: makes space and hides the slot's content. */

import type { AdSize } from './rect.ts';
import type { PagePart } from './script.ts';
import { STYLES } from './styles.ts';

declare const addSheet: typeof STYLES.addSheet;
declare const setStyles: typeof STYLES.setStyles;

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

/** The ad is centred horizontally and at the top of its slot. It is also centred vertically if the slot centres its content. */
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
  return {
    x: box.left + edge('left') + Math.floor((inner.width - size.width) / 2),
    y: box.top + edge('top') + (centres ? Math.floor(spare / 2) : 0),
  };
}

export const SLOT_SPACE = { ...STYLES, innerSize, makeSpace, hideContent, adPosition } satisfies PagePart;
