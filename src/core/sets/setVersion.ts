import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

export interface SetVersion {
  /** The number of its screenshots. */
  readonly pictures: number;
  /** Another text whenever a row that the record of the set shows has changed. */
  readonly version: string;
}

/** Increase it when the record of a set changes, so that clients do not keep an older form. */
const RECORD_FORM = 1;

/**
 * Says cheaply whether a set has changed: PostgreSQL gives a row another `xmin` with each change.
 * @returns undefined if the organization has no such set.
 */
export async function readSetVersion(
  db: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<SetVersion | undefined> {
  const { rows } = await sql<SetVersion>`
    select s.pictures, concat_ws('-', ${RECORD_FORM}::integer, t.xmin, s.changes, a.changes, v.changes, r.changes) as version
    from screenshot_sets t
    cross join lateral (
      select count(*)::integer as pictures, sum(hashint8(xmin::text::bigint)) as changes from screenshots where set_id = t.id
    ) s
    cross join lateral (
      select sum(hashint8(xmin::text::bigint)) as changes from ads
      where id in (select ad_id from screenshots where set_id = t.id)
    ) a
    cross join lateral (select count(*) as changes from reviews where set_id = t.id) v
    cross join lateral (
      select sum(hashint8(xmin::text::bigint)) as changes from screenshot_sets where original_id = coalesce(t.original_id, t.id)
    ) r
    where t.id = ${id} and t.organization_id = ${organizationId}`.execute(db);
  return rows[0];
}
