import sharp from 'sharp';
import { CHANNELS, changedShare, clipped, overlaid, type PixelBox, type Pixels } from './pixels.ts';
import { shownShare } from './shownShare.ts';

/** Edge of the squares of equal base brightness. They stay measurable when the browser moves the picture by a part of a pixel. */
const CELL = 8;

/** A picture in which no pixel looks like its neighbors, so that scaling, tinting, clipping or covering is visible. */
export async function probePicture(size: { width: number; height: number }): Promise<{ pixels: Pixels; png: Buffer }> {
  const { width, height } = size;
  const data = Buffer.alloc(width * height * CHANNELS);
  const next = randomNumbers();
  const bases = Uint8Array.from(
    { length: Math.ceil(width / CELL) * Math.ceil(height / CELL) },
    () => 28 + (next() % 200),
  );
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * Math.ceil(width / CELL);
    for (let x = 0; x < width; x++) {
      const base = bases[row + Math.floor(x / CELL)] ?? 0;
      const fine = next();
      for (let channel = 0; channel < CHANNELS; channel++) data[at++] = base + ((fine >>> (channel * 8)) % 56) - 28;
    }
  }
  const raw = { width, height, channels: CHANNELS } as const;
  const png = await sharp(data, { raw }).png({ compressionLevel: 0, adaptiveFiltering: false }).toBuffer();
  return { pixels: { data, width, height }, png };
}

/** Xorshift, because each run must give the same picture. @returns 32 bits, not negative. */
function randomNumbers(): () => number {
  let state = 0x2545f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

export interface Verdict {
  /** Pixels laid over the page's picture at `box` are what the browser would paint. */
  readonly composable: boolean;
  /** The share of the ad's pixels, 0 to 1, that the picture shows. */
  readonly shown: number;
  /** Where the probe was found; if it was not found, where it was expected. */
  readonly box: PixelBox;
}

/** Pixels around the ad that must not change either: shadows, borders that move. */
const RING = 3;

/** Maximum error of the measured box, because a browser rounds to device pixels in several places. */
const SLACK = 2;

/** A position with this share of the probe is not improved further. */
const ENOUGH_SHOWN = 0.99;

/**
 * Compares the browser's picture with the composed picture.
 * @param page the page without an ad; @param probed the same with the probe as its ad, near `expected`.
 */
export function judgeProbe(page: Pixels, probed: Pixels, probe: { pixels: Pixels; expected: PixelBox }): Verdict {
  const { pixels, expected } = probe;
  if (page.width !== probed.width || page.height !== probed.height)
    return { composable: false, shown: 0, box: expected };
  const found = findProbe(probed, probe);
  if (found === undefined) return { composable: false, ...bestShare(page, probed, probe) };
  const { x, y, width, height } = found;
  const ring = { x: x - RING, y: y - RING, width: width + 2 * RING, height: height + 2 * RING };
  const composed = overlaid(page, pixels, found);
  return { composable: changedShare(composed, probed, clipped(ring, page)) === 0, shown: 1, box: found };
}

/** The browser may round to another pixel, so the neighbours of the expected position are tried too. */
function bestShare(page: Pixels, probed: Pixels, { pixels, expected }: { pixels: Pixels; expected: PixelBox }) {
  let best = { shown: 0, box: expected };
  for (const box of placesAround(expected, pixels).slice(0, 9)) {
    const shown = shownShare({ page, picture: probed, ad: pixels, box });
    if (shown > best.shown) best = { shown, box };
    if (shown >= ENOUGH_SHOWN) break;
  }
  return best;
}

/** @returns the exact position of the probe in the picture, or undefined. */
export function findProbe(picture: Pixels, probe: { pixels: Pixels; expected: PixelBox }): PixelBox | undefined {
  const { pixels, expected } = probe;
  return placesAround(expected, pixels).find((box) => isInside(box, picture) && shows(picture, pixels, box));
}

/** Nearest first. */
function placesAround({ x, y }: PixelBox, { width, height }: Pixels): PixelBox[] {
  const steps = Array.from({ length: 2 * SLACK + 1 }, (_, index) => index - SLACK);
  return steps
    .flatMap((dx) => steps.map((dy) => ({ dx, dy })))
    .sort((one, two) => Math.hypot(one.dx, one.dy) - Math.hypot(two.dx, two.dy))
    .map(({ dx, dy }) => ({ x: x + dx, y: y + dy, width, height }));
}

/** Row by row, so that a wrong position is rejected at its first row. */
function shows(picture: Pixels, patch: Pixels, { x, y, width, height }: PixelBox): boolean {
  const bytes = width * CHANNELS;
  for (let row = 0; row < height; row++) {
    const at = ((y + row) * picture.width + x) * CHANNELS;
    if (picture.data.compare(patch.data, row * bytes, (row + 1) * bytes, at, at + bytes) !== 0) return false;
  }
  return true;
}

function isInside(box: PixelBox, page: Pixels): boolean {
  const part = clipped(box, page);
  return part.width === box.width && part.height === box.height;
}
