import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readRaster } from '../../../../src/capture/creative/stillImage.ts';
import { animatedAvif } from '../../../support/animatedAvif.ts';
import { animatedPng } from '../../../support/animatedPng.ts';
import { cmykJpeg, halves, withGamma } from '../../../support/oddImages.ts';

const size = { width: 300, height: 250 };
const COLOURS = ['#f00', '#0f0'];

const animatedGif = () => {
  const frame = size.width * size.height * 3;
  const pixels = Buffer.concat([Buffer.alloc(frame, 9), Buffer.alloc(frame, 99)]);
  const raw = { width: size.width, height: size.height * 2, pageHeight: size.height, channels: 3 } as const;
  return sharp(pixels, { raw })
    .gif({ delay: [70, 70] })
    .toBuffer();
};

test.each([
  ['a CMYK JPEG without a profile', () => cmykJpeg({ hasProfile: false, transform: 0 })],
  ['a CMYK JPEG with a profile', () => cmykJpeg({ hasProfile: true, transform: 0 })],
  ['a JPEG whose colors are YCCK', () => cmykJpeg({ hasProfile: false, transform: 2 })],
  ['a WebP with an orientation', () => halves().withMetadata({ orientation: 6 }).webp({ lossless: true }).toBuffer()],
  ['a PNG with a gamma', async () => withGamma(await halves().png().toBuffer())],
  ['an animated PNG', () => animatedPng(COLOURS, { ...size, delayMs: 70 })],
  ['an animated GIF', animatedGif],
  ['an animated AVIF', () => animatedAvif(COLOURS, size)],
])('%s is drawn by the browser at its own size', async (_name, make) => {
  expect(await readRaster(await make())).toMatchObject({ ...size, needsBrowser: true });
});

test.each([
  ['a PNG', () => halves().png().toBuffer()],
  ['a WebP', () => halves().webp().toBuffer()],
  ['a JPEG that is turned around', () => halves().withMetadata({ orientation: 3 }).jpeg().toBuffer()],
])('%s needs no browser', async (_name, make) => {
  expect(await readRaster(await make())).toEqual({ ...size, needsBrowser: false });
});

test('a JPEG that is turned by a quarter has the size that a browser shows', async () => {
  const jpeg = await halves().withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(await readRaster(jpeg)).toEqual({ width: 250, height: 300, needsBrowser: false });
});
