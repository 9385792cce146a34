/** Removes the files of pictures that a capture uploaded and did not report before it ended. */
import type { ArtifactStore } from '../artifacts/store.ts';
import { withContent } from '../domain/pictureKeys.ts';
import type { Database } from '../store/database/database.ts';
import { deleteDeclaredUpload, lockUnreportedUploads } from '../store/jobs/declaredUploads.ts';

/** The signature of an upload is valid for 15 minutes, so no file arrives after this time. */
const MINUTES_AFTER_SETTLEMENT = 20;
/** Few, because the rows are locked while the artifact store deletes the files. */
const REMOVED_TOGETHER = 20;

/** Several processes may do so at the same time. @returns the number of files that it deleted or did not find any more. */
export async function removeUnreportedPictures({
  db,
  artifacts,
}: {
  readonly db: Database;
  readonly artifacts: ArtifactStore;
}): Promise<number> {
  let removed = 0;
  for (let found = REMOVED_TOGETHER; found === REMOVED_TOGETHER; ) {
    found = await db.transaction().execute(async (tx) => {
      const given = { minutes: MINUTES_AFTER_SETTLEMENT, limit: REMOVED_TOGETHER };
      const unreported = await lockUnreportedUploads(tx, given);
      for (const { job_id: jobId, picture, contents } of unreported) {
        // Files before rows: a process that ends in between leaves the row, and the next one deletes the file again.
        for (const sha256 of contents) await artifacts.delete(withContent(picture, sha256));
        await deleteDeclaredUpload(tx, { jobId, picture });
        removed += contents.length;
      }
      return unreported.length;
    });
  }
  return removed;
}
