import { expect, test } from 'vitest';
import { mergeSlots, type NestedSlot } from '../../../../src/capture/page/mergeSlots.ts';

function slot(evidence: NestedSlot['evidence'], parent = -1, over: Partial<NestedSlot> = {}): NestedSlot {
  return { evidence, parent, sizes: [], collapsed: false, isFrame: false, box: { width: 300, height: 250 }, ...over };
}

const kept = (slots: NestedSlot[]) => mergeSlots(slots).map(({ index }) => index);

test('a declared slot and the frame in it are one slot with the evidence of both', () => {
  expect(mergeSlots([slot(['gpt']), slot(['frame', 'iab_size'], 0)])).toEqual([
    { index: 0, evidence: ['gpt', 'frame', 'iab_size'] },
  ]);
});

test('the frame in a wrapper that has only an ad name is the slot', () => {
  expect(mergeSlots([slot(['attribute']), slot(['frame'], 0)])).toEqual([
    { index: 1, evidence: ['attribute', 'frame'] },
  ]);
});

test('the declared slot in a wrapper is the slot', () => {
  expect(kept([slot(['attribute']), slot(['attribute'], 0), slot(['adsense'], 1)])).toEqual([2]);
});

test('a container of several slots is not a slot', () => {
  expect(kept([slot(['attribute']), slot(['gpt'], 0), slot(['gpt'], 0)])).toEqual([1, 2]);
});

test('an open wrapper replaces the collapsed slot in it', () => {
  expect(kept([slot(['attribute']), slot(['attribute'], 0, { collapsed: true })])).toEqual([0]);
});

test('a slot in a frame of another slot counts once', () => {
  expect(kept([slot(['attribute']), slot(['frame'], 0, { isFrame: true }), slot(['gpt'], 1)])).toEqual([2]);
});

test('slots beside each other stay separate', () => {
  expect(kept([slot(['gpt']), slot(['frame'])])).toEqual([0, 1]);
});
