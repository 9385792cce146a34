import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawInPlayer } from '../../../../src/capture/compose/inStream.ts';

const AD = { width: 400, height: 400 };
const player = { width: 640, height: 360 };

const frame = (ratio: number) =>
  sharp({ create: { width: 400 * ratio, height: 400 * ratio, channels: 3, background: '#1a73e8' } })
    .png()
    .toBuffer();

async function drawn(ratio: number, time: number | null) {
  const png = await drawInPlayer(await frame(ratio), { player, ad: AD, at: time });
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)];
  return { png, info, at };
}

test.each([1, 2])('at pixel ratio %i, the video is in the middle of the player, between black bars', async (ratio) => {
  const { info, at } = await drawn(ratio, null);
  expect(info).toMatchObject({ width: 640 * ratio, height: 360 * ratio, channels: 3 });
  expect(at(320 * ratio, 180 * ratio)).toEqual([0x1a, 0x73, 0xe8]);
  expect(at(20 * ratio, 100 * ratio)).toEqual([0, 0, 0]);
  expect(at(620 * ratio, 100 * ratio)).toEqual([0, 0, 0]);
});

test('the player says that it shows an ad', async () => {
  const { at } = await drawn(1, null);
  expect(at(20, 322)).toEqual([0xfc, 0xc9, 0x34]);
});

test('the time until viewers may skip the ad follows the time of the frame, from the start if that is unknown', async () => {
  const pictures = await Promise.all([0, 900, 4_100, 5_000, 9_000, null].map(async (at) => (await drawn(1, at)).png));
  const [start, same, last, skip, later, unknown] = pictures;
  expect(start).toEqual(same);
  expect(last).not.toEqual(start);
  expect(skip).not.toEqual(last);
  expect([later, unknown]).toEqual([skip, start]);
});

test('a player that needs too much memory is rejected', async () => {
  const large = { player: { width: 9_000, height: 9_000 }, ad: AD, at: null };
  await expect(drawInPlayer(await frame(1), large)).rejects.toThrow('9000×9000 is too large');
});
