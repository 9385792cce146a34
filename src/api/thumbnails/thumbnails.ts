/** Makes thumbnails when they are first asked for, and keeps them in the artifact store beside their pictures. */

import sharp from 'sharp';
import { ArtifactNotFoundError, type ArtifactStore } from '../../artifacts/store.ts';
import { findAdBox, type Image, isRemoved } from '../../core/sets/images.ts';
import type { Queryable } from '../../db/database.ts';
import {
  isScreenshotKey,
  type PictureSize,
  shownPart,
  type ThumbnailWidth,
  thumbnailKey,
} from '../../domain/thumbnails.ts';
import { ConcurrencyLimit } from '../../lib/concurrencyLimit.ts';
import { OverloadedError } from '../server/errors.ts';

/** A picture of a long page at the highest pixel ratio has a hundred million. */
const MAX_PIXELS = 200_000_000;
const TIMEOUT_SECONDS = 20;
const QUALITY = 75;

interface ThumbnailPlan {
  readonly width: number;
  /** The part of the picture to show, in its own pixels. */
  readonly part: PictureSize & { readonly top: number };
}

const PNG_START = '89504e470d0a1a0a';

export interface Thumbnails {
  /** @returns a WebP. @throws ArtifactNotFoundError if the picture was deleted, OverloadedError. */
  read(image: Image, width: ThumbnailWidth): Promise<Buffer>;
}

/** Each takes about 100 ms of one processor. */
const AT_ONCE = 2;
const MAX_WAITING = 500;

export function createThumbnails(
  db: Queryable,
  artifacts: ArtifactStore,
  draw: typeof drawThumbnail = drawThumbnail,
): Thumbnails {
  const limit = new ConcurrencyLimit(AT_ONCE);
  const running = new Map<string, Promise<Buffer>>();

  const make = async (image: Image, width: ThumbnailWidth, key: string): Promise<Buffer> => {
    if (limit.waiting >= MAX_WAITING) throw new OverloadedError('Too many thumbnails are being made.');
    return limit.run(async () => {
      const { bytes: png } = await artifacts.get(image.artifact_key);
      const webp = await draw(png, { width, part: await partOf(db, image) });
      await artifacts.put(key, webp, 'image/webp');
      if (await isRemoved(db, image.token)) await artifacts.delete(key);
      return webp;
    });
  };

  return {
    async read(image, width) {
      const key = thumbnailKey(image.artifact_key, width);
      const stored = await artifacts.get(key).catch((error: unknown) => {
        if (error instanceof ArtifactNotFoundError) return undefined;
        throw error;
      });
      if (stored !== undefined) return stored.bytes;
      const made = running.get(key) ?? make(image, width, key).finally(() => running.delete(key));
      running.set(key, made);
      return made;
    },
  };
}

/** The thumbnail of a whole page shows the part around the ad. */
async function partOf(db: Queryable, image: Image): Promise<ThumbnailPlan['part']> {
  const { width, height } = isScreenshotKey(image.artifact_key) ? shownPart(image) : image;
  if (height === image.height) return { width, height, top: 0 };
  const box = await findAdBox(db, image.token);
  const middle = box === undefined ? 0 : box.y + box.height / 2;
  return { width, height, top: Math.min(Math.max(0, Math.round(middle - height / 2)), image.height - height) };
}

/** Draws in threads of its own, so that other requests continue. Never enlarges. @throws Error if the picture is damaged. */
export async function drawThumbnail(png: Buffer, { width, part }: ThumbnailPlan): Promise<Buffer> {
  // A capture sent the bytes, so no other decoder may see them.
  if (png.subarray(0, 8).toString('hex') !== PNG_START) throw new Error('The stored picture is not a PNG file.');
  return sharp(png, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .extract({ left: 0, top: part.top, width: part.width, height: part.height })
    .resize({ width, withoutEnlargement: true })
    .webp({ quality: QUALITY })
    .toBuffer();
}
