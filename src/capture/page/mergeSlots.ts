import type { RawSlot } from './inPage/scan.ts';
import type { SlotEvidence } from './page.ts';
import type { SlotKind } from './slotTable.ts';

/** A slot of any frame. `parent` is the index of the slot around it in the same list, or -1. */
export interface NestedSlot
  extends Pick<RawSlot, 'evidence' | 'sizes' | 'sizeTrust' | 'kind' | 'visible' | 'collapsed' | 'isFrame' | 'parent'> {
  readonly box: { readonly width: number; readonly height: number };
}

/** Strongest first. */
const EVIDENCE_ORDER: readonly SlotEvidence[] = [
  'gpt',
  'prebid',
  'adsense',
  'amp',
  'network',
  'linked_image',
  'attribute',
  'frame',
  'iab_size',
];

const DECLARING: ReadonlySet<SlotEvidence> = new Set(['gpt', 'prebid', 'adsense', 'amp']);
const NEVER: ReadonlySet<SlotKind> = new Set(['native', 'video', 'none']);

/** The slot that represents a group of nested slots, with the evidence of all of them. */
export interface MergedSlot {
  readonly index: number;
  readonly evidence: readonly SlotEvidence[];
  /** The slot of the group that knows the sizes best. */
  readonly sizesFrom: number;
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

function chosen(slots: readonly NestedSlot[], index: number, all: readonly MergedSlot[]): MergedSlot[] {
  const own = slots[index];
  if (own === undefined) return [...all];
  const alone: MergedSlot = { index, evidence: inOrder(own.evidence), sizesFrom: index };
  if (all.length === 0 || NEVER.has(own.kind)) return [alone];
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
  if (nested === undefined || NEVER.has(nested.kind)) return [only];
  const kept = { ...only, index: only.index };
  if (declaredInside) return [withSizes(slots, kept, [alone])];
  // Neither is declared. The inner slot holds the ad, unless it has collapsed.
  const outerIsBetter = nested.collapsed && !own.collapsed;
  return [outerIsBetter ? withEvidence(slots, alone, inner) : withEvidence(slots, kept, [alone])];
}

function isShown(slot: NestedSlot | undefined): boolean {
  return slot !== undefined && (slot.visible || slot.collapsed || NEVER.has(slot.kind));
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
  return EVIDENCE_ORDER.filter((kind) => evidence.includes(kind));
}
