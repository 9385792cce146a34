/** Sessions of the pages that a person ended by signing out. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

/** Ends a session for good, and forgets those that would have expired by now. */
export async function endSession(db: Queryable, { id, expires }: { id: string; expires: Date }): Promise<void> {
  await db.deleteFrom('ended_sessions').where('expires_at', '<', sql<Date>`now()`).execute();
  await db
    .insertInto('ended_sessions')
    .values({ id, expires_at: expires })
    .onConflict((on) => on.doNothing())
    .execute();
}
