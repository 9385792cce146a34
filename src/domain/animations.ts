/** Animations: the picture of a placement in which the ad moves, as an animated WebP and GIF. */
import type { Warning } from './warnings.ts';

export const ANIMATION_SECONDS_MAX = 30;
export const ANIMATION_FPS_MAX = 15;
export const ANIMATION_FPS = 10;
/** More frames would make files too large for mails and presentations. */
export const ANIMATION_FRAMES_MAX = 300;

const MEGABYTE = 1_000_000;
/** A larger file gets a warning. */
const LARGE_BYTES = 5 * MEGABYTE;
/** A larger file is not kept. */
export const ANIMATION_BYTES_MAX = 20 * MEGABYTE;
/** More device pixels for each CSS pixel would make files larger, and no movement clearer. */
const MAX_RATIO = 2;

export const ANIMATION_FORMATS = ['webp', 'gif'] as const;
export type AnimationFormat = (typeof ANIMATION_FORMATS)[number];

/** The first whole seconds of an ad, in frames per second. */
export interface Animation {
  readonly seconds: number;
  readonly fps: number;
}

/** The frames of an ad for an animation, at a pixel ratio. */
export interface WantedFilm extends Animation {
  readonly ratio: number;
}

/** A file with the frames of an animation, or why there is none. */
export type MadeFilm = WantedFilm &
  (
    | { readonly key: string; readonly sha256: string; readonly bytes: number; readonly holds: readonly number[] }
    | { readonly reason: string }
  );

/** The stored files of an animation. */
export type StoredAnimation = Animation &
  Readonly<
    Record<
      AnimationFormat,
      { readonly token: string; readonly bytes: number; readonly width: number; readonly height: number }
    >
  >;

/** @returns whether an animation has few enough frames. */
export function hasFewFrames({ seconds, fps }: Animation): boolean {
  return seconds * fps <= ANIMATION_FRAMES_MAX;
}

/** @returns the film for an animation on a device of this pixel ratio. */
export function filmOf({ seconds, fps }: Animation, ratio: number): WantedFilm {
  return { seconds, fps, ratio: Math.min(ratio, MAX_RATIO) };
}

export function isSameFilm(one: WantedFilm, other: WantedFilm): boolean {
  return one.seconds === other.seconds && one.fps === other.fps && one.ratio === other.ratio;
}

/** @returns the films of an ad, each once, however many pages show it. */
export function wantedFilms(shown: readonly { animation: Animation | null; ratio: number }[]): WantedFilm[] {
  const films: WantedFilm[] = [];
  for (const { animation, ratio } of shown) {
    const film = animation && filmOf(animation, ratio);
    if (film !== null && !films.some((known) => isSameFilm(known, film))) films.push(film);
  }
  return films;
}

/** @returns the moments of the frames, in whole milliseconds. */
export function frameTimes({ seconds, fps }: Animation): number[] {
  return Array.from({ length: seconds * fps }, (_, at) => Math.round((at * 1000) / fps));
}

/** @returns warnings for the reader of the picture; `isKept` is false if a file is too large. */
export function judgeSizes(sizes: Readonly<Record<AnimationFormat, number>>): { isKept: boolean; warnings: Warning[] } {
  const format = sizes.gif > sizes.webp ? 'gif' : 'webp';
  const text = `The ${format === 'gif' ? 'GIF' : 'WebP'} animation is ${(sizes[format] / MEGABYTE).toFixed(1)} MB`;
  const advice = 'Use fewer seconds or fewer frames per second.';
  if (sizes[format] > ANIMATION_BYTES_MAX)
    return {
      isKept: false,
      warnings: [noAnimation(`${text}; the maximum is ${ANIMATION_BYTES_MAX / MEGABYTE} MB. ${advice}`)],
    };
  if (sizes[format] <= LARGE_BYTES) return { isKept: true, warnings: [] };
  return { isKept: true, warnings: [{ code: 'large_animation', message: `${text}. ${advice}` }] };
}

export function noAnimation(reason: string): Warning {
  return { code: 'no_animation', message: `There is no animation: ${reason}` };
}
