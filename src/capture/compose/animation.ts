/** Makes an animated WebP and GIF from the picture of a placement and the frames of its ad. */
import sharp from 'sharp';
import type { Animation, AnimationFormat } from '../../domain/animations.ts';
import { shortErrorMessage } from '../../lib/errorMessage.ts';
import { gifOf, paletteOf } from './gif.ts';
import type { PlayerLook } from './inStream.ts';
import { CHANNELS, clipped, cutOut, overlaid, type PixelBox, type Pixels, pngSize } from './pixels.ts';
import { type WebpFrame, webpOf } from './webp.ts';

export interface AnimatedFile {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

export type AnimationFiles = Animation & Readonly<Record<AnimationFormat, AnimatedFile>>;

/** A picture with its ad, in device pixels. */
interface PlacedAd {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  readonly adBox: PixelBox;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  /** Draws each frame as the picture shows it; undefined if it shows the frame alone. */
  readonly player?: PlayerLook | undefined;
  /** The packet of its files. */
  readonly xmp: string;
}

interface Film extends Animation {
  readonly ratio: number;
  readonly pngs: readonly Buffer[];
  /** How many frames each PNG stays. */
  readonly holds: readonly number[];
}

/** The limit of the format. */
const WEBP_SIDE_MAX = 16_383;
/** Pixels of all frames of an ad. They are in memory at once. */
const MAX_PIXELS = 64_000_000;
const QUALITY = 85;
const TIMEOUT_SECONDS = 60;
/** Colors are counted in these many frames of an ad, and in the page at this width. */
const SAMPLES = 8;

/** The picture at another size. */
interface Scene {
  readonly page: Pixels;
  /** The frames of the part that contains the ad. */
  readonly frames: readonly Pixels[];
  /** The first one is the page, and each further one only what changes. */
  readonly parts: readonly { readonly box: PixelBox; readonly pixels: Pixels }[];
}

/** The WebP has the pixels of the film, and the GIF has CSS pixels. @throws Error with a sentence for the reader. */
export async function animate(picture: PlacedAd, film: Film): Promise<AnimationFiles> {
  const large = ratioOf(film, picture) > 1 && pixelsOf(picture, film, film.ratio) <= MAX_PIXELS;
  const small = await sceneOf(picture, film, 1);
  const webp = await webpFile(large ? await sceneOf(picture, film, film.ratio) : small, film, picture);
  return { seconds: film.seconds, fps: film.fps, webp, gif: await gifFile(small, film, picture) };
}

/** There can be no animation of the picture. The message is for the client. */
class AnimationError extends Error {}

/** @returns why an animation could not be made, for the client. */
export function whyNotAnimated(error: unknown): string {
  return error instanceof AnimationError ? error.message : `it could not be encoded (${shortErrorMessage(error)}).`;
}

/** @returns pixels of a frame for each CSS pixel of the ad's box. */
function ratioOf({ pngs }: Film, { adBox, ratio, player }: PlacedAd): number {
  return pngSize(pngs[0] ?? Buffer.alloc(0)).width / (player?.adWidth ?? adBox.width / ratio);
}

function pixelsOf({ adBox, ratio }: PlacedAd, { pngs }: Film, target: number): number {
  return pngs.length * adBox.width * adBox.height * (target / ratio) ** 2;
}

/** @param target pixels for each CSS pixel. */
async function sceneOf(picture: PlacedAd, film: Film, target: number): Promise<Scene> {
  const scale = target / picture.ratio;
  const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  if (Math.max(width, height) > WEBP_SIDE_MAX)
    throw new AnimationError(`the picture is longer than ${WEBP_SIDE_MAX} pixels, the limit of WebP.`);
  if (pixelsOf(picture, film, target) > MAX_PIXELS)
    throw new AnimationError('the ad is too large. Request fewer seconds or fewer frames per second.');
  const page = await resized(picture.png, width, height);
  const { adBox } = picture;
  const [x, y] = [Math.round(adBox.x * scale), Math.round(adBox.y * scale)];
  const [right, bottom] = [Math.round((adBox.x + adBox.width) * scale), Math.round((adBox.y + adBox.height) * scale)];
  // Frames of a WebP begin at even pixels.
  const start = { x: x - (x & 1), y: y - (y & 1) };
  const box = clipped({ ...start, width: right - start.x, height: bottom - start.y }, { width, height });
  const around = cutOut(page, box);
  const frames: Pixels[] = [];
  let shown = 0;
  for (const [at, png] of film.pngs.entries()) {
    const whole = (await picture.player?.draw(png, (shown * 1000) / film.fps)) ?? png;
    shown += film.holds[at] ?? 0;
    const ad = await resized(whole, right - x, bottom - y);
    frames.push(overlaid(around, ad, { x: x & 1, y: y & 1 }));
  }
  const [first] = frames;
  if (first === undefined) throw new Error('unreachable: a film has frames');
  const whole = overlaid(page, first, box);
  const parts = frames.slice(1).map((pixels, at) => {
    const part = changedPart(frames[at] ?? pixels, pixels);
    return { box: { ...part, x: box.x + part.x, y: box.y + part.y }, pixels: cutOut(pixels, part) };
  });
  return { page: whole, frames, parts: [{ box: { x: 0, y: 0, width, height }, pixels: whole }, ...parts] };
}

/** @returns the picture on white, at this size. */
async function resized(png: Buffer, width: number, height: number): Promise<Pixels> {
  const image = sharp(png, { limitInputPixels: 100_000_000 }).flatten({ background: '#fff' }).toColourspace('srgb');
  const size = pngSize(png);
  if (size.width !== width || size.height !== height) image.resize(width, height, { fit: 'fill' });
  return { data: await image.raw().toBuffer(), width, height };
}

/** @returns the time of each frame in these many parts of a second, without an error that adds up. */
function delaysOf({ fps, holds }: Film, partsPerSecond: number): number[] {
  const ends = holds.map((_, at) => {
    const shown = holds.slice(0, at + 1).reduce((sum, hold) => sum + hold, 0);
    return Math.round((shown * partsPerSecond) / fps);
  });
  return ends.map((end, at) => end - (ends[at - 1] ?? 0));
}

async function webpFile({ page, parts }: Scene, film: Film, { xmp }: PlacedAd): Promise<AnimatedFile> {
  const delays = delaysOf(film, 1000);
  const frames: WebpFrame[] = [];
  for (const [at, { box, pixels }] of parts.entries()) {
    const { data, width, height } = pixels;
    const image = sharp(data, { raw: { width, height, channels: CHANNELS } }).timeout({ seconds: TIMEOUT_SECONDS });
    frames.push({ box, webp: await image.webp({ quality: QUALITY, effort: 2 }).toBuffer(), delay: delays[at] ?? 0 });
  }
  const { width, height } = page;
  return { bytes: webpOf(page, frames, { xmp }), width, height };
}

async function gifFile({ page, parts, frames }: Scene, film: Film, { xmp }: PlacedAd): Promise<AnimatedFile> {
  const delays = delaysOf(film, 100);
  const palette = await paletteOf(await sampleOf(page, frames));
  const shown = parts.map((part, at) => ({ ...part, delay: delays[at] ?? 0 }));
  const { width, height } = page;
  return { bytes: await gifOf(page, palette, shown, { xmp }), width, height };
}

/** @returns a picture of the page's width with the page and some frames below each other. */
async function sampleOf(page: Pixels, frames: readonly Pixels[]): Promise<Pixels> {
  const step = Math.ceil(frames.length / SAMPLES);
  const chosen = frames.filter((_, at) => at % step === 0);
  const height = page.height + chosen.reduce((sum, frame) => sum + frame.height, 0);
  const white = Buffer.alloc((height - page.height) * page.width * CHANNELS, 0xff);
  let sample: Pixels = { data: Buffer.concat([page.data, white]), width: page.width, height };
  let y = page.height;
  for (const frame of chosen) {
    sample = overlaid(sample, frame, { x: 0, y });
    y += frame.height;
  }
  return sample;
}

/** @returns the smallest part that begins at even pixels and contains all differences. One pixel if there are none. */
function changedPart(before: Pixels, after: Pixels): PixelBox {
  const stride = after.width * CHANNELS;
  let [left, right, top, bottom] = [stride, 0, after.height, 0];
  for (let y = 0; y < after.height; y += 1) {
    const [one, other] = [before, after].map(({ data }) => data.subarray(y * stride, (y + 1) * stride));
    if (one === undefined || other === undefined || one.equals(other)) continue;
    [top, bottom] = [Math.min(top, y), y + 1];
    let from = 0;
    while (one[from] === other[from]) from += 1;
    let to = stride;
    while (one[to - 1] === other[to - 1]) to -= 1;
    [left, right] = [Math.min(left, from), Math.max(right, to)];
  }
  if (bottom === 0) return { x: 0, y: 0, width: 1, height: 1 };
  const [x, end] = [Math.floor(left / CHANNELS) & ~1, Math.ceil(right / CHANNELS)];
  const y = top & ~1;
  return { x, y, width: end - x, height: bottom - y };
}
