import type { RawSlot } from './inPage/scan.ts';
import type { SlotEvidence } from './page.ts';

/** A slot of any frame, with what it stands in. `parent` is an index into the same list, or -1. */
export interface NestedSlot extends Pick<RawSlot, 'evidence' | 'sizes' | 'collapsed' | 'isFrame' | 'parent'> {
  readonly box: { readonly width: number; readonly height: number };
}

/** Strongest first. */
const EVIDENCE_ORDER: readonly SlotEvidence[] = ['gpt', 'prebid', 'adsense', 'amp', 'attribute', 'frame', 'iab_size'];

const DECLARING: ReadonlySet<SlotEvidence> = new Set(['gpt', 'prebid', 'adsense', 'amp']);

/** The slot that stands for a nest of them, and what the others say for it. */
export interface MergedSlot {
  readonly index: number;
  readonly evidence: readonly SlotEvidence[];
}

/** Of slots that stand in one another, keeps the one that an ad would go into: wrappers and ad frames are one slot. */
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
  // Neither is declared: the inner one is the ad's own place, unless it has none.
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
