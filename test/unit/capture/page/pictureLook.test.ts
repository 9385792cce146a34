import { expect, test } from 'vitest';
import { type PictureLook, pictureLook } from '../../../../src/capture/page/pictureLook.ts';

const PAGE = { width: 200, height: 100 };
const BOX = { x: 60, y: 40, width: 40, height: 20 };

type Area = readonly [x: number, y: number, width: number, height: number, shade?: number];

/** A white page with black areas. */
function look(areas: readonly Area[], adWidth = BOX.width, box = BOX): PictureLook {
  const data = Buffer.alloc(PAGE.width * PAGE.height * 3, 0xff);
  for (const [left, top, width, height, shade = 0] of areas)
    for (let y = top; y < top + height; y++)
      data.fill(shade, (y * PAGE.width + left) * 3, (y * PAGE.width + left + width) * 3);
  return pictureLook({ data, ...PAGE }, box, { adWidth, isAside: true });
}

test('an empty page has empty columns and rows up to its edges, in CSS pixels and as a share', () => {
  expect(look([])).toEqual({ above: 0.4, left: 60, right: 100, isAside: true });
  expect(look([], BOX.width / 2)).toMatchObject({ left: 30, right: 50 });
});

test('content beside the ad ends its empty columns', () => {
  const dots: Area[] = [
    [10, 45, 20, 1],
    [150, 50, 5, 5],
  ];
  expect(look(dots)).toMatchObject({ left: 30, right: 50 });
  const bars: Area[] = [
    [0, 0, 200, 30],
    [0, 70, 200, 30],
  ];
  expect(look(bars)).toMatchObject({ left: 60, right: 100 });
});

test('the empty rows above the ad end at a row with content; a row of one color has none', () => {
  const bands: Area[] = [
    [0, 10, 200, 10, 0x80],
    [0, 5, 30, 1],
  ];
  expect(look(bands).above).toBe(0.34);
  expect(look([...bands, [150, 39, 30, 1]]).above).toBe(0);
});

test('a slight gradient is empty', () => {
  expect(look([[120, 0, 80, 100, 0xf8]])).toMatchObject({ above: 0.4, right: 100 });
  expect(look([[120, 0, 80, 100, 0xf0]])).toMatchObject({ above: 0, right: 20 });
});

test('an ad at the edge of the picture has nothing beside it', () => {
  expect(look([], BOX.width, { ...BOX, x: 0, y: 0 })).toMatchObject({ above: 0, left: 0, right: 160 });
  expect(look([], BOX.width, { ...BOX, x: 160 })).toMatchObject({ left: 160, right: 0 });
});
