/** The sweeper deletes the files of removed objects. */
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Database } from '../../db/database.ts';
import { filesOfPicture } from '../../domain/pictureKeys.ts';
import { takeRemovedFiles } from './removedFileQueries.ts';

/** Few, because a transaction is open while the artifact store deletes them. A picture has up to seven files. */
const KEYS_TOGETHER = 50;
const AT_ONCE = 10;

/**
 * Deletes files that are due, in short transactions. If the process ends, the next one deletes the same files again. Several
 * processes may do so at the same time.
 * @returns how many keys.
 */
export async function sweepFiles(
  { db, artifacts }: { readonly db: Database; readonly artifacts: ArtifactStore },
  signal?: AbortSignal,
): Promise<number> {
  let swept = 0;
  for (let found = KEYS_TOGETHER; found === KEYS_TOGETHER && signal?.aborted !== true; swept += found) {
    found = await db.transaction().execute(async (tx) => {
      const keys = await takeRemovedFiles(tx, KEYS_TOGETHER);
      await deleteFiles(artifacts, keys);
      return keys.length;
    });
  }
  return swept;
}

async function deleteFiles(artifacts: ArtifactStore, keys: readonly string[]): Promise<void> {
  const deletions = keys.flatMap((key) =>
    isStream(key)
      ? [() => artifacts.discardStream(key)]
      : filesOfPicture(key).map((file) => () => artifacts.delete(file)),
  );
  for (let start = 0; start < deletions.length; start += AT_ONCE)
    await Promise.all(deletions.slice(start, start + AT_ONCE).map((work) => work()));
}

/** A process that ended may have left a part of an upload or of an export. */
const isStream = (key: string) => key.startsWith('uploads/') || key.startsWith('exports/');
