import { afterEach, expect, test, vi } from 'vitest';
import { declarationsIn, unitsOverPage } from '../../../../src/capture/page/inPage/declarations.ts';

afterEach(() => vi.unstubAllGlobals());

/** An object that cannot be converted to a number or a text. */
const BROKEN = { toString: 'no', valueOf: null };
const GOOD = { id: 'good', sizes: [[728, 90]] };
const DECLARED = { id: 'good', sizes: [[728, 90]], fluid: false, outOfPage: false };

test.each([
  ['a size', { id: 'bad', sizes: [[BROKEN, 250]] }],
  ['one of two sizes', { id: 'bad', sizes: [[300, 250], BROKEN] }],
  ['an id', { id: BROKEN, sizes: [[300, 250]] }],
  ['a window in the size mapping', { id: 'bad', sizes: [], mapping: [[[BROKEN, 0], [[300, 250]]]] }],
])('%s that cannot be converted leaves the other declarations as they are', (_what, bad) => {
  vi.stubGlobal('innerWidth', 1_440);
  vi.stubGlobal('innerHeight', 900);
  expect(declarationsIn({ gpt: [bad, GOOD] })).toContainEqual({ kind: 'gpt', ...DECLARED });
  const { id: code, ...unit } = bad;
  expect(
    declarationsIn({
      prebid: [
        { code, ...unit },
        { code: 'good', sizes: GOOD.sizes },
      ],
    }),
  ).toContainEqual({
    kind: 'prebid',
    ...DECLARED,
  });
});

test('a unit keeps its other sizes if one cannot be converted', () => {
  const sizes = [
    [BROKEN, 90],
    [300, 250],
  ];
  expect(declarationsIn({ gpt: [{ id: 'spot', sizes }] })).toMatchObject([{ id: 'spot', sizes: [[300, 250]] }]);
});

test('of the rows of a size mapping, the largest one that fits the window counts', () => {
  vi.stubGlobal('innerWidth', 1_000);
  vi.stubGlobal('innerHeight', 900);
  const row = (width: number, size: readonly number[]) => [[width, 0], [size]];
  const mapping = [row(0, [320, 50]), row(728, [728, 90]), row(1_024, [970, 250])];
  expect(declarationsIn({ gpt: [{ id: 'spot', mapping }] })).toMatchObject([{ sizes: [[728, 90]] }]);
});

test('anchors and interstitials that a library draws are known by the number or the name of their format', () => {
  expect(unitsOverPage({ overPage: [3, 'INTERSTITIAL', 'div-gpt-ad-oop', 4, null, 3] })).toEqual([
    'anchor',
    'interstitial',
  ]);
  expect(unitsOverPage(undefined)).toEqual([]);
});
