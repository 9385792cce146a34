import sharp from 'sharp';
import { expect, test } from 'vitest';
import { type Patch, seekAd } from '../../../examples/demo/pixels.ts';

const RED: Patch['rgb'] = [200, 10, 20];
const BLUE: Patch['rgb'] = [10, 20, 200];
/** The patches of an ad of 100 × 60: a red one at its left, a blue one at its right. */
const PATCHES: readonly Patch[] = [
  { x: 10, y: 10, width: 20, height: 20, rgb: RED, tolerance: 6 },
  { x: 70, y: 30, width: 20, height: 20, rgb: BLUE, tolerance: 6 },
];

const block = (width: number, height: number, [r, g, b]: Patch['rgb']) =>
  ({ create: { width, height, channels: 3, background: { r, g, b } } }) as const;

async function ad({ red = RED, blueAt = 70 }: { red?: Patch['rgb']; blueAt?: number } = {}) {
  const parts = [
    { input: block(20, 20, red), left: 10, top: 10 },
    { input: block(20, 20, BLUE), left: blueAt, top: 30 },
  ];
  return sharp(block(100, 60, [240, 240, 240]))
    .composite(parts)
    .png()
    .toBuffer();
}

/** A page of 400 × 300 with an ad of this size in it. */
async function page(creative: Buffer, { width = 100, at = 150 } = {}) {
  const input = await sharp(creative)
    .resize({ width, kernel: width > 100 ? 'nearest' : 'lanczos3' })
    .png()
    .toBuffer();
  const whole = await sharp(input)
    .extract({ left: 0, top: 0, width: Math.min(width, 400 - at), height: width * 0.6 })
    .png()
    .toBuffer();
  return sharp(block(400, 300, [255, 255, 255]))
    .composite([{ input: whole, left: at, top: 120 }])
    .png()
    .toBuffer();
}

test('An ad is found at its position', async () => {
  expect(await seekAd(await page(await ad()), PATCHES, 1)).toEqual({
    found: true,
    words: 'found at 150,120, scale 1.00',
  });
});

test('An ad is found in device pixels and scaled down', async () => {
  expect((await seekAd(await page(await ad(), { width: 200 }), PATCHES, 2)).found).toBe(true);
  expect((await seekAd(await page(await ad(), { width: 60 }), PATCHES, 1)).found).toBe(true);
});

test.each([
  [
    'a page without the ad',
    async () =>
      sharp(block(400, 300, [255, 255, 255]))
        .png()
        .toBuffer(),
  ],
  [
    'a page all in the color of its patch',
    async () =>
      sharp(block(400, 300, RED))
        .png()
        .toBuffer(),
  ],
  ['an ad of another color', async () => page(await ad({ red: [10, 200, 20] }))],
  ['an ad whose parts stand elsewhere', async () => page(await ad({ blueAt: 0 }))],
  ['an ad that is cut off', async () => page(await ad(), { at: 330 })],
])('an ad is not found in %s', async (_what, picture) => {
  expect((await seekAd(await picture(), PATCHES, 1)).found).toBe(false);
});
