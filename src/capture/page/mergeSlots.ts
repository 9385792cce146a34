import type { RawSlot } from './inPage/scan.ts';
import type { SlotEvidence } from './page.ts';

/** A slot of any frame. `parent` is the index of the slot around it in the same list, or -1. */
export interface NestedSlot extends Pick<RawSlot, 'evidence' | 'sizes' | 'collapsed' | 'isFrame' | 'parent'> {
  readonly box: { readonly width: number; readonly height: number };
}

/** Strongest first. */
const EVIDENCE_ORDER: readonly SlotEvidence[] = ['gpt', 'prebid', 'adsense', 'amp', 'attribute', 'frame', 'iab_size'];

const DECLARING: ReadonlySet<SlotEvidence> = new Set(['gpt', 'prebid', 'adsense', 'amp']);

/** The slot that represents a group of nested slots, with the evidence of all of them. */
export interface MergedSlot {
  readonly index: number;
  readonly evidence: readonly SlotEvidence[];
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

function chosen(slots: readonly NestedSlot[], index: number, inner: readonly MergedSlot[]): MergedSlot[] {
  const own = slots[index];
  if (own === undefined) return [...inner];
  const alone: MergedSlot = { index, evidence: inOrder(own.evidence) };
  if (inner.length === 0) return [alone];
  const declaredInside = inner.some(({ evidence }) => evidence.some((kind) => DECLARING.has(kind)));
  const declared = own.evidence.some((kind) => DECLARING.has(kind));
  if (declared && !declaredInside) return [withEvidence(alone, inner)];
  const [only] = inner;
  if (inner.length > 1 || only === undefined || declaredInside) return [...inner];
  // Neither is declared. The inner slot holds the ad, unless it has collapsed.
  const nested = slots[only.index];
  const outerIsBetter = nested?.collapsed === true && !own.collapsed;
  return [outerIsBetter ? withEvidence(alone, inner) : withEvidence(only, [alone])];
}

function withEvidence(slot: MergedSlot, others: readonly MergedSlot[]): MergedSlot {
  return { ...slot, evidence: inOrder([...slot.evidence, ...others.flatMap(({ evidence }) => evidence)]) };
}

function inOrder(evidence: readonly SlotEvidence[]): SlotEvidence[] {
  return EVIDENCE_ORDER.filter((kind) => evidence.includes(kind));
}
