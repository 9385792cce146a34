import { expect, test } from 'vitest';
import type { ScoredCandidate, SlotSurroundings } from '../../../../src/capture/page/page.ts';
import { slotDoubts } from '../../../../src/capture/page/slotDoubts.ts';

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
    likelihood: 0.2,
    size: [300, 250],
    reasons: [],
    problem: undefined,
    ...facts,
  };
}

test('a likely slot has no doubts, wherever it is', () => {
  expect(slotDoubts(slot({ likelihood: 0.4 }, { inFooter: true, belowHeadline: 9_000 }), MPU, DESKTOP)).toEqual([]);
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
  expect(slotDoubts(slot(facts, about), MPU, DESKTOP)).toEqual([expect.stringContaining(words)]);
});

test('a slot for much wider ads names their size, on a phone only if it is unlikely', () => {
  const doubts = slotDoubts(slot({ size: [970, 250] }), MPU, DESKTOP);
  expect(doubts).toHaveLength(2);
  expect(doubts[1]).toBe('The slot is designed for 970×250 ads.');
  expect(slotDoubts(slot({ size: [599, 250] }), MPU, DESKTOP)).toHaveLength(1);
  expect(slotDoubts(slot({ size: [970, 250] }), MPU, PHONE)).toHaveLength(2);
  const likely = slot({ size: [970, 250], likelihood: 0.9 });
  expect(slotDoubts(likely, MPU, DESKTOP)).toHaveLength(1);
  expect(slotDoubts(likely, MPU, PHONE)).toEqual([]);
});

test('a tall ad in a row of a desktop page is doubtful even if the page declares the slot for it', () => {
  const row = slot({ likelihood: 0.99, box: { x: 0, y: 0, width: 970, height: 250 } });
  expect(slotDoubts(row, HALF_PAGE, DESKTOP)).toEqual([expect.stringContaining('tall')]);
  expect(slotDoubts(row, MPU, DESKTOP)).toEqual([]);
  expect(slotDoubts(row, HALF_PAGE, PHONE)).toEqual([]);
  const column = slot({ likelihood: 0.99, box: { x: 0, y: 0, width: 450, height: 0 } });
  expect(slotDoubts(column, HALF_PAGE, DESKTOP)).toEqual([]);
  const asHigh = slot({ likelihood: 0.99, box: { x: 0, y: 0, width: 970, height: 620 } });
  expect(slotDoubts(asHigh, HALF_PAGE, DESKTOP)).toEqual([]);
});
