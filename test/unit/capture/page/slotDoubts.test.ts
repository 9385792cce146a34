import { expect, test } from 'vitest';
import type { ScoredCandidate, SlotSurroundings } from '../../../../src/capture/page/page.ts';
import { type AdInPicture, slotDoubts } from '../../../../src/capture/page/slotDoubts.ts';

const DESKTOP = { width: 1920, height: 1080 };
const PHONE = { width: 390, height: 844 };
const MPU = { width: 300, height: 250 };
const HALF_PAGE = { width: 300, height: 600 };

const surroundings: SlotSurroundings = {
  name: 'ad',
  content: 'nothing',
  room: 300,
  belowHeadline: 0,
  inArticle: false,
  inFooter: false,
  afterFooter: false,
  inMenu: false,
  forOtherDevice: false,
};

function slot(facts: Partial<ScoredCandidate> = {}, about: Partial<SlotSurroundings> = {}): ScoredCandidate {
  return {
    box: { x: 0, y: 0, width: 300, height: 250 },
    sizes: [[300, 250]],
    evidence: ['gpt'],
    element: '#slot',
    visible: true,
    collapsed: false,
    sticky: false,
    covered: false,
    kind: 'display',
    fluid: false,
    sizeTrust: 5,
    surroundings: { ...surroundings, ...about },
    score: 10,
    likelihood: 0.1,
    size: [300, 250],
    reasons: [],
    problem: undefined,
    ...facts,
  };
}

const LIKELY = slot({ likelihood: 0.9 });
const inPicture = (facts: Partial<AdInPicture> = {}, look: Partial<AdInPicture['look']> = {}): AdInPicture => ({
  ad: MPU,
  viewport: DESKTOP,
  isUnstyled: false,
  look: { above: 0.1, left: 40, right: 200, isAside: false, ...look },
  ...facts,
});

test('a slot in a usual picture has no doubts from a likelihood on, wherever it is but below the footer', () => {
  const at = (likelihood: number, about: Partial<SlotSurroundings>) =>
    slotDoubts(slot({ likelihood }, about), inPicture());
  expect(at(0.15, { inFooter: true, inMenu: true, belowHeadline: 9_000 })).toEqual([]);
  expect(at(0.149, { belowHeadline: 9_000 })).toHaveLength(1);
  expect(at(0.9, { afterFooter: true })).toEqual(['The slot is below the footer of the page.']);
});

test.each<[string, Partial<ScoredCandidate>, Partial<SlotSurroundings>]>([
  ['below the footer', {}, { afterFooter: true, inFooter: true }],
  ['in the footer', {}, { inFooter: true, inMenu: true }],
  ['in a menu', {}, { inMenu: true, forOtherDevice: true }],
  ['another kind of device', {}, { forOtherDevice: true, belowHeadline: 9_000 }],
  ['3 screens below the headline', { covered: true }, { belowHeadline: 3_300 }],
  ['Another element covers', { covered: true, sizeTrust: 1 }, { belowHeadline: 1_080 }],
  ['does not say which ads', { sizeTrust: 1 }, {}],
  ['little evidence', {}, { belowHeadline: null }],
])('the main doubt of an unlikely slot says %s', (words, facts, about) => {
  expect(slotDoubts(slot(facts, about), inPicture())).toEqual([expect.stringContaining(words)]);
});

test('an ad at the edge of a wide row is doubtful', () => {
  const at = (left: number, right: number, facts: Partial<AdInPicture> = {}) =>
    slotDoubts(LIKELY, inPicture(facts, { left, right }));
  expect(at(7, 270)).toEqual(['The ad stands at the left edge of a wide slot.']);
  expect(at(270, 0)).toEqual(['The ad stands at the right edge of a wide slot.']);
  expect(at(8, 900)).toEqual([]);
  expect(at(0, 269)).toEqual([]);
  expect(at(0, 900, { isUnstyled: true })).toEqual([]);
});

test('a tall ad with free space on both sides is doubtful', () => {
  const between = (left: number, right: number, ad = HALF_PAGE) =>
    slotDoubts(LIKELY, inPicture({ ad }, { left, right }));
  expect(between(150, 300)).toEqual([expect.stringContaining('tall')]);
  expect(between(149, 300)).toEqual([]);
  expect(between(300, 149)).toEqual([]);
  expect(between(300, 300, MPU)).toEqual([]);
});

test('an ad below an empty part of the page is doubtful', () => {
  expect(slotDoubts(LIKELY, inPicture({}, { above: 0.26 }))).toEqual(['The page is empty above the ad.']);
  expect(slotDoubts(LIKELY, inPicture({}, { above: 0.25 }))).toEqual([]);
});

test('a picture of the middle of a wide page is doubtful', () => {
  expect(slotDoubts(LIKELY, inPicture({}, { isAside: true }))).toEqual([
    expect.stringContaining('wider than the screen'),
  ]);
});

test('each doubt is named', () => {
  expect(slotDoubts(slot(), inPicture({ viewport: PHONE }, { above: 0.5, left: 0, right: 900 }))).toHaveLength(3);
});
