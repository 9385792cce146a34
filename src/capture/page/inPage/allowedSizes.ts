/** The sizes that a slot takes: declared, or else those that its name and its container allow. */
import type { SlotKind } from '../slotTable.ts';
import { isClobbered, parentElementOf } from './clobbering.ts';
import {
  contentOf,
  type NetworkMatch,
  plainText,
  positionOf,
  type SlotContext,
  slotName,
  wordsIn,
} from './slotContext.ts';
import {
  adSizes,
  attributeSizes,
  commentSizes,
  commentsOf,
  isStandardSize,
  nameSizes,
  pairsIn,
  sizesFromText,
  sizesInOwnScripts,
  sizesInScripts,
  styleSizes,
} from './slotSizes.ts';
import type { Rect } from './visibility.ts';

/** `trust` orders the sources: 4 the page's scripts and attributes, 3 comments and text, 2 names, 1 the box or the container. */
export interface SizeFinding {
  sizes: [number, number][];
  trust: number;
  kind: SlotKind;
}

function declaredSizes(
  context: SlotContext,
  element: Element,
  { origins, names }: { origins: readonly Element[]; names: readonly string[] },
): [number, number][] {
  const { sizeKeys } = context;
  for (const one of origins) {
    const own = adSizes(sizeKeys, attributeSizes(one));
    if (own.length > 0) return own;
  }
  for (const name of names) {
    const named = sizesInScripts(sizeKeys, context.scripts, name);
    if (named.length > 0) return named;
  }
  const styled = adSizes(sizeKeys, origins.flatMap(styleSizes));
  if (styled.length > 0) return styled;
  return origins.length > 1 || context.networks.has(element)
    ? origins.flatMap((one) => sizesInOwnScripts(sizeKeys, one))
    : [];
}

/** In comments right before it, and in its text, as "728 × 90". */
function writtenSizes(context: SlotContext, element: Element, origins: readonly Element[]): [number, number][] {
  const comments = origins.map(commentsOf).join(' ');
  const inComments = adSizes(context.sizeKeys, commentSizes(comments));
  if (inComments.length > 0) return inComments;
  const inText = sizesFromText(plainText(element, 80)).filter(([w, h]) => isStandardSize(context.sizeKeys, w, h));
  if (inText.length > 0) return inText;
  const position = positionOf(context.table.positions, wordsIn(comments).join('-'));
  return position === undefined ? [] : positionSizes(context, position);
}

function positionSizes(context: SlotContext, { sizes = '', phone = sizes }: { sizes?: string; phone?: string }) {
  return pairsIn(context.isPhone ? phone : sizes);
}

function sizesOfRow(matches: readonly NetworkMatch[], name: string): [number, number][] {
  for (const { row } of matches)
    for (const [pattern, sizes] of Object.entries(row.sizes ?? {}))
      if (new RegExp(pattern).test(name)) return pairsIn(sizes);
  return [];
}

/** The name of the slot, of an empty element that is alone in it, and of the boxes around it that hold nothing else. */
function namesAround(origins: readonly Element[], element: Element): string[] {
  const [only, ...others] = element.children;
  const isAlone = only?.tagName !== 'SCRIPT' && only?.childElementCount === 0 && others.length === 0;
  const names = [...origins, ...(isAlone && !isClobbered(only) ? [only] : [])].map(slotName);
  let at = parentElementOf(element);
  for (let level = 0; at && level < 2 && at.tagName !== 'BODY'; level++, at = parentElementOf(at)) {
    const content = contentOf(at);
    if (content === 'content' || content === 'text') break;
    names.push(slotName(at));
  }
  return names;
}

/** The width that the slot may take. */
export function roomOf(element: Element): number {
  for (let at: Element | null = element; at; at = parentElementOf(at))
    if (at.clientWidth > 30 && getComputedStyle(at).display !== 'inline') return Math.min(at.clientWidth, innerWidth);
  return innerWidth;
}

/** Standard sizes for a slot that declares none. A tall ad does not go into a wide row. */
function sizesForRoom(context: SlotContext, room: number): [number, number][] {
  const list = context.isPhone
    ? '300x250 320x50 320x100 300x50 300x100 336x280 250x250'
    : room < 250
      ? '160x600 120x600 120x240 180x150 234x60 125x125 200x200'
      : room <= 450
        ? '300x250 336x280 300x600 160x600 120x600 250x250 300x100 240x400 234x60'
        : '300x250 336x280 728x90 468x60 970x90 970x250 580x400 800x250 750x200 980x120';
  return pairsIn(list).filter(([width]) => width <= room);
}

function fitting(sizes: [number, number][], room: number): [number, number][] {
  const narrow = sizes.filter(([width]) => width <= room + 20);
  return narrow.length > 0 ? narrow : sizes;
}

/** @param rect of the element; `collapsed`: its box does not show the size of its ads. */
export function allowedSizes(
  context: SlotContext,
  element: Element,
  about: { matches: readonly NetworkMatch[]; rect: Rect; collapsed: boolean },
): SizeFinding {
  const { matches, rect, collapsed } = about;
  const origins = [...new Set([element, ...matches.map(({ origin }) => origin)])];
  const names = namesAround(origins, element);
  const position = names.map((name) => positionOf(context.table.positions, name)).find((found) => found !== undefined);
  const kind =
    matches.find(({ row }) => (row.kind ?? 'display') !== 'display')?.row.kind ?? position?.kind ?? 'display';
  const scriptNames = [...origins.map(({ id }) => id), ...matches.flatMap(({ name = '' }) => name)];
  const declared = declaredSizes(context, element, { origins, names: scriptNames });
  if (declared.length > 0) return { sizes: declared, trust: 4, kind };
  const box: [number, number] = [Math.round(rect.width), Math.round(rect.height)];
  if (!collapsed && isStandardSize(context.sizeKeys, ...box)) return { sizes: [box], trust: 4, kind };
  const written = writtenSizes(context, element, origins);
  if (written.length > 0) return { sizes: written, trust: 3, kind };
  const room = roomOf(element);
  const inName = names.flatMap((name) => nameSizes(context.sizeKeys, name));
  const ofRow = names.map((name) => sizesOfRow(matches, name)).find(({ length }) => length > 0) ?? [];
  const named = [inName, ofRow, position ? positionSizes(context, position) : []].find(({ length }) => length > 0);
  const own = collapsed ? [] : [box];
  if (named) return { sizes: [...fitting(named, room), ...own], trust: 2, kind };
  return { sizes: collapsed ? sizesForRoom(context, room) : own, trust: 1, kind };
}
