/** The frames of a creative for an animation, from one pass over its time. */

import sharp from 'sharp';
import { frameTimes, type WantedFilm } from '../../domain/animations.ts';
import { secondsText } from '../../lib/secondsText.ts';
import { pngSize } from '../compose/pixels.ts';
import type { CreativeFilm, RenderRequest } from './creative.ts';
import type { FramesByMarker } from './renderPage.ts';

/** All frames together. A capture keeps them in memory. */
const MAX_BYTES = 48 * 1024 * 1024;

/** @returns the film without repeated frames, or why there is none. Frames that are too large have CSS pixels. */
export async function filmFrom(film: WantedFilm, pictures: FramesByMarker): Promise<CreativeFilm> {
  const pngs: Buffer[] = [];
  const holds: number[] = [];
  for (const time of frameTimes(film)) {
    const png = pictures.get(time);
    if (png === undefined) return { ...film, reason: `the ad has no frame at ${secondsText(time)}.` };
    if (pngs.at(-1)?.equals(png) === true) holds.push((holds.pop() ?? 0) + 1);
    else {
      pngs.push(png);
      holds.push(1);
    }
  }
  if (pngs.length < 2) return { ...film, reason: `nothing moves in the first ${film.seconds} s of the ad.` };
  const all = Buffer.concat(pngs);
  const file = all.length <= MAX_BYTES || film.ratio === 1 ? all : Buffer.concat(await shrunk(pngs, film.ratio));
  if (file.length <= MAX_BYTES) return { ...film, pngs: file, holds };
  return {
    ...film,
    reason: `its frames exceed ${MAX_BYTES / 1024 / 1024} MB. Request fewer seconds or fewer frames per second.`,
  };
}

function shrunk(pngs: readonly Buffer[], ratio: number): Promise<Buffer[]> {
  const width = Math.round(pngSize(pngs[0] ?? Buffer.alloc(0)).width / ratio);
  return Promise.all(pngs.map((png) => sharp(png).resize({ width }).png({ compressionLevel: 3 }).toBuffer()));
}

export function withoutFilms({ films = [] }: Pick<RenderRequest, 'films'>, reason: string): CreativeFilm[] {
  return films.map((film) => ({ ...film, reason }));
}

const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;

/** @returns the PNGs of a film. @throws RangeError if the bytes end inside one. */
export function pngsOf(film: Buffer): Buffer[] {
  const pngs: Buffer[] = [];
  for (let start = 0, at = SIGNATURE_BYTES; start < film.length; ) {
    const isLast = film.toString('latin1', at + 4, at + 8) === 'IEND';
    at += film.readUInt32BE(at) + CHUNK_BYTES;
    if (!isLast) continue;
    pngs.push(film.subarray(start, at));
    start = at;
    at += SIGNATURE_BYTES;
  }
  return pngs;
}
