import { isNear, isStandardSize, standardSizeNear } from '../../domain/adSizes.ts';
import type { Warning } from '../../domain/warnings.ts';
import { areaOf, type Size, sizeText } from './creative.ts';
import type { LayoutBox, RootBox, ShownLayout } from './shownLayout.ts';
import type { SizeClaim, SizeClaims } from './sizeClaims.ts';

/** The size of a creative, how it was found, and what the user of the pictures should know about it. */
export interface SizeDecision {
  readonly size: Size;
  /** Where the size comes from, for example "the ad.size meta element". */
  readonly from: string;
  readonly warnings: readonly Warning[];
}

/** The most common ad size, for a creative that fills any frame. */
const MOST_COMMON: Size = { width: 300, height: 250 };

const PAINTED = 'the painted area';

/** The width for a creative that fills the width but has a height of its own, by that height. */
const WIDTHS: Readonly<Record<number, number>> = {
  50: 320,
  60: 468,
  90: 728,
  100: 320,
  250: 300,
  280: 336,
  600: 300,
  1050: 300,
};

/** @returns the size of a creative that declares none, from its layout in a frame of an uncommon size. */
export function sizeOfLayout(layout: ShownLayout, claims: SizeClaims): SizeDecision | undefined {
  const seen = seenSize(layout, claims);
  const isSure = seen !== undefined && isStandardSize(seen.size) && !(seen.from === PAINTED && layout.hasBackground);
  if (seen !== undefined && (isSure || claims.hints.length === 0)) return withoutWarning(seen);
  if (layout.filled || layout.onlyText) return hintedSize(claims) ?? assumedSize(layout);
  const own = seen?.size ?? layout.painted ?? undefined;
  const [hint] = claims.hints.filter(({ size }) => own === undefined || contains(size, own));
  if (hint !== undefined) return withoutWarning(hint);
  if (seen !== undefined) return withoutWarning(seen);
  return paintedSize(layout, claims);
}

/**
 * Checks a declared size against the layout in a frame of an uncommon size.
 * @returns the declared size, or the size that a person sees, with a warning.
 */
export function checkedAgainstLayout(declared: SizeClaim, layout: ShownLayout, claims: SizeClaims): SizeDecision {
  const seen = seenSize(layout, claims);
  if (seen === undefined || isNear(seen.size, declared.size)) return withoutWarning(declared);
  if (!exceeds(seen.size, declared.size) && !isWholeAd(seen, layout)) return withoutWarning(declared);
  const isTrusted = isStandardSize(seen.size) || !isStandardSize(declared.size) || exceeds(seen.size, declared.size);
  if (!isTrusted || claims.expands) return withoutWarning(declared);
  const message = `The creative declares ${sizeText(declared.size)} (${declared.from}), but it shows ${sizeText(seen.size)} (${seen.from}). It is shown at ${sizeText(seen.size)}; to change this, set the size of the ad.`;
  return { ...seen, warnings: [{ code: 'size_conflict', message }] };
}

/** @returns true if the layout in a frame of the declared size gives a reason to measure the creative. */
export function contradicts(layout: ShownLayout): boolean {
  if (layout.sticksOut) return true;
  const area = layout.painted && standardSizeNear(layout.painted);
  if (area && !isNear(area, layout.viewport) && !layout.filled && !layout.fits) return true;
  return !layout.filled && !layout.fits && !layout.onlyText && layout.roots.length > 0;
}

/** @returns a warning if the frame cuts off a part of the ad. */
export function cutOff(size: Size, layout: ShownLayout | undefined, isRequested: boolean): Warning | undefined {
  if (layout?.offset) {
    const { x, y } = layout.offset;
    const message = `The ad begins ${Math.round(x)} pixels from the left and ${Math.round(y)} from the top of its ${sizeText(size)} frame. Its right or lower edge is cut off, as in an ad server.`;
    return { code: 'size_conflict', message };
  }
  if (!isRequested || !layout?.sticksOut) return undefined;
  const message = `The creative is larger than the requested size ${sizeText(size)}, so a part of it is cut off.`;
  return { code: 'size_conflict', message };
}

/** The size that a person sees: the stage, or the painted area if that is a standard size. */
function seenSize({ roots, painted, filled }: ShownLayout, { expands }: SizeClaims): SizeClaim | undefined {
  const area = painted === null ? undefined : standardSizeNear(painted);
  const fromPaint = area && { size: area, from: PAINTED };
  if (expands && fromPaint) return fromPaint;
  const standard = roots.filter((root) => standardSizeNear(root) !== undefined);
  const stage = standard.find((root) => root.isStage) ?? standard[0];
  const size = stage && standardSizeNear(stage);
  if (stage && size && !isPartOf(stage, { roots, painted }))
    return area && areaOf(area) > areaOf(size) ? fromPaint : { size, from: 'the size of the root container' };
  if (fromPaint) return fromPaint;
  const [root, ...others] = roots.filter((one) => one.shows);
  if (root?.isStage && others.length === 0 && !filled && Math.min(root.width, root.height) >= 50)
    return { size: rounded(root), from: 'the size of the root container' };
  return undefined;
}

/** True if nothing is painted beside the stage. A single image may be a part of an ad that has other parts later. */
function isWholeAd({ size, from }: SizeClaim, { roots, painted, hasBackground }: ShownLayout): boolean {
  const stage = roots.find((root) => root.isStage && isNear(root, size));
  if (stage === undefined || from === PAINTED || stage.isImage || hasBackground) return false;
  return painted === null || isInside(painted, stage);
}

/** True if most of what is painted lies in other boxes. */
function isPartOf(stage: RootBox, { roots, painted }: Pick<ShownLayout, 'roots' | 'painted'>): boolean {
  const others = roots.filter(
    (root) => root !== stage && root.shows && !isInside(root, stage) && !isInside(stage, root),
  );
  return others.length > 0 && painted !== null && areaOf(stage) < 0.5 * areaOf(painted);
}

function hintedSize({ hints }: Pick<SizeClaims, 'hints'>): SizeDecision | undefined {
  const [first] = hints;
  if (first === undefined) return undefined;
  const others = hints.filter(({ size, isGuess }) => isGuess !== true && !isNear(size, first.size));
  if (others.length === 0 && first.isGuess !== true) return withoutWarning(first);
  const message = `The creative fills any frame. It is shown at ${sizeText(first.size)}, because of ${first.from}; to change this, set the size of the ad.`;
  return { ...first, warnings: [{ code: 'size_assumed', message }] };
}

function assumedSize({ painted, onlyText }: Pick<ShownLayout, 'painted' | 'onlyText'>): SizeDecision {
  const own = onlyText && painted ? rounded(painted) : MOST_COMMON;
  const size = { width: Math.max(own.width, MOST_COMMON.width), height: Math.max(own.height, MOST_COMMON.height) };
  const message = `The creative fills any frame and does not declare its size. It is shown at ${sizeText(size)}; to change this, set the size of the ad.`;
  return { size, from: 'the most common size', warnings: [{ code: 'size_assumed', message }] };
}

function paintedSize({ painted, roots, viewport }: ShownLayout, { hints }: SizeClaims): SizeDecision | undefined {
  const [root] = roots;
  const box = painted ?? root;
  if (box === undefined || box.width < 1 || box.height < 1) return undefined;
  const { width, height } = rounded(box);
  const [wide, high] = [width >= viewport.width - 20, height >= viewport.height - 20];
  const from = painted === null ? 'the size of the root container' : PAINTED;
  if (wide && high) return hintedSize({ hints }) ?? assumedSize({ painted: null, onlyText: false });
  const hint = hints.find(({ size }) => (wide ? Math.abs(size.height - height) : Math.abs(size.width - width)) <= 4);
  if ((wide || high) && hint !== undefined) return withoutWarning(hint);
  if (wide) return withoutWarning({ size: { width: WIDTHS[height] ?? MOST_COMMON.width, height }, from });
  return withoutWarning({ size: high ? { width, height: MOST_COMMON.height } : { width, height }, from });
}

function withoutWarning({ size, from }: SizeClaim): SizeDecision {
  return { size, from, warnings: [] };
}

function contains(outer: Size, inner: Size): boolean {
  return inner.width <= outer.width + 4 && inner.height <= outer.height + 4;
}

function exceeds(size: Size, frame: Size): boolean {
  return size.width > frame.width + 4 || size.height > frame.height + 4;
}

function isInside(inner: LayoutBox, outer: LayoutBox): boolean {
  return (
    inner.x >= outer.x - 1 &&
    inner.y >= outer.y - 1 &&
    inner.x + inner.width <= outer.x + outer.width + 1 &&
    inner.y + inner.height <= outer.y + outer.height + 1
  );
}

function rounded({ width, height }: Size): Size {
  return { width: Math.round(width), height: Math.round(height) };
}
