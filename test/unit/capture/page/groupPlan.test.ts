import { expect, test } from 'vitest';
import { type GroupTry, planGroup } from '../../../../src/capture/page/groupPlan.ts';

const HEIGHTS = { screen: 900, largest: 16_000 };

function slotAt(y: number, score: number, over: Partial<GroupTry['scored']> & { readonly scale?: number } = {}) {
  const { scale = 1, ...scored } = over;
  return {
    scale,
    scored: { box: { x: 0, y, width: 300, height: 250 }, size: [300, 250], score, sticky: false, ...scored },
  } as const;
}

const rows = (ads: readonly (readonly GroupTry[])[]) => planGroup(ads, HEIGHTS).map((one) => one?.scored.box.y);

test.each<[string, number[], (readonly GroupTry[])[]]>([
  ['the best slots that one screen shows', [100, 500], [[slotAt(100, 50)], [slotAt(500, 40), slotAt(700, 30)]]],
  [
    'a slightly worse slot near the other ad over a far one',
    [100, 500],
    [[slotAt(100, 50)], [slotAt(5_000, 45), slotAt(500, 40)]],
  ],
  ['a slightly worse slot for the first ad too', [100, 500], [[slotAt(5_000, 55), slotAt(100, 50)], [slotAt(500, 40)]]],
  ['a far slot over one that is much worse', [100, 5_000], [[slotAt(100, 50)], [slotAt(5_000, 45), slotAt(500, 5)]]],
  [
    'a far slot over one that is 15 points worse, however high the picture becomes',
    [100, 14_000],
    [[slotAt(100, 50)], [slotAt(14_000, 45), slotAt(500, 29)]],
  ],
  [
    'slots far apart at the end of a page that is too high for one picture',
    [30_000, 31_000],
    [[slotAt(30_000, 50)], [slotAt(31_000, 45), slotAt(30_500, 34)]],
  ],
  [
    'slots far down if one screen shows both',
    [5_000, 5_400],
    [[slotAt(5_000, 50), slotAt(100, 49)], [slotAt(5_400, 50)]],
  ],
  [
    'another slot if two ads have the same best one',
    [500, 100],
    [[slotAt(100, 50), slotAt(500, 45)], [slotAt(100, 50)]],
  ],
  [
    'a far slot over an anchor',
    [100, 5_000],
    [[slotAt(100, 50)], [slotAt(5_000, 10), slotAt(800, 40, { sticky: true })]],
  ],
  [
    'an anchor that is the only slot, wherever it is',
    [5_000, 850],
    [[slotAt(5_000, 50), slotAt(100, 45)], [slotAt(850, 10, { sticky: true })]],
  ],
  [
    'a far slot over one that scales the ad',
    [100, 5_000],
    [[slotAt(100, 50)], [slotAt(5_000, 10), slotAt(500, 40, { scale: 0.5 })]],
  ],
])('a group takes %s', (_, expected, ads) => {
  expect(rows(ads)).toEqual(expected);
});

test('an ad whose slots the others take gets none, and the others keep theirs', () => {
  expect(rows([[slotAt(100, 50)], [slotAt(100, 50)], [slotAt(500, 50)]])).toEqual([100, undefined, 500]);
});

test('eight ads with twenty slots each are planned at once', () => {
  const tries = Array.from({ length: 20 }, (_, index) => slotAt(index * 300, 50 - index));
  expect(rows(Array.from({ length: 8 }, () => tries)).toSorted((one, two) => Number(one) - Number(two))).toEqual(
    Array.from({ length: 8 }, (_, index) => index * 300),
  );
});
