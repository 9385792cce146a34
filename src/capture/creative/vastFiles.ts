/** Chooses the media file of a VAST ad. */
import type { MediaFile } from './vastAds.ts';

const PLAYABLE = ['video/mp4', 'video/webm', 'video/x-m4v', 'video/ogg', 'video/quicktime'];

/** @returns the best file that a browser can play: the largest declared size up to full HD. Undefined if there is none. */
export function bestFile(files: readonly MediaFile[]): MediaFile | undefined {
  const playable = files.filter(
    ({ type, url }) => PLAYABLE.includes(type) || (type === '' && /\.(mp4|webm|m4v)(\?|$)/i.test(url)),
  );
  const rank = ({ size, bitrate, type }: MediaFile) =>
    [size && size.width <= 1_920 ? size.width : 0, type === 'video/mp4' ? 1 : 0, bitrate] as const;
  return playable.toSorted((a, b) => compare(rank(b), rank(a)))[0];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((value, index) => value !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}

/** @returns why none of the files can be shown, and what to send instead. */
export function refusalOfFiles(files: readonly MediaFile[]): string {
  const types = [...new Set(files.map(({ type }) => type || 'unknown'))].join(', ');
  if (files.every(({ type }) => /flash|shockwave/.test(type)))
    return `The VAST has only a Flash file (${types}), which no browser plays. Send a VAST with an MP4 file.`;
  if (files.some(({ apiFramework, type }) => /vpaid/i.test(apiFramework) || /javascript/.test(type)))
    return `The VAST has only a VPAID unit (a script, ${types}), which needs a video player. Send a VAST with an MP4 file, or the video file itself.`;
  if (files.every(({ type }) => type.startsWith('audio/')))
    return `The VAST is an audio ad (${types}) without a companion, so it has nothing to show. Send an image or a video.`;
  if (files.every(({ type }) => /mpegurl|dash\+xml/.test(type)))
    return `The VAST has only a stream (${types}). Send a VAST with a progressive MP4 file, or the video file itself.`;
  return `The VAST has no video that a browser can play, only ${types}. Send a VAST with an MP4 file.`;
}
