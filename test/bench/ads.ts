import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { CreativeFrame } from '../../src/capture/creative/creative.ts';

export interface BenchAd {
  readonly frame: CreativeFrame;
  /** As a URL for an `img`. */
  readonly source: string;
  /** Red, green and blue bytes of the frame, row by row. */
  readonly pixels: Buffer;
}

const WIDTH = 300;
const HEIGHT = 250;
const PHOTOGRAPH = fileURLToPath(new URL('../fixtures/media/files/marlow.jpg', import.meta.url));

/** Different ads of 300×250 CSS pixels, with a photograph in each: like real creatives, they do not compress well. */
export async function drawAds(count: number, ratio: number): Promise<BenchAd[]> {
  const size = { width: WIDTH * ratio, height: HEIGHT * ratio };
  const ads: BenchAd[] = [];
  for (let index = 0; index < count; index++) {
    const hue = Math.round((index * 360) / count);
    const pixels = await sharp(PHOTOGRAPH)
      .resize({ ...size, fit: 'fill' })
      .modulate({ hue })
      .removeAlpha()
      .raw()
      .toBuffer();
    const png = await sharp(pixels, { raw: { ...size, channels: 3 } })
      .png()
      .toBuffer();
    const frame: CreativeFrame = { markerMs: null, ratio, png, width: WIDTH, height: HEIGHT };
    ads.push({ frame, source: `data:image/png;base64,${png.toString('base64')}`, pixels });
  }
  return ads;
}

/** @param at where the ad must be; anywhere unless given. @returns whether every pixel of the ad is in the picture. */
export async function holdsAd(
  png: Uint8Array,
  { pixels, frame }: BenchAd,
  at?: { x: number; y: number },
): Promise<boolean> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const ad = { width: frame.width * frame.ratio, height: frame.height * frame.ratio };
  const bytes = ad.width * 3;
  const places = at === undefined ? placesOf(data, info, pixels.subarray(0, bytes)) : [at];
  return places.some(({ x, y }) => {
    if (y + ad.height > info.height) return false;
    for (let row = 0; row < ad.height; row++) {
      const start = ((y + row) * info.width + x) * 3;
      if (pixels.compare(data, start, start + bytes, row * bytes, (row + 1) * bytes) !== 0) return false;
    }
    return true;
  });
}

function placesOf(data: Buffer, info: { width: number }, row: Buffer): { x: number; y: number }[] {
  const places: { x: number; y: number }[] = [];
  for (let at = data.indexOf(row); at !== -1; at = data.indexOf(row, at + 1)) {
    if (at % 3 === 0) places.push({ x: (at / 3) % info.width, y: Math.floor(at / 3 / info.width) });
  }
  return places;
}
