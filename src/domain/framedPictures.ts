/** The keys of pictures with a frame. They follow from the key of the picture, so there are no rows to keep. */
import { sha256Of } from '../lib/sha256.ts';
import type { Frame } from './frames.ts';
import { withoutQuery } from './webAddresses.ts';

/** Increase it when frames look different, so that no older one is served. */
const VERSION = 1;
export const FRAME_TIME_ZONE = 'UTC';

/** The facts of a screenshot that the frame around its picture shows. */
export interface FrameFacts {
  readonly device: string;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly address: string;
  readonly capturedAt: Date;
}

/** @returns the facts without the query of the address, which may hold a secret. People with a share link know the token. */
export function publicFacts(facts: FrameFacts): FrameFacts {
  return { ...facts, address: withoutQuery(facts.address) };
}

/** @returns the key of the picture with a frame, beside that of the picture. */
export function framedKey(pictureKey: string, frame: Frame): string {
  return `${pictureKey.replace(/\.png$/, '')}.${frame}-v${VERSION}.png`;
}

/** @param sha256 of the picture without its frame. @param facts as {@link publicFacts} returns them. */
export function framedTag(sha256: string, frame: Frame, facts: FrameFacts): string {
  return sha256Of(Buffer.from(JSON.stringify([VERSION, frame, FRAME_TIME_ZONE, sha256, facts])));
}
