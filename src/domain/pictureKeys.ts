/** The keys of pictures that captures upload, and of the files that the API makes from them. */
import { FRAME_CHOICES, framedKey } from './frames.ts';
import { THUMBNAILS, thumbnailKey } from './thumbnails.ts';

/** @returns the key with the SHA-256 of the picture, so that no upload can replace a picture that was reported. */
export function withContent(key: string, sha256: string): string {
  return key.replace(/\.\w+$/, (ending) => `-${sha256}${ending}`);
}

/** @returns the key to which `withContent` added the SHA-256. */
export function withoutContent(key: string): string {
  return key.replace(/-[0-9a-f]{64}(?=\.\w+$)/, '');
}

/** @returns the keys of the picture, its thumbnails and its pictures with a frame, whether they exist or not. */
export function filesOfPicture(key: string): string[] {
  const thumbnails = THUMBNAILS.map((thumbnail) => thumbnailKey(key, thumbnail));
  return [key, ...thumbnails, ...FRAME_CHOICES.map((choice) => framedKey(key, choice))];
}
