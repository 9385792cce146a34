import { expect, test } from 'vitest';
import type { SlotCandidate } from '../../../../src/capture/page/page.ts';
import {
  narrowToBox,
  type ScorableSlot,
  type ScoringRequest,
  scoreSlots,
} from '../../../../src/capture/page/scoring.ts';
import type { AdSize } from '../../../../src/domain/ads.ts';
import type { SlotFormat } from '../../../../src/domain/slotFormats.ts';

const viewport = { width: 1440, height: 900 };
const rectangle = { ad: { width: 300, height: 250 }, viewport, allowScaling: true };

function slot(over: Partial<SlotCandidate> = {}, fluid = false): ScorableSlot {
  const candidate: SlotCandidate = {
    box: { x: 100, y: 100, width: 300, height: 250 },
    sizes: [[300, 250]],
    evidence: ['gpt'],
    element: '#slot',
    visible: true,
    collapsed: false,
    sticky: false,
    covered: false,
    fluid,
    ...over,
  };
  return { candidate };
}

function scoreSlot(one: ScorableSlot, request: ScoringRequest) {
  const [scored] = scoreSlots([one], request);
  if (scored === undefined) throw new Error('one slot has one score');
  return scored;
}

const at = (y: number) => ({ box: { x: 100, y, width: 300, height: 250 } });

test.each<[string, ScorableSlot, ScorableSlot]>([
  ['an exact size', slot(), slot({ sizes: [[336, 280]] })],
  ['less empty room around the ad', slot({ sizes: [[336, 280]] }), slot({ sizes: [[970, 250]] })],
  [
    'any room for the ad at its own size',
    slot({ sizes: [[970, 250]], ...at(4_000), covered: true }),
    slot({ sizes: [[250, 250]] }),
  ],
  ['a slot nearer to the top', slot(at(100)), slot(at(2_000))],
  ['a declared slot over one with only a standard size', slot(), slot({ evidence: ['iab_size'] })],
  ['more evidence over less', slot({ evidence: ['attribute', 'iab_size'] }), slot({ evidence: ['attribute'] })],
  ['a slot that is not sticky', slot(), slot({ sticky: true })],
  ['a slot that nothing covers', slot(), slot({ covered: true })],
  [
    'a slot in the page, covered by an interstitial, over the interstitial',
    slot({ covered: true }),
    slot({ sticky: true }),
  ],
  ['an open slot over a collapsed one', slot(), slot({ visible: false, collapsed: true })],
  [
    'a collapsed slot of its size over one that would shrink it',
    slot({ visible: false, collapsed: true }),
    slot({ sizes: [[200, 200]] }),
  ],
  ['a visible slot over a hidden one', slot({ sizes: [[200, 200]] }), slot({ visible: false })],
])('scoring prefers %s', (_what, better, worse) => {
  expect(scoreSlots([worse, better], rectangle)[0]?.slot).toBe(better);
});

test.each<[string, ScorableSlot, { width: number; height: number }, number | null]>([
  ['stays at its own size in a slot that declares it', slot(), { width: 300, height: 250 }, 1],
  ['is never scaled up', slot({ sizes: [[970, 250]] }), { width: 320, height: 50 }, 1],
  ['is scaled down to the size of its slot', slot({ sizes: [[640, 360]] }), { width: 1280, height: 720 }, 0.5],
  [
    'shrinks by the narrower side',
    slot({
      sizes: [
        [300, 250],
        [300, 600],
      ],
    }),
    { width: 400, height: 400 },
    0.75,
  ],
  ['is not shown at less than half its size', slot({ sizes: [[300, 250]] }), { width: 728, height: 90 }, null],
  [
    'shrinks further where it is larger than any slot',
    slot({ sizes: [[480, 270]] }),
    { width: 1920, height: 1080 },
    0.25,
  ],
  [
    'is not shown where it would be too small to see',
    slot({ sizes: [[320, 50]] }),
    { width: 1920, height: 1080 },
    null,
  ],
  [
    'takes its height in a fluid slot',
    slot({ sizes: [], box: { x: 0, y: 0, width: 400, height: 20 } }, true),
    { width: 300, height: 600 },
    1,
  ],
  [
    'shrinks to the width of a fluid slot',
    slot({ sizes: [], box: { x: 0, y: 0, width: 240, height: 20 } }, true),
    { width: 300, height: 250 },
    0.8,
  ],
  [
    'goes by the box of a slot that declares nothing',
    slot({ sizes: [], box: { x: 0, y: 0, width: 300, height: 250 } }),
    { width: 300, height: 250 },
    1,
  ],
  ['is not placed into a hidden slot', slot({ visible: false }), { width: 300, height: 250 }, null],
  [
    'is not put beyond the side of the screen',
    slot({ box: { x: -290, y: 0, width: 300, height: 250 } }),
    { width: 300, height: 250 },
    null,
  ],
  [
    'is not put into a slot that collapsed beyond the side of the screen',
    slot({ visible: false, collapsed: true, box: { x: 1_440, y: 0, width: 300, height: 0 } }),
    { width: 300, height: 250 },
    null,
  ],
  [
    'goes where a slot has collapsed',
    slot({ visible: false, collapsed: true, box: { x: 0, y: 0, width: 300, height: 0 } }),
    { width: 300, height: 250 },
    1,
  ],
])('an ad %s', (_what, one, ad, scale) => {
  expect(scoreSlot(one, { ad, viewport, allowScaling: true }).scale).toBe(scale);
});

test('an ad is not scaled unless the request allows it', () => {
  const small = slot({ sizes: [[250, 250]] });
  const {
    scale,
    scored: { problem },
  } = scoreSlot(small, { ...rectangle, allowScaling: false });
  expect({ scale, problem }).toEqual({ scale: null, problem: '300×250 goes in only at 83 %' });
});

test.each([296, 304])('a slot %i wide takes an ad 300 wide at its own size', (width) => {
  const one = slot({ sizes: [[width, 250]] });
  expect(scoreSlot(one, { ...rectangle, allowScaling: false }).scale).toBe(1);
});

test('a slot that declares the size comes before one higher up whose name only suggests it', () => {
  const named = slot({ evidence: ['attribute', 'iab_size'], ...at(100), sizeTrust: 1 });
  const declared = slot(at(1_500));
  expect(scoreSlots([named, declared], rectangle)[0]?.slot).toBe(declared);
});

test('a film that is larger than any slot is scaled although the request allows no scaling', () => {
  const film = { ad: { width: 1920, height: 1080 }, viewport, allowScaling: false };
  expect(scoreSlot(slot({ sizes: [[480, 270]] }), film).scale).toBe(0.25);
});

test('an anchor gets an ad only if no likely slot in the page takes it at its own size', () => {
  const leaderboard = { ...rectangle, ad: { width: 728, height: 90 } };
  const anchor = slot({ kind: 'anchor', sizes: [[728, 90]], ...at(850) });
  const inPage = slot({ sizes: [[970, 250]], ...at(4_000) });
  expect(scoreSlots([anchor, inPage], leaderboard)[0]?.slot).toBe(inPage);
  expect(scoreSlots([anchor, slot({ sizes: [[200, 200]] })], leaderboard)[0]?.slot).toBe(anchor);
});

test.each<[NonNullable<SlotCandidate['kind']>, number, number]>([
  ['anchor', 300, 250],
  ['rail', 728, 90],
  ['interstitial', 320, 50],
  ['interstitial', 300, 250],
  ['skin', 300, 600],
])('a slot of the kind %s takes no ad of %i × %i', (kind, width, height) => {
  const large = slot({ kind, sizes: [[1_920, 1_080]] });
  expect(scoreSlot(large, { ...rectangle, ad: { width, height } }).scored.problem).toContain(
    `a slot of the format ${kind}, which takes `,
  );
});

test.each<[string, AdSize & { isVideo?: boolean }, SlotFormat | undefined, number | null]>([
  ['takes an ad that is sold for interstitials', { width: 320, height: 480 }, undefined, 1],
  ['takes an ad that fills the screen', { width: 1_300, height: 800 }, undefined, 1],
  ['takes a rectangle if the request asks for the format', { width: 300, height: 250 }, 'interstitial', 1],
  ['takes no ad if the request asks for another format', { width: 320, height: 480 }, 'display', null],
])('an interstitial %s', (_what, ad, format, scale) => {
  const unit = slot({ kind: 'interstitial', sizes: [[1_440, 900]], sticky: true, evidence: [] });
  expect(scoreSlot(unit, { ad, viewport, allowScaling: true, format }).scale).toBe(scale);
});

test('an anchor takes no video', () => {
  const anchor = slot({ kind: 'anchor', sizes: [[728, 90]] });
  const ad = { width: 728, height: 90 };
  expect(scoreSlot(anchor, { ...rectangle, ad }).scale).toBe(1);
  expect(scoreSlot(anchor, { ...rectangle, ad: { ...ad, isVideo: true } }).scored.problem).toContain('no videos');
});

test('a format that the request asks for is no reason against its slots', () => {
  const anchor = slot({ kind: 'anchor', sizes: [[728, 90]], evidence: ['attribute'] });
  const request = { ...rectangle, ad: { width: 728, height: 90 } };
  const all = [anchor, slot({ sizes: [[728, 90]] })];
  const likelihoodIn = (format?: SlotFormat) =>
    scoreSlots(all, { ...request, format }).find((one) => one.slot === anchor)?.scored.likelihood;
  expect(likelihoodIn()).toBeLessThan(0.1);
  expect(likelihoodIn('anchor')).toBeGreaterThan(0.8);
});

const AT_THE_END: NonNullable<SlotCandidate['surroundings']> = {
  name: 'none',
  content: 'text',
  room: 1_440,
  belowHeadline: 9_000,
  inArticle: false,
  inFooter: true,
  afterFooter: false,
  inMenu: false,
  forOtherDevice: false,
};

test('an anchor comes before a slot after the footer of the page, which is hardly ever right', () => {
  const leaderboard = { ...rectangle, ad: { width: 728, height: 90 } };
  const anchor = slot({ kind: 'anchor', sticky: true, sizes: [[728, 90]], ...at(850) });
  const last = { ...AT_THE_END, inFooter: false, afterFooter: true };
  const atTheEnd = slot({
    sizes: [[728, 90]],
    evidence: ['attribute'],
    sizeTrust: 1,
    ...at(9_200),
    surroundings: last,
  });
  const between = slot({ ...atTheEnd.candidate, surroundings: { ...last, afterFooter: false, belowHeadline: 2_000 } });
  expect(scoreSlots([atTheEnd, anchor], leaderboard)[0]?.slot).toBe(anchor);
  expect(scoreSlots([between, anchor], leaderboard)[0]?.slot).toBe(between);
});

test('no slot is chosen that hardly anybody would choose', () => {
  const surroundings = AT_THE_END;
  const banner = () => slot({ sizes: [[970, 250]], evidence: ['attribute'], ...at(9_200), surroundings });
  const request = { ...rectangle, allowScaling: false };
  expect(scoreSlot(banner(), request)).toMatchObject({
    scale: null,
    scored: { problem: 'hardly meant for such an ad' },
  });
  expect(scoreSlots([banner(), slot(at(9_000))], request).map(({ scale }) => scale)).toEqual([1, 1]);
  expect(scoreSlot(banner(), rectangle).scale).toBe(1);
});

test('a fluid slot in a wide row takes no tall ad', () => {
  const row = slot({ sizes: [], box: { x: 0, y: 0, width: 970, height: 20 } }, true);
  const tall = { ad: { width: 300, height: 600 }, viewport, allowScaling: false };
  expect(scoreSlot(row, tall).scale).toBe(null);
  expect(scoreSlot(row, tall).scored.problem).toBe('a row of the page, too low for such an ad');
  expect(scoreSlot(row, { ...tall, ad: { width: 728, height: 90 } }).scale).toBe(1);
});

test.each<
  [string, { room: number; sizeTrust?: number; size?: [number, number]; height?: number; phone?: true }, number | null]
>([
  ['does not stand in the column of the text', { room: 727, sizeTrust: 1 }, null],
  ['does not stand in the column of the text because a higher ad would fit', { room: 727, size: [970, 600] }, null],
  ['stands in any column that is as high', { room: 727, sizeTrust: 1, height: 620 }, 1],
  ['stands in any column that declares its size', { room: 727 }, 1],
  ['stands beside the text', { room: 300, sizeTrust: 1 }, 1],
  ['stands in the only column of a phone', { room: 390, sizeTrust: 1, phone: true }, 1],
])('a half page %s', (_what, { room, sizeTrust = 5, size = [300, 600], height = 0, phone }, scale) => {
  const surroundings = { ...AT_THE_END, room, inFooter: false, belowHeadline: 100 };
  const box = { x: 100, y: 100, width: room, height };
  const column = slot({ sizes: [size], box, sizeTrust, surroundings });
  const screen = phone ? { width: 390, height: 844 } : viewport;
  const request = { ad: { width: 300, height: 600 }, viewport: screen, allowScaling: false };
  expect(scoreSlot(column, request).scale).toBe(scale);
});

test('a half page stands beside the content rather than in a row above it, if both declare its size', () => {
  const at = (room: number, y: number) =>
    slot({
      sizes: [[300, 600]],
      box: { x: 100, y, width: room, height: 0 },
      surroundings: { ...AT_THE_END, room, inFooter: false, belowHeadline: y - 200 },
    });
  const request = { ad: { width: 300, height: 600 }, viewport, allowScaling: false };
  expect(scoreSlots([at(727, 300), at(300, 8_000)], request)[0]?.scored.box.width).toBe(300);
});

test('a slot whose size was rounded takes the ad at its own size', () => {
  const billboard = { ...rectangle, ad: { width: 970, height: 250 }, allowScaling: false };
  expect(scoreSlot(slot({ sizes: [[960, 248]] }), billboard).scale).toBe(1);
  expect(scoreSlot(slot({ sizes: [[950, 250]] }), billboard).scale).toBe(null);
});

test('a score lists its reasons in words, and first why the slot cannot hold the ad', () => {
  const { scored } = scoreSlot(slot({ covered: true, sizes: [[100, 100]] }), rectangle);
  expect(scored.reasons[0]).toBe('too small for 300×250');
  expect(scored.reasons.join()).toMatch(/covered by another element \([+−][\d.]+\)/);
  expect(scored.problem).toBe('too small for 300×250');
});

test('a reason about the format of a slot does not speak of scale', () => {
  const space = slot({ sizes: [[970, 250]], sizeTrust: 1 });
  const problem = 'made for 970×250, not for 300×250';
  expect(scoreSlot(space, { ...rectangle, allowScaling: false }).scored.problem).toBe(problem);
});

test('units for native ads and videos say that they take no display ads', () => {
  expect(scoreSlot(slot({ kind: 'native' }), rectangle).scored.problem).toMatch(/native ads, not for display/);
  expect(scoreSlot(slot({ kind: 'video' }), rectangle).scored.problem).toMatch(/videos, not for display/);
});

test('of two equal slots each is less likely than a single one', () => {
  const alone = scoreSlot(slot(), rectangle).scored.likelihood;
  const [first, second] = scoreSlots([slot(at(100)), slot(at(100))], rectangle);
  expect(first?.scored.likelihood).toBeLessThan(alone);
  expect(first?.scored.likelihood).toBe(second?.scored.likelihood);
});

test('an ad of a declared size that is wider than a small screen is scaled to the width of the slot', () => {
  const request = { ad: { width: 320, height: 50 }, viewport: { width: 320, height: 568 }, allowScaling: true };
  const box = { x: 10, y: 100, width: 300, height: 50 };
  const narrow = (over: Partial<SlotCandidate>, asked = request) =>
    narrowToBox(scoreSlot(slot({ box, sizes: [[320, 50]], ...over }), asked), asked);
  expect(narrow({})).toMatchObject({ scale: 300 / 320, scored: { problem: undefined } });
  expect(narrow({})?.scored.reasons?.at(-1)).toMatch(/which exceeds the screen/);
  expect(narrow({}, { ...request, viewport })).toBeUndefined();
  expect(narrow({ box: { ...box, x: 0, width: 320 } })).toBeUndefined();
  expect(narrow({ box: { ...box, width: 200 } })).toBeUndefined();
});
