/** Reads one page of a list by its number, and counts the list. */
import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Queryable } from './database.ts';
import type { Place } from './keyset.ts';
import { type SearchQuery, searchRows } from './searchRows.ts';

/** Which part of a list: pages count from 1. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
}

export interface ListPage<T> {
  readonly rows: readonly T[];
  /** On all pages together. Longer lists than {@link TOTAL_MOST} are not counted to their end. */
  readonly total: number;
}

/** To count a million rows takes longer than to read a page. */
export const TOTAL_MOST = 1_000;

/**
 * @param list all rows of the list, in order.
 * @returns a page of it. A total over `TOTAL_MOST` is at least the number of rows up to this page, and one more if there
 *   is another page.
 */
export async function readListPage<Tables, Names extends keyof Tables, Row>(
  db: Queryable,
  list: SelectQueryBuilder<Tables, Names, Row>,
  { page, perPage }: Page,
): Promise<ListPage<Row>> {
  const offset = (page - 1) * perPage;
  // One row more says whether there is another page.
  const found = await plannedEachTime<Row>(db, list.limit(perPage + 1).offset(offset));
  const known = offset + found.length;
  const isLast = found.length <= perPage && (found.length > 0 || page === 1);
  if (isLast) return { rows: found, total: known };
  // The order stays, so that PostgreSQL reads as few rows as for the page.
  const counted = list.clearSelect().select(sql`1`.as('one')).limit(TOTAL_MOST);
  const count = sql<{ count: number }>`select count(*)::integer as count from ${counted} as listed`;
  const [row] = await plannedEachTime<{ count: number }>(db, count);
  return { rows: found.slice(0, perPage), total: Math.max(row?.count ?? 0, found.length === 0 ? 0 : known) };
}

/**
 * @returns a page of the rows that have certain words. The total is exact if few rows match, or if the list is short.
 *   Otherwise, it is the number of rows up to this page, and one more.
 */
export async function readSearchPage<Row>(
  db: Queryable,
  query: SearchQuery,
  { page, perPage }: Page,
): Promise<ListPage<Row>> {
  const offset = (page - 1) * perPage;
  const { rows, total } = await searchRows<Row>(db, query, { limit: perPage + 1, offset });
  const known = rows.length === 0 ? 0 : offset + rows.length;
  return { rows: rows.slice(0, perPage), total: total ?? known };
}

/** A prepared statement would keep one plan for rare and for common values, and for all list pages. */
async function plannedEachTime<Row>(db: Queryable, query: Expression<unknown>): Promise<Row[]> {
  return (await sql<Row>`/* planned each time */ ${query}`.execute(db)).rows;
}

/** Lists of these tables are sorted by the time of creation, newest first, and then by id. */
export type ListTable = 'ads' | 'audit_log' | 'campaigns' | 'deliveries' | 'events' | 'screenshot_sets' | 'uploads';

/** @returns whether a row is behind the place; true for all rows without a place. */
export function isAfter(table: ListTable, place: Place | undefined): RawBuilder<boolean> {
  if (place === undefined) return sql<boolean>`true`;
  const { value, id } = place;
  const [column, key] = [sql.ref(`${table}.created_at`), sql.ref(`${table}.id`)];
  return sql<boolean>`${column} <= ${value}::timestamptz and (${column} < ${value}::timestamptz or ${key} > ${id}::uuid)`;
}

/** @returns the place of a row; undefined if the organization has no such row. */
export async function findPlace(
  db: Queryable,
  table: ListTable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<Place | undefined> {
  const { rows } = await sql<Place>`select created_at::text as value, id from ${sql.table(table)}
    where id = ${id}::uuid and organization_id = ${organizationId}::uuid`.execute(db);
  return rows[0];
}
