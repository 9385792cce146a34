/** Keys of files whose rows are deleted. Triggers note them in the transaction that deletes the rows. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

/** Forgets files when the transaction ends, so delete them before. @returns their keys, at most `most`, the oldest first. */
export async function takeRemovedFiles(tx: Queryable, most: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    delete from removed_files where key = any(array(
      select key from removed_files where due_at <= now() order by due_at limit ${most} for update skip locked))
    returning key`.execute(tx);
  return rows.map(({ key }) => key);
}
