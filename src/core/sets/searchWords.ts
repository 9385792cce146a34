/** The words by which the search finds sets. A trigger writes those of a new set. */
import { sql } from 'kysely';
import type { Database, Queryable } from '../../db/database.ts';

/** Sets are found by the old name until {@link refreshWords} has written the words again, which takes long for large sets. */
export async function markWordsStale(
  tx: Queryable,
  renamed: { readonly adId: string } | { readonly campaignId: string },
) {
  const sets =
    'adId' in renamed
      ? sql`select set_id from screenshots where ad_id = ${renamed.adId}`
      : sql`select id from screenshot_sets where campaign_id = ${renamed.campaignId}`;
  await sql`update set_search set stale = true where set_id in (${sets})`.execute(tx);
}

/** Writes the words of some sets again. The second statement sees each name that was stored before the lock. @returns how many. */
export function refreshWords(db: Database, most: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ set_id: string }>`
      select set_id from set_search where stale limit ${most} for update skip locked`.execute(tx);
    const ids = rows.map(({ set_id }) => set_id);
    if (ids.length > 0)
      await sql`update set_search set words = words_of_set(set_id), stale = false where set_id = any(${ids}::uuid[])`.execute(
        tx,
      );
    return ids.length;
  });
}
