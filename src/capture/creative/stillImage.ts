import sharp from 'sharp';
import { errorMessage } from '../../lib/errorMessage.ts';
import { CreativeError, type Size } from './creative.ts';

const MAX_PIXELS = 64 * 1024 * 1024;

interface Raster extends Size {
  /** True if sharp draws it differently from a browser. */
  readonly needsBrowser: boolean;
  /** Only for an animated image, if it is known. `loops`: 0 without an end. */
  readonly animation?: { readonly seconds: number; readonly loops: number };
}

/** Reads an image's header. @throws CreativeError if it is damaged or too large. */
export async function readRaster(bytes: Buffer): Promise<Raster> {
  const sequence = avifSequenceSize(bytes);
  if (sequence !== undefined) return { ...sequence, needsBrowser: true };
  try {
    const image = await sharp(bytes, { limitInputPixels: MAX_PIXELS }).metadata();
    const { format, orientation = 1, pages = 1, space, delay = [], loop = 0 } = image;
    // Browsers ignore the orientation of a WebP.
    const isTurnedWebp = format === 'webp' && orientation > 1;
    const { width, height } = isTurnedWebp ? image : image.autoOrient;
    const needsBrowser = pages > 1 || space === 'cmyk' || isTurnedWebp || (format === 'png' && hasSpecialChunk(bytes));
    const seconds = delay.reduce((sum, ms) => sum + ms, 0) / 1000;
    return { width, height, needsBrowser, ...(pages > 1 && { animation: { seconds, loops: loop } }) };
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Decodes an image at a pixel ratio, on white like an iframe. @returns a PNG. @throws CreativeError if it is damaged. */
export async function renderStill(bytes: Buffer, size: Size, ratio: number): Promise<Buffer> {
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' }).autoOrient();
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    const { autoOrient: pixels } = await image.metadata();
    if (pixels.width !== width || pixels.height !== height)
      image.resize(width, height, { fit: 'fill', kernel: 'mitchell' });
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

/** @returns true if all pixels have one color. */
export async function isUniform(png: Buffer): Promise<boolean> {
  const { channels } = await sharp(png).stats();
  return channels.every(({ min, max }) => min === max);
}

function unreadable(cause: unknown): CreativeError {
  const reason = errorMessage(cause).split('\n')[0] ?? '';
  return /pixel limit/i.test(reason)
    ? new CreativeError(`The image has more than ${MAX_PIXELS} pixels, which is too large for an ad.`, { cause })
    : new CreativeError(`The image is damaged and cannot be decoded (${reason}).`, { cause });
}

/** The usual gamma of screens, in hundred-thousandths. */
const SCREEN_GAMMA = 45_455;

/** @returns true if a PNG is animated or has an unusual gamma. These chunks are before the first image data. */
function hasSpecialChunk(png: Buffer): boolean {
  const head = png.subarray(0, png.indexOf('IDAT', 8, 'latin1') + 1);
  const gamma = head.indexOf('gAMA', 8, 'latin1');
  const isGammaUsual = gamma < 0 || gamma + 8 > head.length || head.readUInt32BE(gamma + 4) === SCREEN_GAMMA;
  return head.includes('acTL', 8, 'latin1') || !isGammaUsual;
}

/** From the type of a track header to its width, by the version of the header. */
const TRACK_WIDTH_OFFSETS = [80, 92] as const;

/** @returns the size of an animated AVIF, which sharp cannot read: the width and height in the header of its first track. */
function avifSequenceSize(bytes: Buffer): Size | undefined {
  if (bytes.toString('latin1', 4, 12) !== 'ftypavis') return undefined;
  const header = bytes.indexOf('tkhd', 0, 'latin1');
  const at = header + (TRACK_WIDTH_OFFSETS[bytes[header + 4] === 1 ? 1 : 0] ?? 0);
  if (header < 0 || at + 8 > bytes.length) return undefined;
  // Fixed-point numbers with 16 bits after the point.
  return { width: bytes.readUInt32BE(at) / 65_536, height: bytes.readUInt32BE(at + 4) / 65_536 };
}
