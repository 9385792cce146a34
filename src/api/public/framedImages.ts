/** Serves pictures with a frame. Each is drawn once and kept in the artifact store. */
import type { ArtifactStore } from '../../artifacts/store.ts';
import { findFramedImage, type Image, isRemoved } from '../../core/sets/images.ts';
import type { Database } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { FRAME_TIME_ZONE, FRAMES, type FrameChoice, framedKey, framedTag, publicFacts } from '../../domain/frames.ts';
import { drawFrame } from '../../framing/drawFrame.ts';
import { ConcurrencyLimit } from '../../lib/concurrencyLimit.ts';
import { OverloadedError } from '../server/errors.ts';

/** Frames that this process draws at the same time, and those that may wait. One takes about 100 MB for a moment. */
const DRAWN_AT_ONCE = 2;
const MAX_WAITING = 32;

export interface FramedImages {
  /** @returns the key of the framed picture. @throws Failure (422) for a picture that cannot be framed so, OverloadedError */
  keyOf(
    image: Image,
    query: { readonly frame?: unknown; readonly label?: unknown },
  ): Promise<{ key: string; etag: string }>;
}

export function createFramedImages(db: Database, artifacts: ArtifactStore): FramedImages {
  const drawing = new Map<string, Promise<void>>();
  const limit = new ConcurrencyLimit(DRAWN_AT_ONCE);
  const draw = async (key: string, token: string, work: () => Promise<Buffer>): Promise<void> => {
    if (drawing.size >= MAX_WAITING) throw new OverloadedError('Too many framed pictures are being drawn.');
    const drawn = limit.run(async () => {
      await artifacts.put(key, await work(), 'image/png');
      if (await isRemoved(db, token)) await artifacts.delete(key);
    });
    drawing.set(key, drawn);
    await drawn.finally(() => drawing.delete(key));
  };
  return {
    async keyOf(image, query) {
      const choice = choiceOf(query);
      const found = await findFramedImage(db, image.token);
      if (found === undefined) throw invalid({ frame: ['is only possible for screenshots.'] });
      const picture = publicFacts(found);
      const key = framedKey(image.artifact_key, choice);
      if (drawing.has(key)) await drawing.get(key);
      else if ((await artifacts.sizeOf(key)) === undefined) {
        await draw(key, image.token, async () => {
          const { bytes } = await artifacts.get(image.artifact_key);
          return drawFrame(
            bytes,
            { ...picture, width: image.width, height: image.height },
            { ...choice, timeZone: FRAME_TIME_ZONE },
          );
        });
      }
      return { key, etag: `"${framedTag(image.sha256, choice, picture)}"` };
    },
  };
}

function choiceOf({ frame: name, label = 'true' }: { frame?: unknown; label?: unknown }): FrameChoice {
  const frame = FRAMES.find((known) => known === name);
  if (frame === undefined) throw invalid({ frame: [`must be one of: ${FRAMES.join(', ')}.`] });
  if (label !== 'true' && label !== 'false') throw invalid({ label: ['must be one of: true, false.'] });
  return { frame, label: label === 'true' };
}
