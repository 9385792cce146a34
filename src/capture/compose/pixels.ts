import sharp from 'sharp';

// Many pictures are processed at once, so each one must not use all cores.
sharp.cache(false);

/** Rows of red, green and blue bytes, without padding. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface PixelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const CHANNELS = 3;

/** @returns the picture on white, and whether every pixel of it was opaque. */
export async function decodePng(png: Buffer): Promise<Pixels & { opaque: boolean }> {
  const image = sharp(png, { limitInputPixels: 100_000_000 }).toColourspace('srgb');
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  if (channels === CHANNELS) return { data, width, height, opaque: true };
  const opaque = isOpaque(data, channels);
  const flat = opaque ? image.clone().removeAlpha() : image.clone().flatten({ background: '#fff' });
  return { data: await flat.raw().toBuffer(), width, height, opaque };
}

/** @param channels the last of them is opacity. */
function isOpaque(data: Buffer, channels: number): boolean {
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 0xff) return false;
  return true;
}

/** A copy of `base` with `patch` over it at (x, y). Parts outside `base` are cut off. */
export function overlaid(base: Pixels, patch: Pixels, at: { readonly x: number; readonly y: number }): Pixels {
  const data = Buffer.from(base.data);
  const left = Math.max(0, at.x);
  const right = Math.min(base.width, at.x + patch.width);
  if (right <= left) return { ...base, data };
  for (let row = Math.max(0, -at.y); row < patch.height && at.y + row < base.height; row++) {
    const from = (row * patch.width + left - at.x) * CHANNELS;
    const to = ((at.y + row) * base.width + left) * CHANNELS;
    patch.data.copy(data, to, from, from + (right - left) * CHANNELS);
  }
  return { ...base, data };
}

/** A PNG of the page with the ad over it at (x, y). */
export function composed(page: Pixels, ad: Pixels, at: { readonly x: number; readonly y: number }): Promise<Buffer> {
  const { data, width, height } = overlaid(page, ad, at);
  // Higher levels make the file hardly smaller, and adaptive filters take three times as long.
  return sharp(data, { raw: { width, height, channels: CHANNELS } })
    .png({ compressionLevel: 3 })
    .toBuffer();
}

/** The part of a picture, without what is outside of the picture. */
export function cutOut(picture: Pixels, box: PixelBox): Pixels {
  const { x, y, width, height } = clipped(box, picture);
  const rows = Array.from({ length: height }, (_, row) => {
    const start = ((y + row) * picture.width + x) * CHANNELS;
    return picture.data.subarray(start, start + width * CHANNELS);
  });
  return { data: Buffer.concat(rows), width, height };
}

/** The share of the box's pixels, 0 to 1, that differ between two pictures of the same size. */
export function changedShare(one: Pixels, two: Pixels, box: PixelBox): number {
  const inside = clipped(box, one);
  let changed = 0;
  for (let y = inside.y; y < inside.y + inside.height; y++) {
    const start = (y * one.width + inside.x) * CHANNELS;
    for (let at = start; at < start + inside.width * CHANNELS; at += CHANNELS) {
      if (
        one.data[at] !== two.data[at] ||
        one.data[at + 1] !== two.data[at + 1] ||
        one.data[at + 2] !== two.data[at + 2]
      )
        changed += 1;
    }
  }
  const all = inside.width * inside.height;
  return all === 0 ? 0 : changed / all;
}

/** The part of the box that is inside the picture. */
export function clipped(box: PixelBox, { width, height }: { width: number; height: number }): PixelBox {
  const x = Math.max(0, Math.min(box.x, width));
  const y = Math.max(0, Math.min(box.y, height));
  return {
    x,
    y,
    width: Math.max(0, Math.min(box.x + box.width, width) - x),
    height: Math.max(0, Math.min(box.y + box.height, height) - y),
  };
}

/** @returns width and height in pixels, from the header of a PNG. */
export function pngSize(png: Buffer): { width: number; height: number } {
  if (png.length < 24 || png.toString('latin1', 12, 16) !== 'IHDR') throw new Error('These bytes are not a PNG.');
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
