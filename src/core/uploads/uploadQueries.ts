/** Creative files that clients stored. A row without a SHA-256 belongs to an upload that is still running, or that broke off. */

import { type SqlBool, sql } from 'kysely';
import { isAfter, isInRange, type Place, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import { UPLOAD_DAYS } from '../../domain/retention.ts';
import { isUuid } from '../../domain/slugs.ts';
import type { GivenPageFormat, UploadFormat } from '../../domain/uploads.ts';

/** A complete upload. */
export type UploadRow = { readonly [K in keyof Row<'uploads'>]: NonNullable<Row<'uploads'>[K]> } & {
  /** Null if an ad uses it. */
  readonly expires_at: Date | null;
};

/** An upload that takes longer has lost its process. */
const RECEIVING_MINUTES = 60;

const isComplete = sql<SqlBool>`sha256 is not null`;
const isKept = sql<SqlBool>`(expires_at is null or expires_at > now())`;

/** Stores the row of an upload whose bytes follow. */
export async function beginUpload(
  db: Queryable,
  { id, organizationId, name }: { id: string; organizationId: string; name: string },
): Promise<void> {
  const expires_at = sql<Date>`now() + make_interval(mins => ${RECEIVING_MINUTES})`;
  await db.insertInto('uploads').values({ id, organization_id: organizationId, name, expires_at }).execute();
}

export interface StoredContent {
  readonly format: UploadFormat;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
}

export async function completeUpload(
  db: Queryable,
  id: string,
  { format, contentType, bytes, sha256 }: StoredContent,
): Promise<UploadRow> {
  const row = await db
    .updateTable('uploads')
    .set({ format, content_type: contentType, bytes, sha256, expires_at: UNUSED_END })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new Error(`The upload ${id} took so long that its row was removed.`);
  return row as UploadRow;
}

const UNUSED_END = sql<Date>`now() + make_interval(days => ${UPLOAD_DAYS})`;

/** Finds an upload of the same bytes under the same name, and lets it expire later. */
export async function renewSameUpload(
  db: Queryable,
  given: { organizationId: string; name: string; sha256: string },
): Promise<UploadRow | undefined> {
  const row = await db
    .updateTable('uploads')
    .set({ expires_at: sql<Date | null>`case when expires_at is null then null else ${UNUSED_END} end` })
    .where('id', 'in', (query) =>
      query
        .selectFrom('uploads')
        .select('id')
        .where('organization_id', '=', given.organizationId)
        .where('sha256', '=', given.sha256)
        .where('name', '=', given.name)
        .where(isKept)
        .orderBy('created_at')
        .limit(1)
        .forUpdate(),
    )
    .returningAll()
    .executeTakeFirst();
  return row as UploadRow | undefined;
}

/** Counts the uploads that no ad uses, running ones included. */
export async function countUnusedUploads(
  db: Queryable,
  organizationId: string,
): Promise<{ count: number; bytes: number }> {
  const row = await db
    .selectFrom('uploads')
    .select([
      sql<number>`count(*)::integer`.as('count'),
      sql<number>`coalesce(sum(bytes), 0)::double precision`.as('bytes'),
    ])
    .where('organization_id', '=', organizationId)
    .where('expires_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return row;
}

/** @param lock until the transaction ends. @returns undefined for an upload that is unknown, incomplete or expired. */
export async function findUpload(
  db: Queryable,
  { id, organizationId }: ObjectRef,
  { lock = false } = {},
): Promise<UploadRow | undefined> {
  const usable = db.selectFrom('uploads').selectAll().where('id', '=', id).where(isComplete).where(isKept);
  const row = usable.where('organization_id', '=', organizationId).$if(lock, (query) => query.forUpdate());
  return (await row.executeTakeFirst()) as UploadRow | undefined;
}

/**
 * Locks complete uploads, so that they are neither removed nor do they expire before the transaction ends. In the order of their
 * ids, so that two transactions never wait for each other in a circle.
 * @returns them by id. An id that is not a UUID matches no row.
 */
export async function lockUploadFiles(
  transaction: Queryable,
  { ids, organizationId }: { ids: readonly string[]; organizationId: string },
): Promise<Map<string, UploadFile>> {
  const uuids = ids.filter(isUuid);
  if (uuids.length === 0) return new Map();
  const rows = await transaction
    .selectFrom('uploads')
    .select(['id', 'name', 'format', 'content_type'])
    .where('organization_id', '=', organizationId)
    .where(sql<SqlBool>`id = any(${uuids}::uuid[])`)
    .where(isComplete)
    .where(isKept)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map((rows as UploadFile[]).map((row) => [row.id, row]));
}

export type UploadFile = Pick<UploadRow, 'id' | 'name' | 'format' | 'content_type'>;

/** A file that is the page of a screenshot. */
export type PageFile = Pick<UploadRow, 'id' | 'bytes' | 'sha256'> & { readonly format: GivenPageFormat };

export async function readPageFiles(db: Queryable, ids: readonly string[]): Promise<PageFile[]> {
  const found = db
    .selectFrom('uploads')
    .select(['id', 'format', 'bytes', 'sha256'])
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`);
  return (await found.execute()) as PageFile[];
}

export interface UploadFilter extends TimeRange {
  readonly organizationId: string;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

/** Newest first. */
export async function listUploads(
  db: Queryable,
  { organizationId, after, ...range }: UploadFilter,
  page: Page,
): Promise<ListPage<UploadRow>> {
  const matching = db
    .selectFrom('uploads')
    .where('organization_id', '=', organizationId)
    .where(isComplete)
    .where(isKept)
    .where(isInRange(sql`created_at`, range))
    .where(isAfter('uploads', after));
  const ordered = matching.selectAll().orderBy('created_at', 'desc').orderBy('id');
  const { total, rows } = await readListPage(db, ordered, page);
  return { rows: rows as UploadRow[], total };
}

/**
 * Deletes an upload that broke off. If the answer of PostgreSQL was lost, the upload may be complete, and the client that
 * repeats it gets this one. So it stays unless its row says that it is incomplete.
 */
export async function deleteIncompleteUpload(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).where('sha256', 'is', null).execute();
}
