/** The sweeper deletes the files of removed objects. */

import { sql } from 'kysely';
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { filesOfPicture } from '../../domain/pictureKeys.ts';

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

/** Forgets files when the transaction ends, so delete them before. @returns their keys, at most `most`, the oldest first. */
export async function takeRemovedFiles(tx: Queryable, most: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    delete from removed_files where key = any(array(
      select key from removed_files where due_at <= now() order by due_at limit ${most} for update skip locked))
    returning key`.execute(tx);
  return rows.map(({ key }) => key);
}
