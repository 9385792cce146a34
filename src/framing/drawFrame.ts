/** Draws a frame around a picture. The picture keeps all its pixels, and the original file never changes. */
import sharp from 'sharp';
import { type FrameChoice, framedSize, frameShape } from '../domain/frames.ts';
import { type Language, textsOf } from '../domain/texts/languages.ts';
import { formatInstant } from '../domain/time.ts';
import { requirePng } from '../lib/requirePng.ts';
import { frameSvg } from './frameSvg.ts';

/** The facts of the record that a frame shows. */
export interface FramedPicture {
  readonly device: string;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
  readonly address: string;
  readonly capturedAt: Date;
}

export interface FrameOptions extends FrameChoice {
  /** IANA name. */
  readonly timeZone: string;
  readonly language?: Language | undefined;
}

/** A picture of the largest device has 13 million pixels. */
const MAX_PIXELS = 100_000_000;
const TIMEOUT_SECONDS = 30;

/** @param png the original. @returns the framed picture as a PNG, with the metadata of the original. */
export async function drawFrame(png: Buffer, picture: FramedPicture, options: FrameOptions): Promise<Buffer> {
  const shape = frameShape(options.frame, picture.device);
  const size = framedSize(picture, shape);
  const time = formatInstant(picture.capturedAt, options.timeZone, options.language);
  const label = options.label ? textsOf(options.language ?? 'en').document.preview : '';
  const svg = frameSvg({ shape, address: picture.address, time, label, ratio: picture.ratio, size });
  const { xmp } = await sharp(requirePng(png), { limitInputPixels: MAX_PIXELS }).metadata();
  const framed = sharp(Buffer.from(svg), { limitInputPixels: MAX_PIXELS, density: 72 })
    .composite([{ input: png, left: size.left, top: size.top, limitInputPixels: MAX_PIXELS }])
    .png({ compressionLevel: 6 })
    .timeout({ seconds: TIMEOUT_SECONDS });
  return (xmp === undefined ? framed : framed.withXmp(xmp.toString())).toBuffer();
}
