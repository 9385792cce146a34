/** Removes pictures: their files, and then what the database knows of them. */
import type { ArtifactStore } from '../artifacts/store.ts';
import { type FrameFacts, framedPicture, publicFacts } from '../domain/framedPictures.ts';
import { FRAMES } from '../domain/frames.ts';
import { THUMBNAIL_WIDTHS, thumbnailKey } from '../domain/thumbnails.ts';
import type { Database, Queryable } from '../store/database/database.ts';
import { forgetPictures, hidePictures, type RemovablePicture } from '../store/removal/setContent.ts';

/** Pictures whose files are deleted at the same time. */
const AT_ONCE = 5;

export interface PictureFiles {
  readonly picture: RemovablePicture;
  readonly facts: FrameFacts | null;
}

/**
 * Hides the pictures, deletes their files, and then deletes rows in the transaction in which the keys of the files are forgotten. If the
 * process ends in between, the rows still name what is left.
 */
export async function removePictures<T>(
  { db, artifacts }: { readonly db: Database; readonly artifacts: ArtifactStore },
  pictures: readonly PictureFiles[],
  deleteRows: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const tokens = pictures.map(({ picture }) => picture.token);
  await hidePictures(db, tokens);
  await deleteFiles(artifacts, pictures);
  return db.transaction().execute(async (tx) => {
    await forgetPictures(tx, tokens);
    return deleteRows(tx);
  });
}

async function deleteFiles(artifacts: ArtifactStore, pictures: readonly PictureFiles[]): Promise<void> {
  for (let start = 0; start < pictures.length; start += AT_ONCE) {
    const keys = pictures.slice(start, start + AT_ONCE).flatMap(keysOf);
    await Promise.all(keys.map((key) => artifacts.delete(key)));
  }
}

/** The picture and all files that the API makes from it. An earlier process may have deleted them and forgotten their key. */
function keysOf({ picture, facts }: PictureFiles): string[] {
  const { artifact_key: key } = picture;
  if (key === '') return [];
  const thumbnails = THUMBNAIL_WIDTHS.map((width) => thumbnailKey(key, width));
  const framed = facts === null ? [] : FRAMES.map((frame) => framedPicture(picture, frame, publicFacts(facts)).key);
  return [key, ...thumbnails, ...framed];
}
