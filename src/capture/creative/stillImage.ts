import sharp from 'sharp';
import { errorMessage } from '../../lib/errorMessage.ts';
import { CreativeError } from './creativeError.ts';
import type { Size } from './size.ts';

const MAX_PIXELS = 64 * 1024 * 1024;

export interface RasterImage extends Size {
  readonly animated: boolean;
}

/** Reads an image's header. @throws CreativeError if it is damaged or too large. */
export async function readRaster(bytes: Buffer): Promise<RasterImage> {
  try {
    const { autoOrient, pages = 1 } = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
    return { width: autoOrient.width, height: autoOrient.height, animated: pages > 1 || isAnimatedPng(bytes) };
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Decodes an image at a pixel ratio, on white like an iframe. @returns a PNG. @throws CreativeError if it is damaged. */
export async function renderStill(bytes: Buffer, size: Size, ratio: number): Promise<Buffer> {
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' }).autoOrient();
    if (ratio !== 1)
      image.resize(Math.round(size.width * ratio), Math.round(size.height * ratio), {
        fit: 'fill',
        kernel: 'mitchell',
      });
    return await image.flatten({ background: '#fff' }).toColourspace('srgb').png({ compressionLevel: 6 }).toBuffer();
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** @returns true if every pixel is white. */
export async function isWhite(png: Buffer): Promise<boolean> {
  const { channels } = await sharp(png).stats();
  return channels.every(({ min }) => min === 255);
}

function unreadable(cause: unknown): CreativeError {
  const reason = errorMessage(cause).split('\n')[0] ?? '';
  return /pixel limit/i.test(reason)
    ? new CreativeError(
        'generic_error',
        `The image has more than ${MAX_PIXELS} pixels, which is too large for an ad.`,
        { cause },
      )
    : new CreativeError('generic_error', `The image is damaged and cannot be decoded (${reason}).`, { cause });
}

/** An animated PNG has an `acTL` chunk before the first image data. */
function isAnimatedPng(bytes: Buffer): boolean {
  const control = bytes.indexOf('acTL', 8, 'latin1');
  const data = bytes.indexOf('IDAT', 8, 'latin1');
  return bytes[0] === 0x89 && control > 0 && control < data;
}
