/** Runs in a child process, because the file may be hostile. */
import sharp from 'sharp';
import { invalid } from '../../domain/failure.ts';

/** The most pixels of the file, and the largest sides of the stored logo. */
const MAX_INPUT_PIXELS = 40_000_000;
const MAX_SIDES = { width: 1_200, height: 600 };
const FORMATS: readonly string[] = ['png', 'jpeg', 'webp', 'svg'];
/** The resolution at which a pixel of an SVG is a pixel of the logo. Small ones are drawn larger, so that they stay sharp. */
const DENSITY = 72;
const MAX_DENSITY = 8 * DENSITY;

interface DrawnLogo {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

/** @throws Failure (422) if the bytes are not a picture of an accepted format, or if the picture is too large. */
export async function drawLogo(bytes: Buffer): Promise<DrawnLogo> {
  // librsvg loads nothing from outside of the SVG, because the bytes have no address that a reference could start from.
  const options = { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error', density: DENSITY } as const;
  try {
    const { format, width, height } = await sharp(bytes, options).metadata();
    if (!FORMATS.includes(format)) throw notALogo();
    const density = Math.max(1, Math.min(MAX_DENSITY, DENSITY * fittingScale({ width, height })));
    const { data, info } = await sharp(bytes, { ...options, density })
      .autoOrient()
      .resize({ ...MAX_SIDES, fit: 'inside', withoutEnlargement: true })
      .toColorspace('srgb')
      .png()
      .toBuffer({ resolveWithObject: true });
    return { png: data, width: info.width, height: info.height };
  } catch {
    throw notALogo();
  }
}

function fittingScale({ width, height }: { width: number; height: number }): number {
  return Math.min(MAX_SIDES.width / width, MAX_SIDES.height / height);
}

const notALogo = () =>
  invalid({
    body: [`must be a PNG, JPEG, WebP or SVG file with at most ${MAX_INPUT_PIXELS.toLocaleString('en')} pixels.`],
  });
