/** Makes thumbnails when they are first requested, and keeps them in the artifact store beside their pictures. */
import { ArtifactNotFoundError, type ArtifactStore } from '../../artifacts/store.ts';
import { findAdBox, type Image, isRemoved } from '../../core/sets/images.ts';
import type { Queryable } from '../../db/database.ts';
import { isScreenshotKey, type PictureSize, shownPart, type Thumbnail, thumbnailKey } from '../../domain/thumbnails.ts';
import { FileReader } from '../../fileReader/fileReader.ts';
import { moduleBeside } from '../../lib/moduleBeside.ts';
import type { drawThumbnail } from './drawThumbnail.ts';

const DRAW_THUMBNAIL = {
  module: moduleBeside(import.meta.url, './drawThumbnail'),
  run: 'drawThumbnail',
  seconds: 20,
  fault: (limit: string) => new Error(`The thumbnail ${limit} to draw.`),
};

export interface Thumbnails {
  /** @returns a WebP. @throws ArtifactNotFoundError if the picture was deleted, Failure (429). */
  read(image: Image, thumbnail: Thumbnail): Promise<Buffer>;
  /** @returns a JPEG of a screenshot or a PNG of a logo, which are not kept. @throws as `read`. */
  draw(image: Image, width: number): Promise<Buffer>;
}

/** Each takes about 100 ms of one processor. A page asks for up to 240 at once. */
const OPTIONS = { inAll: 2, ofEach: 2, waiting: 500, waitMs: 60_000, idleMs: 10_000 };

/** The quality of the WebP. A client judges the ad in a picture that is shown alone. */
export const QUALITY = { small: 75, whole: 88 };

export function createThumbnails(db: Queryable, artifacts: ArtifactStore, files = new FileReader(OPTIONS)): Thumbnails {
  const running = new Map<string, Promise<Buffer>>();

  const draw = (image: Image, { width, isWhole }: Thumbnail, format?: 'jpeg' | 'png'): Promise<Buffer> =>
    files.read<typeof drawThumbnail>(image.organization_id, DRAW_THUMBNAIL, async () => {
      const { bytes: png } = await artifacts.get(image.artifact_key);
      const part = isWhole ? { width: image.width, height: image.height, top: 0 } : await partOf(db, image);
      return { png, width, part, quality: isWhole ? QUALITY.whole : QUALITY.small, ...(format && { format }) };
    });
  const make = async (image: Image, thumbnail: Thumbnail, key: string): Promise<Buffer> => {
    const webp = await draw(image, thumbnail);
    await artifacts.put(key, webp, 'image/webp');
    if (await isRemoved(db, image.token)) await artifacts.delete(key);
    return webp;
  };

  return {
    draw: (image, width) =>
      draw(image, { width, isWhole: false }, isScreenshotKey(image.artifact_key) ? 'jpeg' : 'png'),
    async read(image, thumbnail) {
      const key = thumbnailKey(image.artifact_key, thumbnail);
      const stored = await artifacts.get(key).catch((error: unknown) => {
        if (error instanceof ArtifactNotFoundError) return undefined;
        throw error;
      });
      if (stored !== undefined) return stored.bytes;
      const made = running.get(key) ?? make(image, thumbnail, key).finally(() => running.delete(key));
      running.set(key, made);
      return made;
    },
  };
}

/** The thumbnail of a whole page shows the part around the ad. */
async function partOf(db: Queryable, image: Image): Promise<PictureSize & { readonly top: number }> {
  const { width, height } = isScreenshotKey(image.artifact_key) ? shownPart(image) : image;
  if (height === image.height) return { width, height, top: 0 };
  const box = await findAdBox(db, image.token);
  const middle = box === undefined ? 0 : box.y + box.height / 2;
  return { width, height, top: Math.min(Math.max(0, Math.round(middle - height / 2)), image.height - height) };
}
