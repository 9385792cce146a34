import { deleteEntriesOfDeleted, deleteOldEntries } from '../store/auditLog/auditLog.ts';
import type { Database } from '../store/database/database.ts';

/** Entries of one statement, so that none runs for long. */
const ENTRIES_TOGETHER = 1_000;

interface RemovalOptions {
  readonly days: number;
  /** Entries of one statement; 1,000 unless given. */
  readonly together?: number;
  /** Ends the removal after the step that is running. */
  readonly isStopped?: () => boolean;
}

/** Removes entries of the audit log that are older than `days`, the oldest first, and those of deleted organizations, in steps. @returns how many. */
export async function removeOldEntries(
  db: Database,
  { days, together = ENTRIES_TOGETHER, isStopped = () => false }: RemovalOptions,
): Promise<number> {
  let removed = 0;
  for (let found = together; found === together && !isStopped(); removed += found) {
    found = await deleteOldEntries(db, { days, most: together });
  }
  while (!isStopped()) {
    const found = await deleteEntriesOfDeleted(db, together);
    if (found === 0) break;
    removed += found;
  }
  return removed;
}
