/** Reads the retakes of a set. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { SetStatus } from '../../domain/states.ts';

export interface LaterRetake {
  readonly id: string;
  readonly status: SetStatus;
  readonly created_at: Date;
  readonly total: number;
  readonly resolved: number;
}

/** The sets that took pictures of this set, or of its retakes, again since; newest first. */
export async function readLaterRetakes(db: Queryable, setId: string): Promise<LaterRetake[]> {
  const { rows } = await sql<LaterRetake>`
    select f.id, f.status, f.created_at, count(s.id)::integer as total,
      (count(*) filter (where s.status <> 'pending'))::integer as resolved
    from screenshot_sets own
    join screenshot_sets f on f.original_id = coalesce(own.original_id, own.id) and f.created_at > own.created_at
    join screenshots s on s.set_id = f.id
    where own.id = ${setId}::uuid
    group by f.id
    order by f.created_at desc, f.id`.execute(db);
  return rows;
}
