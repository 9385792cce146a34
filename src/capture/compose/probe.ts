import sharp from 'sharp';
import { CHANNELS, changedShare, clipped, overlaid, type PixelBox, type Pixels } from './pixels.ts';

/** A picture in which no pixel looks like its neighbours: whatever scales, tints, clips or covers it shows. */
export async function probePicture(width: number, height: number): Promise<{ pixels: Pixels; png: Buffer }> {
  const data = Buffer.alloc(width * height * CHANNELS);
  let state = 0x2545f491;
  for (let at = 0; at < data.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    data[at] = state & 0xff;
  }
  const raw = { width, height, channels: CHANNELS } as const;
  const png = await sharp(data, { raw }).png({ compressionLevel: 0, adaptiveFiltering: false }).toBuffer();
  return { pixels: { data, width, height }, png };
}

export interface Verdict {
  /** Pixels laid over the page's picture are what the browser would paint. */
  readonly composable: boolean;
  /** The share of the ad's pixels, 0 to 1, that the picture shows at all. */
  readonly shown: number;
}

/** Pixels around the ad that must not change either: shadows, borders that move. */
const RING = 3;

/**
 * Compares what the browser painted with what composition would give.
 * @param page the page without an ad; @param probed the same with the probe as its ad.
 */
export function judgeProbe(page: Pixels, probed: Pixels, probe: { pixels: Pixels; box: PixelBox }): Verdict {
  const { pixels, box } = probe;
  const sameSize = page.width === probed.width && page.height === probed.height;
  if (!sameSize) return { composable: false, shown: 1 };
  const shown = changedShare(page, probed, box);
  const fits = pixels.width === box.width && pixels.height === box.height;
  if (!fits || !isInside(box, page)) return { composable: false, shown };
  const ring = { x: box.x - RING, y: box.y - RING, width: box.width + 2 * RING, height: box.height + 2 * RING };
  const composed = overlaid(page, pixels, box);
  return { composable: changedShare(composed, probed, clipped(ring, page)) === 0, shown };
}

function isInside(box: PixelBox, page: Pixels): boolean {
  const part = clipped(box, page);
  return part.width === box.width && part.height === box.height;
}
