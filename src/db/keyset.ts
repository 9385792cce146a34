/** Reads a list page by page from the last row that was shown, so that a new row neither repeats nor hides another. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './database.ts';
import { type SearchQuery, searchRows, type Words } from './searchRows.ts';

/** A row's position in a sorted list. */
export interface Place {
  /** The text of the value that the list is sorted by. */
  readonly value: string;
  readonly id: string;
}

export interface KeysetPage {
  readonly size: number;
  /** Without one of these, the first page. */
  readonly after?: Place | undefined;
  readonly before?: Place | undefined;
}

export interface KeysetRows<Row> {
  readonly rows: readonly (Row & { readonly place: Place })[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

export interface Sort {
  readonly column: RawBuilder<unknown>;
  readonly type: 'time' | 'text';
  readonly direction: 'asc' | 'desc';
}

export interface KeysetQuery {
  /** For example `screenshot_sets`. */
  readonly table: string;
  readonly columns: RawBuilder<unknown>;
  /** Joins that add columns. */
  readonly joins?: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  /** Only rows that have these words. */
  readonly words?: Words | undefined;
  readonly sort: Sort;
}

const UTC = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"';

/** A page before a place that is not full becomes the first page, because new rows may have moved it. */
export async function readKeyset<Row extends { readonly id: string }>(
  db: Queryable,
  query: KeysetQuery,
  page: KeysetPage,
): Promise<KeysetRows<Row>> {
  const found = await readRows<Row>(db, query, page);
  const hasMore = found.length > page.size;
  if (page.after === undefined && page.before !== undefined) {
    if (!hasMore) return readKeyset<Row>(db, query, { size: page.size });
    return { rows: found.slice(0, page.size).toReversed(), hasBefore: true, hasAfter: true };
  }
  return { rows: found.slice(0, page.size), hasBefore: page.after !== undefined, hasAfter: hasMore };
}

/** One row more than the page has, in the direction of reading. */
async function readRows<Row extends { readonly id: string }>(
  db: Queryable,
  { table, columns, joins = sql``, where, words, sort }: KeysetQuery,
  { size, after, before }: KeysetPage,
): Promise<(Row & { readonly place: Place })[]> {
  const place = after ?? before;
  const isReverse = after === undefined && before !== undefined;
  const isFalling = (sort.direction === 'desc') !== isReverse;
  const id = sql.ref(`${table}.id`);
  const value = sort.type === 'time' ? sql`to_char(${sort.column} at time zone 'UTC', ${sql.lit(UTC)})` : sort.column;
  // Equal values are in the other order of their ids, as in the indexes.
  const order = isFalling ? sql`${sort.column} desc, ${id} asc` : sql`${sort.column} asc, ${id} desc`;
  const beyond = place === undefined ? sql`` : sql` and ${isBeyond(place, { sort, id, isFalling })}`;
  const query = {
    table,
    columns: sql`${columns}, ${value} as sort_value`,
    joins,
    where: sql`${where}${beyond}`,
    order,
  };
  const range = { limit: size + 1, offset: 0 };
  const rows =
    words === undefined
      ? await readInOrder<Row & { sort_value: string }>(db, query, range.limit)
      : (await searchRows<Row & { sort_value: string }>(db, { ...query, words }, range)).rows;
  return rows.map((row) => ({ ...row, place: { value: row.sort_value, id: row.id } }));
}

/** A prepared statement would keep one plan for rare and for common values: the comment keeps it from being prepared. */
async function readInOrder<Row>(
  db: Queryable,
  { table, columns, joins = sql``, where, order }: Omit<SearchQuery, 'words'>,
  limit: number,
): Promise<Row[]> {
  const { rows } = await sql<Row>`/* planned each time */
    select ${columns} from ${sql.table(table)} ${joins} where ${where} order by ${order} limit ${limit}`.execute(db);
  return rows;
}

function isBeyond(
  place: Place,
  { sort, id, isFalling }: { sort: Sort; id: RawBuilder<unknown>; isFalling: boolean },
): RawBuilder<unknown> {
  const value = sort.type === 'time' ? sql`${place.value}::timestamptz` : sql`${place.value}::text`;
  const { column } = sort;
  return isFalling
    ? sql`${column} <= ${value} and (${column} < ${value} or ${id} > ${place.id}::uuid)`
    : sql`${column} >= ${value} and (${column} > ${value} or ${id} < ${place.id}::uuid)`;
}

/** @returns one condition that is true if all are; those that are absent do not count. */
export function allOf(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<boolean> {
  return sql<boolean>`${sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  )}`;
}
