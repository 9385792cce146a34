import type { AdSize } from '../../domain/ads.ts';
import type { OtherAds } from '../../domain/screenshotOptions.ts';
import type { SlotFormat } from '../../domain/slotFormats.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Frame, Handle } from '../browser/frame.ts';
import type { Tab } from '../browser/tab.ts';
import { declaredUnit } from './drawnUnits.ts';
import { respondingFrames } from './frames.ts';
import { COLLECT_SLOTS, type SlotRecords } from './inPage/declarations.ts';
import type { FrameOwner, RawSlot, Scan } from './inPage/scan.ts';
import type { Rect } from './inPage/visibility.ts';
import { EVIDENCE_KINDS, type SlotCandidate, type SlotEvidence } from './page.ts';
import { NEVER_DISPLAY } from './slotTable.ts';

/** A slot of any frame. `parent` is the index of the slot around it in the same list, or -1. */
export interface NestedSlot
  extends Pick<RawSlot, 'evidence' | 'sizes' | 'sizeTrust' | 'kind' | 'visible' | 'collapsed' | 'isFrame' | 'parent'> {
  readonly box: { readonly width: number; readonly height: number };
}

const DECLARING: ReadonlySet<SlotEvidence> = new Set(['gpt', 'prebid', 'adsense', 'amp']);

/** The slot that represents a group of nested slots, with the evidence of all of them. */
interface MergedSlot {
  readonly index: number;
  readonly evidence: readonly SlotEvidence[];
  /** The slot of the group that knows the sizes best. */
  readonly sizesFrom: number;
}

/** A slot, and a way to get its element. */
export interface FoundSlot {
  readonly candidate: SlotCandidate;
  readonly isFrame: boolean;
  readonly frame: Frame;
  element(): Promise<Handle<Element>>;
}

interface ScannedFrame {
  readonly frame: Frame;
  readonly scan: Handle<Scan>;
  readonly slots: readonly RawSlot[];
  /** Top left corner of the frame's viewport, in the page's viewport at the time of the scan. */
  readonly origin: { readonly x: number; readonly y: number };
  readonly owner: FrameOwner | undefined;
  /** Index of this frame's first slot in the list of all slots. */
  readonly first: number;
  readonly parent: ScannedFrame | undefined;
}

interface PlacedSlot extends RawSlot {
  readonly box: Rect;
  readonly from: ScannedFrame;
  readonly indexInFrame: number;
}

const FRAME_DEADLINE_MS = 4_000;
const MAX_FRAMES = 40;
const MAX_SLOTS = 150;

/** Finds the ad slots of a page in all its frames. Restores the scroll position afterwards. @param screen CSS pixels. */
export async function findSlots(page: Tab, otherAds: OtherAds, screen: AdSize): Promise<FoundSlot[]> {
  const frames = await scanFrames(page, otherAds === 'hide');
  const top = frames.find(({ parent }) => parent === undefined);
  if (top === undefined) return [];
  const { scroll, overPage } = await withDeadline(
    FRAME_DEADLINE_MS,
    top.scan.evaluate(({ scroll: { x, y }, overPage }) => {
      (document.scrollingElement ?? window).scrollTo({ left: x, top: y, behavior: 'instant' });
      return { scroll: { x, y }, overPage };
    }),
  );
  const placed = frames.flatMap((frame) => placeSlots(frame, scroll));
  const merged = mergeSlots(placed);
  const found = merged.slice(0, MAX_SLOTS).flatMap(({ index, evidence, sizesFrom }) => {
    const slot = placed[index];
    if (slot === undefined || slot.kind === 'none') return [];
    const { sizes, sizeTrust } = placed[sizesFrom] ?? slot;
    return [foundSlot({ ...slot, kind: slot.kind, sizes, sizeTrust }, evidence)];
  });
  const drawn = overPage.filter(
    (format) => !found.some(({ candidate }) => candidate.kind === format && candidate.visible),
  );
  return [...found, ...drawn.map((format) => declaredUnit(format, { frame: top.frame, screen }))];
}

async function scanFrames(page: Tab, hidesAds: boolean): Promise<ScannedFrame[]> {
  const scanned: ScannedFrame[] = [];
  const byFrame = new Map<Frame, ScannedFrame>();
  for (const frame of await respondingFrames(page, MAX_FRAMES)) {
    const { parent } = frame;
    const parentScan = parent ? byFrame.get(parent) : undefined;
    if (parent && parentScan === undefined) continue;
    const first = scanned.reduce((sum, { slots }) => sum + slots.length, 0);
    const found = await scanFrame(frame, { parent: parentScan, first, hidesAds });
    if (found === undefined) continue;
    scanned.push(found);
    byFrame.set(frame, found);
  }
  return scanned;
}

interface ScanOptions {
  readonly parent: ScannedFrame | undefined;
  readonly first: number;
  readonly hidesAds: boolean;
}

/** @returns undefined for a frame that is hidden, disappears or does not answer. @throws if the main frame does not answer. */
async function scanFrame(frame: Frame, about: ScanOptions): Promise<ScannedFrame | undefined> {
  try {
    return await withDeadline(FRAME_DEADLINE_MS, scanOne(frame, about));
  } catch (error) {
    if (about.parent === undefined) throw error;
    return undefined;
  }
}

async function scanOne(frame: Frame, { parent, first, hidesAds }: ScanOptions): Promise<ScannedFrame | undefined> {
  const owner = parent && (await ownerOf(frame, parent));
  if (parent && (!owner?.visible || owner.rect.width < 30 || owner.rect.height < 30)) return undefined;
  const records = (await frame.evaluateInPage(`${COLLECT_SLOTS}()`)) as Partial<SlotRecords> | undefined;
  const scan = await frame.evaluateHandle((request) => inPage.scan(request), { records, hidesAds });
  await scan.evaluate((found) => inPage.findCovered(found));
  const slots = await scan.evaluate((found) => found.slots);
  const origin = {
    x: (parent?.origin.x ?? 0) + (owner?.rect.x ?? 0),
    y: (parent?.origin.y ?? 0) + (owner?.rect.y ?? 0),
  };
  return { frame, scan, slots, origin, owner, first, parent };
}

async function ownerOf(frame: Frame, parent: ScannedFrame): Promise<FrameOwner> {
  const element = await frame.owner();
  return element.evaluate((owner, scan) => inPage.ownerOf(owner, scan), parent.scan);
}

/** Converts to the document's coordinates. A slot in a covered or sticky frame is covered or sticky too. */
function placeSlots(from: ScannedFrame, scroll: { x: number; y: number }): PlacedSlot[] {
  const { origin, owner, parent, first } = from;
  return from.slots.map((slot, indexInFrame) => {
    const { x, y, width, height } = slot.rect;
    const outer = owner && parent && owner.parent >= 0 ? parent.first + owner.parent : -1;
    return {
      ...slot,
      sticky: slot.sticky || owner?.sticky === true,
      covered: slot.covered || owner?.covered === true,
      box: { x: x + origin.x + scroll.x, y: y + origin.y + scroll.y, width, height },
      from,
      indexInFrame,
      parent: slot.parent >= 0 ? first + slot.parent : outer,
    };
  });
}

function foundSlot(slot: PlacedSlot & { readonly kind: SlotFormat }, evidence: SlotCandidate['evidence']): FoundSlot {
  const { box, sizes, element, visible, collapsed, sticky, covered, kind, fluid, surroundings } = slot;
  const { isFrame, from, indexInFrame } = slot;
  const own: [number, number][] = collapsed ? [] : [[Math.round(box.width), Math.round(box.height)]];
  return {
    candidate: {
      box: rounded(box),
      sizes: sizes.length > 0 ? unique(sizes) : own,
      evidence,
      element,
      visible,
      collapsed,
      sticky,
      covered,
      kind,
      fluid,
      // A box tells its size; a container only what it allows.
      sizeTrust: collapsed || slot.sizeTrust > 1 ? slot.sizeTrust : 4,
      surroundings,
    },
    isFrame,
    frame: from.frame,
    element: () =>
      from.scan.evaluateHandle((scan, index) => {
        const element = scan.elements[index];
        if (element === undefined) throw new Error('the slot is no longer in the page');
        return element;
      }, indexInFrame),
  };
}

function unique(sizes: readonly [number, number][]): [number, number][] {
  return [...new Map(sizes.map((size) => [size.join('x'), size])).values()];
}

function rounded({ x, y, width, height }: Rect): Rect {
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}

/** Keeps one of each group of nested slots, the one that an ad would fill, because wrappers and ad frames are one slot. */
export function mergeSlots(slots: readonly NestedSlot[]): MergedSlot[] {
  const children = slots.map((): number[] => []);
  const roots: number[] = [];
  slots.forEach(({ parent }, index) => {
    (children[parent] ?? roots).push(index);
  });
  const merge = (index: number): MergedSlot[] => chosen(slots, index, (children[index] ?? []).flatMap(merge));
  return roots.flatMap(merge);
}

function chosen(slots: readonly NestedSlot[], index: number, inside: readonly MergedSlot[]): MergedSlot[] {
  const own = slots[index];
  if (own === undefined) return [...inside];
  // The video of an ad is no player of the page. A box of which only the size is known may be the frame of a player.
  const isAd = own.kind === 'display' && own.evidence.some((kind) => kind !== 'iab_size');
  const all = isAd ? inside.filter((one) => slots[one.index]?.kind !== 'in_stream') : inside;
  const alone: MergedSlot = { index, evidence: inOrder(own.evidence), sizesFrom: index };
  if (all.length === 0 || NEVER_DISPLAY.has(own.kind)) return [alone];
  // Twins for other devices do not count.
  const inner = all.filter((one) => isShown(slots[one.index]));
  const hidden = all.filter((one) => !inner.includes(one));
  // A wrapper that hides its slot until an ad comes.
  if (inner.length === 0 && own.collapsed && hidden.length === 1) return [withEvidence(slots, alone, hidden)];
  return [...chosenOfShown(slots, alone, inner), ...hidden];
}

function chosenOfShown(slots: readonly NestedSlot[], alone: MergedSlot, inner: readonly MergedSlot[]): MergedSlot[] {
  const own = slots[alone.index];
  const [only] = inner;
  if (own === undefined || only === undefined) return [alone];
  const declaredInside = inner.some(({ evidence }) => evidence.some((kind) => DECLARING.has(kind)));
  const declared = own.evidence.some((kind) => DECLARING.has(kind));
  if (declared && !declaredInside) return [withEvidence(slots, alone, inner)];
  if (inner.length > 1) return [...inner];
  const nested = slots[only.index];
  // The kind of the inner element decides: a widget of recommendations in a box that is called an ad is no slot.
  if (nested === undefined || NEVER_DISPLAY.has(nested.kind)) return [only];
  // The box around a declared element without a width keeps the space for its ad.
  const isThin = nested.box.width < 10 && !own.collapsed && own.visible;
  if (declaredInside && !isThin) return [withSizes(slots, only, [alone])];
  // Neither is declared. The inner slot holds the ad, unless it has collapsed.
  const outerIsBetter = nested.collapsed && !own.collapsed;
  return [outerIsBetter ? withEvidence(slots, alone, inner) : withEvidence(slots, only, [alone])];
}

function isShown(slot: NestedSlot | undefined): boolean {
  return slot !== undefined && (slot.visible || slot.collapsed || NEVER_DISPLAY.has(slot.kind));
}

function withEvidence(slots: readonly NestedSlot[], slot: MergedSlot, others: readonly MergedSlot[]): MergedSlot {
  const evidence = inOrder([...slot.evidence, ...others.flatMap((other) => other.evidence)]);
  return { ...withSizes(slots, slot, others), evidence };
}

/** The sizes of another slot of the group count if its source is better. */
function withSizes(slots: readonly NestedSlot[], slot: MergedSlot, others: readonly MergedSlot[]): MergedSlot {
  const trust = ({ sizesFrom }: MergedSlot) => (slots[sizesFrom]?.sizes.length ? slots[sizesFrom].sizeTrust : 0);
  const best = others.reduce((one, other) => (trust(other) > trust(one) ? other : one), slot);
  return { ...slot, sizesFrom: best.sizesFrom };
}

function inOrder(evidence: readonly SlotEvidence[]): SlotEvidence[] {
  return EVIDENCE_KINDS.filter((kind) => evidence.includes(kind));
}
