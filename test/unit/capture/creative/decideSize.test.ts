import { expect, test } from 'vitest';
import {
  checkedAgainstLayout,
  contradicts,
  cutOff,
  type SizeDecision,
  sizeOfLayout,
} from '../../../../src/capture/creative/decideSize.ts';
import type { RootBox, ShownLayout } from '../../../../src/capture/creative/shownLayout.ts';
import type { SizeClaims } from '../../../../src/capture/creative/sizeClaims.ts';

const NOTHING: ShownLayout = {
  viewport: { width: 1013, height: 787 },
  roots: [],
  painted: null,
  filled: false,
  fits: false,
  sticksOut: false,
  offset: null,
  hasBackground: false,
  onlyText: false,
};
const NONE: SizeClaims = { declared: [], hints: [], expands: false };

const box = (width: number, height: number) => ({ x: 0, y: 0, width, height });
const stage = (width: number, height: number, more: Partial<RootBox> = {}): RootBox => ({
  ...box(width, height),
  isStage: true,
  isImage: false,
  shows: true,
  ...more,
});
const layout = (more: Partial<ShownLayout>): ShownLayout => ({ ...NOTHING, ...more });
const claim = (width: number, height: number, isGuess = false) => ({
  size: { width, height },
  from: 'a name',
  isGuess,
});
const shown = (decision: SizeDecision | undefined) =>
  decision && [`${decision.size.width}x${decision.size.height}`, ...decision.warnings.map(({ code }) => code)];

const MPU = claim(300, 250);

test.each<[string, Partial<ShownLayout>, Partial<SizeClaims>, string[] | undefined]>([
  ['shows nothing', {}, {}, undefined],
  ['shows nothing, with a name', {}, { hints: [MPU] }, ['300x250']],
  ['has a stage', { roots: [stage(728, 90)], painted: box(728, 90) }, {}, ['728x90']],
  ['has a stage, with another name', { roots: [stage(728, 90)], painted: box(728, 90) }, { hints: [MPU] }, ['728x90']],
  ['has a stage of an uncommon size', { roots: [stage(410, 333)], painted: box(410, 333) }, {}, ['410x333']],
  ['paints a standard size', { painted: box(970, 250) }, {}, ['970x250']],
  [
    'paints a standard size on a background, with another name',
    { painted: box(120, 60), hasBackground: true },
    { hints: [MPU] },
    ['300x250'],
  ],
  ['fills any frame', { filled: true }, {}, ['300x250', 'size_assumed']],
  ['fills any frame, with a name', { filled: true }, { hints: [MPU] }, ['300x250']],
  ['fills any frame, with a guess', { filled: true }, { hints: [claim(160, 600, true)] }, ['160x600', 'size_assumed']],
  ['fills any frame, with two names', { filled: true }, { hints: [claim(160, 600), MPU] }, ['160x600', 'size_assumed']],
  ['is only a long text', { onlyText: true, painted: box(640, 40) }, {}, ['640x250', 'size_assumed']],
  ['is as wide as the frame and 90 high', { painted: box(1013, 90) }, {}, ['728x90']],
  ['is as wide as the frame and 117 high', { painted: box(1013, 117) }, {}, ['300x117']],
  ['is as high as the frame', { painted: box(165, 787) }, {}, ['165x250']],
  [
    'is as wide as the frame, with a name of its height',
    { painted: box(1013, 90) },
    { hints: [claim(970, 90)] },
    ['970x90'],
  ],
  [
    'has a stage beside most of what it paints',
    { roots: [stage(300, 250), stage(900, 600, { x: 310, isStage: false })], painted: box(910, 600) },
    {},
    ['910x600'],
  ],
  ['expands from a painted banner', { roots: [stage(300, 600)], painted: box(728, 90) }, { expands: true }, ['728x90']],
])('a creative that %s', (_what, seen, claims, expected) => {
  expect(shown(sizeOfLayout(layout(seen), { ...NONE, ...claims }))).toEqual(expected);
});

test.each<[string, Partial<ShownLayout>, Partial<SizeClaims>, string[]]>([
  ['shows nothing', {}, {}, ['300x250']],
  ['shows the same', { roots: [stage(300, 250)], painted: box(300, 250) }, {}, ['300x250']],
  ['has a larger stage', { roots: [stage(300, 600)], painted: box(300, 600) }, {}, ['300x600', 'size_conflict']],
  [
    'has a smaller stage of a standard size',
    { roots: [stage(180, 150)], painted: box(180, 150) },
    {},
    ['180x150', 'size_conflict'],
  ],
  ['has a smaller stage of an uncommon size', { roots: [stage(200, 140)], painted: box(200, 140) }, {}, ['300x250']],
  ['has a smaller image', { roots: [stage(180, 150, { isImage: true })], painted: box(180, 150) }, {}, ['300x250']],
  ['expands to a larger stage', { roots: [stage(300, 600)], painted: box(300, 600) }, { expands: true }, ['300x250']],
])('a creative that declares 300x250 and %s', (_what, seen, claims, expected) => {
  expect(shown(checkedAgainstLayout(MPU, layout(seen), { ...NONE, ...claims }))).toEqual(expected);
});

test.each<[string, Partial<ShownLayout>, boolean]>([
  ['fits the frame', { fits: true, roots: [stage(300, 250)] }, false],
  ['fills the frame', { filled: true, roots: [stage(300, 250)] }, false],
  ['sticks out of the frame', { fits: true, sticksOut: true }, true],
  ['paints another standard size', { painted: box(728, 90) }, true],
  ['has a stage that does not fit', { roots: [stage(410, 333)] }, true],
  ['is only text', { onlyText: true, roots: [stage(410, 20)] }, false],
  ['shows nothing', {}, false],
])('a creative in a frame of its declared size is measured if it contradicts: it %s', (_what, seen, expected) => {
  expect(contradicts(layout(seen))).toBe(expected);
});

test('a frame that cuts a part off gives a warning', () => {
  const size = { width: 300, height: 250 };
  expect(cutOff(size, layout({ offset: { x: 8.4, y: 8 } }), false)).toMatchObject({
    message: expect.stringContaining('8 pixels from the left and 8 from the top'),
  });
  expect(cutOff(size, layout({ sticksOut: true }), true)).toMatchObject({ code: 'size_conflict' });
  expect(cutOff(size, layout({ sticksOut: true }), false)).toBeUndefined();
  expect(cutOff(size, undefined, true)).toBeUndefined();
});
