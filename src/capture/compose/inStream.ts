/** Draws a frame of a video ad as a video player shows it before its content. */
import sharp from 'sharp';
import type { AdSize } from '../../domain/ads.ts';
import { DRAWN_FONTS } from '../../lib/drawnFonts.ts';
import { pngSize } from './pixels.ts';

export interface PlayerFrame {
  /** The size of the player, whole CSS pixels. */
  readonly player: AdSize;
  /** The size of the ad, CSS pixels. */
  readonly ad: AdSize;
  /** The time in the video, milliseconds; null if it is unknown. */
  readonly at: number | null;
}

/** The player around the frames of an ad. */
export interface PlayerLook {
  /** The width of the ad, CSS pixels. */
  readonly adWidth: number;
  /** @param png a frame of the ad, in any pixel ratio. @param at its time in milliseconds; null if it is unknown. */
  draw(png: Buffer, at: number | null): Promise<Buffer>;
}

/** Players let viewers skip an ad after this time. */
const SKIP_AFTER_SECONDS = 5;
/** The size of the texts as a share of the player's height, and its limits in CSS pixels. */
const TEXT = { share: 1 / 15, min: 12, max: 18 };
const TIMEOUT_SECONDS = 30;
const MAX_PIXELS = 40_000_000;

/** @param png a frame of the ad, in any pixel ratio. @returns the whole player as a PNG of the same ratio. @throws if it is too large. */
export async function drawInPlayer(png: Buffer, { player, ad, at }: PlayerFrame): Promise<Buffer> {
  const ratio = pngSize(png).width / ad.width;
  const [width, height] = [Math.round(player.width * ratio), Math.round(player.height * ratio)];
  if (width * height > MAX_PIXELS)
    throw new Error(`the video player of ${player.width}×${player.height} is too large to draw`);
  const { data, info } = await sharp(png, { limitInputPixels: MAX_PIXELS })
    .resize({ width, height, fit: 'contain', background: '#000' })
    .flatten({ background: '#000' })
    .raw()
    .timeout({ seconds: TIMEOUT_SECONDS })
    .toBuffer({ resolveWithObject: true });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${player.width} ${player.height}">${controls(player, at ?? 0)}</svg>`;
  return sharp(data, { raw: info, limitInputPixels: MAX_PIXELS })
    .composite([{ input: Buffer.from(svg), density: 72 }])
    .removeAlpha()
    .png({ compressionLevel: 6 })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .toBuffer();
}

/** The word "Ad", and the button that skips it or says when it will. */
function controls({ width, height }: AdSize, at: number): string {
  const size = Math.round(Math.min(TEXT.max, Math.max(TEXT.min, height * TEXT.share)));
  const bottom = height - Math.round(size * 0.9);
  const left = Math.round(size * 0.9);
  const wait = Math.max(0, Math.ceil(SKIP_AFTER_SECONDS - at / 1000));
  const skip = wait > 0 ? `Skip ad in ${wait}` : 'Skip ad';
  const skipWidth = Math.round(size * (wait > 0 ? 6.6 : 6.2));
  const skipHeight = Math.round(size * 2.1);
  const [x, y] = [width - skipWidth, bottom - skipHeight];
  const middle = y + skipHeight / 2 + size * 0.36;
  const arrow = wait > 0 ? '' : skipArrow(width - size * 1.9, y + skipHeight / 2, size);
  return `<g font-family="${DRAWN_FONTS}" font-size="${size}">
<rect x="${left}" y="${bottom - size * 1.5}" width="${size * 1.9}" height="${size * 1.5}" rx="3" fill="#fcc934"/>
<text x="${left + size * 0.95}" y="${bottom - size * 0.4}" text-anchor="middle" font-weight="700" fill="#202124">Ad</text>
<rect x="${x}" y="${y}" width="${skipWidth}" height="${skipHeight}" fill="#000" fill-opacity="0.72"/>
<text x="${x + size * 0.8}" y="${middle}" fill="#fff">${skip}</text>${arrow}</g>`;
}

function skipArrow(x: number, y: number, size: number): string {
  const half = size * 0.45;
  return `<path d="M${x} ${y - half}L${x + size * 0.75} ${y}L${x} ${y + half}Z" fill="#fff"/><rect x="${x + size * 0.8}" y="${y - half}" width="2" height="${half * 2}" fill="#fff"/>`;
}
