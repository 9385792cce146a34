import { expect, test } from 'vitest';
import { mergeSlots, type NestedSlot } from '../../../../src/capture/page/findSlots.ts';

function slot(evidence: NestedSlot['evidence'], parent = -1, over: Partial<NestedSlot> = {}): NestedSlot {
  return {
    evidence,
    parent,
    sizes: [],
    sizeTrust: 1,
    kind: 'display',
    visible: true,
    collapsed: false,
    isFrame: false,
    box: { width: 300, height: 250 },
    ...over,
  };
}

const kept = (slots: NestedSlot[]) => mergeSlots(slots).map(({ index }) => index);

test('a declared slot and the frame in it are one slot with the evidence of both', () => {
  expect(mergeSlots([slot(['gpt']), slot(['frame', 'iab_size'], 0)])).toEqual([
    { index: 0, evidence: ['gpt', 'frame', 'iab_size'], sizesFrom: 0 },
  ]);
});

test('the frame in a wrapper that has only an ad name is the slot', () => {
  expect(mergeSlots([slot(['attribute']), slot(['frame'], 0)])).toEqual([
    { index: 1, evidence: ['attribute', 'frame'], sizesFrom: 1 },
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

test('a box with an ad name around a widget of recommendations is not a slot', () => {
  expect(kept([slot(['attribute']), slot(['network'], 0, { kind: 'native' })])).toEqual([1]);
});

test('the twin for another device does not make a box a container of several slots', () => {
  const slots = [
    slot(['network'], -1, { sizes: [[300, 250]], sizeTrust: 2 }),
    slot(['linked_image'], 0),
    slot(['linked_image'], 0, { visible: false }),
  ];
  expect(mergeSlots(slots)[0]).toEqual({ index: 1, evidence: ['network', 'linked_image'], sizesFrom: 0 });
});

test.each<[string, NestedSlot['evidence'], number[]]>([
  ['the video of an ad is no player of the page', ['attribute', 'network'], [0]],
  ['a frame of which only the size is known may hold a player', ['iab_size'], [1]],
])('%s', (_what, evidence, expected) => {
  const frame = slot(evidence, -1, { isFrame: true });
  expect(kept([frame, slot(['player'], 0, { kind: 'in_stream' })])).toEqual(expected);
});
