import { expect, test } from 'vitest';
import { composed, decodePng, overlaid, type PixelBox, type Pixels } from '../../../../src/capture/compose/pixels.ts';
import { findProbe, judgeProbe, probePicture } from '../../../../src/capture/compose/probe.ts';

function noise(width: number, height: number, seed: number): Pixels {
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < data.length; at++) data[at] = (at * seed * 2_654_435_761) >>> 24;
  return { data, width, height };
}

test.each<[string, PixelBox]>([
  ['in the middle', { x: 11, y: 7, width: 30, height: 25 }],
  ['in the top left corner', { x: 0, y: 0, width: 30, height: 25 }],
  ['in the bottom right corner', { x: 70, y: 55, width: 30, height: 25 }],
  ['over the whole page', { x: 0, y: 0, width: 100, height: 80 }],
  ['of one pixel', { x: 99, y: 79, width: 1, height: 1 }],
])('an ad %s appears unchanged in the picture, and so does the page around it', async (_where, box) => {
  const page = noise(100, 80, 3);
  const ad = noise(box.width, box.height, 5);
  const png = await composed(page, ad, box);
  const { data, width, height } = await decodePng(png);
  expect([width, height]).toEqual([100, 80]);
  expect(data.equals(overlaid(page, ad, box).data)).toBe(true);
});

test('a probe is found at its position, up to two pixels from the expected one', async () => {
  const probe = await probePicture({ width: 20, height: 10 });
  const page = noise(100, 80, 3);
  const picture = overlaid(page, probe.pixels, { x: 31, y: 42 });
  const expected = { x: 30, y: 40, width: 20, height: 10 };
  expect(findProbe(picture, { pixels: probe.pixels, expected })).toEqual({ x: 31, y: 42, width: 20, height: 10 });
  expect(judgeProbe(page, picture, { pixels: probe.pixels, expected })).toMatchObject({ composable: true, shown: 1 });
});

test('one wrong pixel in or beside the probe makes the browser paint the slot', async () => {
  const probe = await probePicture({ width: 20, height: 10 });
  const page = noise(100, 80, 3);
  const expected = { x: 30, y: 40, width: 20, height: 10 };
  for (const [x, y] of [
    [35, 45],
    [28, 45],
  ] as const) {
    const picture = overlaid(page, probe.pixels, expected);
    const at = (y * 100 + x) * 3;
    picture.data[at] = (picture.data[at] ?? 0) ^ 1;
    expect(judgeProbe(page, picture, { pixels: probe.pixels, expected }).composable).toBe(false);
  }
});

test('a covered ad has the visible share that was measured', async () => {
  const probe = await probePicture({ width: 20, height: 10 });
  const page = noise(100, 80, 3);
  const expected = { x: 30, y: 40, width: 20, height: 10 };
  const half = { data: probe.pixels.data.subarray(0, 20 * 5 * 3), width: 20, height: 5 };
  const picture = overlaid(page, half, expected);
  expect(judgeProbe(page, picture, { pixels: probe.pixels, expected }).shown).toBeCloseTo(0.5, 1);
});
