/** Reads sets: one row, and more for their results pages. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type ObjectRef, type Row, type RowQuery, SET_COLUMNS, type SetRow, type WithSlug } from '../../db/rows.ts';
import type { StatusCounts } from '../../domain/reviewNotes.ts';

export interface SetVersion {
  /** The number of its screenshots. */
  readonly pictures: number;
  /** Another text whenever a row that the record of the set shows has changed. */
  readonly version: string;
}

/** @param id of a set, or of one of its screenshots. */
export async function hasMoreScreenshots(db: Queryable, id: string, than: number): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    select count(*) > ${than}::integer as more from (
      select from screenshots
      where set_id = coalesce((select set_id from screenshots where id = ${id}::uuid), ${id}::uuid) limit ${than + 1}) s`.execute(
    db,
  );
  return rows[0]?.more === true;
}

/** @returns whether the organization has this set. */
export async function hasSet(db: Queryable, { id, organizationId }: ObjectRef): Promise<boolean> {
  const found = db.selectFrom('screenshot_sets').select('id').where('id', '=', id);
  return (await found.where('organization_id', '=', organizationId).executeTakeFirst()) !== undefined;
}

/** Increase it when the record of a set changes, so that clients do not keep an older form. */
const RECORD_FORM = 3;

/** @returns undefined when there is no such set. */
export async function readSetRow(db: Queryable, query: RowQuery): Promise<(SetRow & WithSlug) | undefined> {
  return db
    .selectFrom('screenshot_sets')
    .innerJoin('organizations', 'organizations.id', 'screenshot_sets.organization_id')
    .select([...SET_COLUMNS, 'organizations.slug'])
    .where('screenshot_sets.id', '=', query.id)
    .$if(query.organizationId !== undefined, (q) =>
      q.where('screenshot_sets.organization_id', '=', query.organizationId ?? ''),
    )
    .executeTakeFirst();
}

export interface SetHead extends Row<'screenshot_sets'> {
  readonly campaign: string;
}

export async function readSetHead(db: Queryable, { id, organizationId }: ObjectRef): Promise<SetHead | undefined> {
  return db
    .selectFrom('screenshot_sets')
    .innerJoin('campaigns', 'campaigns.id', 'screenshot_sets.campaign_id')
    .selectAll('screenshot_sets')
    .select('campaigns.name as campaign')
    .where('screenshot_sets.id', '=', id)
    .where('screenshot_sets.organization_id', '=', organizationId)
    .executeTakeFirst();
}

/** How many screenshots of the set are in which status. */
export async function readCounts(db: Queryable, setId: string): Promise<StatusCounts> {
  const rows = await db
    .selectFrom('screenshots')
    .select(['status', sql<number>`count(*)::integer`.as('count')])
    .where('set_id', '=', setId)
    .groupBy('status')
    .execute();
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

export interface SetProgress {
  readonly status: Row<'screenshot_sets'>['status'];
  readonly total: number;
  readonly resolved: number;
}

/** As little as live progress needs. */
export async function readProgress(db: Queryable, { id, organizationId }: ObjectRef): Promise<SetProgress | undefined> {
  return db
    .selectFrom('screenshot_sets')
    .leftJoin('screenshots', 'screenshots.set_id', 'screenshot_sets.id')
    .select([
      'screenshot_sets.status',
      sql<number>`count(screenshots.id)::integer`.as('total'),
      sql<number>`count(*) filter (where screenshots.status <> 'pending')::integer`.as('resolved'),
    ])
    .where('screenshot_sets.id', '=', id)
    .where('screenshot_sets.organization_id', '=', organizationId)
    .groupBy('screenshot_sets.status')
    .executeTakeFirst();
}

/** The last sets that show this ad. */
export async function readSetsOfAd(
  db: Queryable,
  adId: string,
  most: number,
): Promise<Pick<Row<'screenshot_sets'>, 'id' | 'status' | 'created_at'>[]> {
  return db
    .selectFrom('screenshot_sets')
    .select(['id', 'status', 'created_at'])
    .where('original_id', 'is', null)
    .where(sql<boolean>`exists (select from screenshots where set_id = screenshot_sets.id and ad_id = ${adId})`)
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
}

/**
 * Says cheaply whether a set has changed: PostgreSQL gives a row another `xmin` with each change.
 * @returns undefined if the organization has no such set.
 */
export async function readSetVersion(
  db: Queryable,
  { id, organizationId }: ObjectRef,
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
