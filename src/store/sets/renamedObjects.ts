/** Writes new names of ads and campaigns into the search of their sets, a few sets at a time. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';

export interface RenamedObject {
  readonly id: string;
  readonly kind: 'ad' | 'campaign';
  /** The last set that was done. */
  readonly after: string | null;
  /** Grows with each new name. */
  readonly version: number;
}

/** A process that takes longer for one step has ended. */
const STEP_SECONDS = 120;

/** Starts to write the words of all sets of this object again, from the first. */
export async function noteRenamed(tx: Queryable, { id, kind }: Pick<RenamedObject, 'id' | 'kind'>): Promise<void> {
  await tx
    .insertInto('renamed_objects')
    .values({ id, kind, after: null })
    .onConflict((on) =>
      on.column('id').doUpdateSet({ after: null, step_until: null, version: sql<number>`renamed_objects.version + 1` }),
    )
    .execute();
}

/** Takes an object for one step, so that no other process does the same. */
export async function claimRenamed(db: Queryable): Promise<RenamedObject | undefined> {
  const { rows } = await sql<RenamedObject>`
    update renamed_objects set step_until = now() + make_interval(secs => ${STEP_SECONDS})
    where id = (select id from renamed_objects where step_until is null or step_until < now()
      order by renamed_at limit 1 for no key update skip locked)
    returning id, kind, after, version`.execute(db);
  return rows[0];
}

/** Writes the words of the next sets. @returns the last one; undefined if there was none. */
export async function indexNextSets(
  tx: Queryable,
  { id, kind, after }: RenamedObject,
  most: number,
): Promise<string | undefined> {
  const from = after ?? '00000000-0000-0000-0000-000000000000';
  const next =
    kind === 'campaign'
      ? sql`select id from screenshot_sets where campaign_id = ${id} and removed_at is null and id > ${from}
          order by id limit ${most}`
      : sql`select distinct set_id as id from screenshots where ad_id = ${id} and set_id > ${from} order by 1 limit ${most}`;
  const { rows } = await sql<{ id: string }>`
    with next as (${next}),
    written as (update set_search set words = words_of_set(set_id) where set_id in (select id from next))
    select id from next order by id desc limit 1`.execute(tx);
  return rows[0]?.id;
}

/** @param after undefined: all sets are done. Nothing happens if the object was renamed again since. */
export async function releaseRenamed(tx: Queryable, { id, version }: RenamedObject, after?: string): Promise<void> {
  if (after === undefined)
    await tx.deleteFrom('renamed_objects').where('id', '=', id).where('version', '=', version).execute();
  else
    await tx
      .updateTable('renamed_objects')
      .set({ after, step_until: null })
      .where('id', '=', id)
      .where('version', '=', version)
      .execute();
}
