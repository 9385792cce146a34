/** The keys of pictures with a frame. They follow from what the frame shows, so there are no rows to keep. */
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

interface FramedPicture {
  readonly organization_id: string;
  /** The checksum of the picture without its frame. */
  readonly sha256: string;
}

/** @returns the facts without the query of the address, which may hold a secret. People with a share link know the token. */
export function publicFacts(facts: FrameFacts): FrameFacts {
  return { ...facts, address: withoutQuery(facts.address) };
}

/** @param facts as {@link publicFacts} returns them. */
export function framedPicture(
  image: FramedPicture,
  frame: Frame,
  facts: FrameFacts,
): { readonly key: string; readonly etag: string } {
  const etag = sha256Of(Buffer.from(JSON.stringify([VERSION, frame, FRAME_TIME_ZONE, image.sha256, facts])));
  return { key: `framed/${image.organization_id}/${etag}.png`, etag };
}
