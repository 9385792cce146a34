import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { animate } from '../../../../src/capture/compose/animation.ts';
import { gifOf, paletteOf } from '../../../../src/capture/compose/gif.ts';
import { pngsOf } from '../../../../src/capture/creative/film.ts';
import { pictureMark } from '../../../../src/lib/pictureMark.ts';

const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
const colourAt = async (file: Buffer, page: number, [left, top]: readonly [number, number]) => {
  const pixel = sharp(file, { page }).removeAlpha().extract({ left, top, width: 1, height: 1 });
  return [...(await pixel.raw().toBuffer())];
};

test('a GIF has the pixels of its frames, also after its table of codes was full', async () => {
  const size = { width: 200, height: 200 };
  const colours = [0, 85, 170, 255];
  // Noise in 64 colors, which the palette has.
  const data = Buffer.from([...randomBytes(3 * 200 * 200)].map((byte) => colours[byte & 3]!));
  const pixels = { ...size, data };
  const part = { x: 150, y: 160, width: 50, height: 40 };
  const red = {
    width: 50,
    height: 40,
    data: Buffer.from(
      Array(50 * 40)
        .fill([255, 0, 0])
        .flat(),
    ),
  };
  const frames = [
    { box: { x: 0, y: 0, ...size }, pixels, delay: 10 },
    { box: part, pixels: red, delay: 7 },
  ];
  const gif = await gifOf(size, await paletteOf(pixels), frames, { xmp: '' });
  const { pages, delay } = await sharp(gif, { animated: true }).metadata();
  expect({ pages, delay }).toEqual({ pages: 2, delay: [100, 70] });
  const read = await sharp(gif, { page: 0 }).removeAlpha().raw().toBuffer();
  expect(read.every((byte, at) => Math.abs(byte - data[at]!) <= 2)).toBe(true);
  expect(await colourAt(gif, 1, [150, 160])).toEqual([255, 0, 0]);
  expect(await colourAt(gif, 1, [149, 160])).toEqual([...read.subarray((160 * 200 + 149) * 3).subarray(0, 3)]);
});

test('the frames of an ad appear at its place for their times, in the WebP at two pixels for each CSS pixel', async () => {
  const png = await plain(303, 603, '#ffffff');
  const film = { seconds: 1, fps: 3, ratio: 2, holds: [2, 1] };
  const pngs = await Promise.all([plain(100, 60, '#ff0000'), plain(100, 60, '#0000ff')]);
  const xmp = pictureMark('a-screenshot');
  const adBox = { x: 33, y: 99, width: 150, height: 90 };
  const { webp, gif } = await animate({ png, width: 303, height: 603, adBox, ratio: 3, xmp }, { ...film, pngs });
  expect([webp.width, webp.height, gif.width, gif.height]).toEqual([202, 402, 101, 201]);
  const metadata = await sharp(webp.bytes, { animated: true, failOn: 'warning' }).metadata();
  expect(metadata.delay).toEqual([667, 333]);
  expect(metadata.xmp?.toString()).toBe(xmp);
  expect(gif.bytes.includes(`XMP DataXMP${xmp}`)).toBe(true);
  expect((await sharp(gif.bytes, { animated: true }).metadata()).delay).toEqual([670, 330]);
  for (const [{ bytes }, scale] of [
    [webp, 2],
    [gif, 1],
  ] as const) {
    const near = async (page: number, x: number, y: number) =>
      (await colourAt(bytes, page, [x * scale, y * scale])).map((value) => (value > 200 ? 1 : 0));
    for (const [x, y] of [
      [13, 35],
      [58, 60],
    ] as const) {
      expect(await near(0, x, y)).toEqual([1, 0, 0]);
      expect(await near(1, x, y)).toEqual([0, 0, 1]);
    }
    for (const [x, y] of [
      [8, 50],
      [64, 50],
      [30, 30],
      [30, 66],
    ] as const)
      expect(await near(1, x, y)).toEqual([1, 1, 1]);
  }
});

test('a picture that is too long for a WebP has no animation', async () => {
  const adBox = { x: 0, y: 0, width: 10, height: 10 };
  const [png, frame] = await Promise.all([plain(10, 16_384, '#fff'), plain(10, 10, '#000')]);
  const film = { seconds: 1, fps: 2, ratio: 1, holds: [1, 1], pngs: [frame, frame] };
  await expect(animate({ png, width: 10, height: 16_384, adBox, ratio: 1, xmp: '' }, film)).rejects.toThrow(
    '16383 pixels',
  );
});

test('the PNGs of a film are found in its file', async () => {
  const pngs = await Promise.all(['#123', '#456', '#789'].map((colour) => plain(20, 10, colour)));
  expect(pngsOf(Buffer.concat(pngs)).map((png) => png.equals(pngs.shift()!))).toEqual([true, true, true]);
  expect(() => pngsOf(Buffer.alloc(9))).toThrow(RangeError);
});
