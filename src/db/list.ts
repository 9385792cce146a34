/** Reads one page of a list by its number, and counts the list. */
import { type Expression, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Queryable } from './database.ts';

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
  page: Page,
): Promise<ListPage<Row>> {
  // The order stays, so that PostgreSQL reads as few rows as for the page.
  const one = list.clearSelect().select(sql`1`.as('one'));
  return readCounted<Row>(db, { list, one }, page);
}

/** @param given the same list twice: `one` has one column. */
async function readCounted<Row>(
  db: Queryable,
  { list, one }: { readonly list: Expression<unknown>; readonly one: Expression<unknown> },
  { page, perPage }: Page,
): Promise<ListPage<Row>> {
  const offset = (page - 1) * perPage;
  // One row more says whether there is another page.
  const found = await plannedEachTime<Row>(db, sql`${list} limit ${perPage + 1} offset ${offset}`);
  const known = offset + found.length;
  const isLast = found.length <= perPage && (found.length > 0 || page === 1);
  if (isLast) return { rows: found, total: known };
  const count = sql`select count(*)::integer as count from (${one} limit ${TOTAL_MOST}) as listed`;
  const [row] = await plannedEachTime<{ count: number }>(db, count);
  return { rows: found.slice(0, perPage), total: Math.max(row?.count ?? 0, found.length === 0 ? 0 : known) };
}

/** A prepared statement would keep one plan for rare and for common values, and for all list pages. */
async function plannedEachTime<Row>(db: Queryable, query: Expression<unknown>): Promise<Row[]> {
  return (await sql<Row>`/* planned each time */ ${query}`.execute(db)).rows;
}

export interface Words {
  /** The condition on a row of the table. */
  readonly matches: RawBuilder<boolean>;
  /** The ids of all rows that match, from the index of words: a statement with one column, `id`. */
  readonly ids: RawBuilder<unknown>;
}

export interface SearchQuery {
  /** For example `screenshot_sets`. */
  readonly table: string;
  readonly columns: RawBuilder<unknown>;
  /** Joins that add columns and neither add nor remove rows. */
  readonly joins?: RawBuilder<unknown>;
  /** All conditions on the table except the words. */
  readonly where: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  /** Only rows that have these words. */
  readonly words: Words | undefined;
}

type WordQuery = SearchQuery & { readonly words: Words };

/** The first rows of a list: this many for each requested row. */
const ROWS_EACH = 5;
/** Rows that the index of words may find. More of them would take longer than the list in its order. */
const FOUND_MOST = 2_000;

/**
 * Reads a page of the rows that have certain words. PostgreSQL cannot tell how rare words are, so one plan for all of them
 * would read a whole organization, once for rare words and once for common ones. This reads in turn:
 *
 * 1. The first rows of the list. Common words are in enough of them.
 * 2. The rows that the index of words finds, if they are few.
 * 3. The list in its order. Words that are neither common nor rare are in one of a few hundred rows.
 *
 * @returns a total that is exact if few rows match, or if the list is short. Otherwise, it is the number of rows up to this
 *   page, and one more.
 */
export async function readSearchPage<Row>(db: Queryable, query: SearchQuery, page: Page): Promise<ListPage<Row>> {
  const { table, where, order, words } = query;
  const source = sql.table(table);
  if (words === undefined) {
    const one = sql`select 1 as one from ${source} where ${where} order by ${order}`;
    return readCounted<Row>(db, { list: selectOf(query, source, where), one }, page);
  }
  const range = { limit: page.perPage + 1, offset: (page.page - 1) * page.perPage };
  const wordQuery = { ...query, words };
  const near = await readFirst<Row>(db, wordQuery, range);
  if (near.total !== null || near.rows.length === range.limit) return pageOf(near, range);
  const few = await readFound<Row>(db, wordQuery, range);
  if (few.found <= FOUND_MOST) return pageOf(few, range);
  const all = selectOf(query, source, sql`${where} and ${words.matches}`);
  const rows = await plannedEachTime<Row>(db, sql`${all}${limited(range)}`);
  return pageOf({ rows, total: null }, range);
}

function pageOf<Row>(found: { rows: Row[]; total: number | null }, { limit, offset }: Range): ListPage<Row> {
  const known = found.rows.length === 0 ? 0 : offset + found.rows.length;
  return { rows: found.rows.slice(0, limit - 1), total: found.total ?? known };
}

interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** Reads the first rows of the list, until enough of them match. The total is null unless these are all rows. */
async function readFirst<Row>(db: Queryable, query: WordQuery, range: Range) {
  const { table, where, order, words } = query;
  const most = range.offset + ROWS_EACH * range.limit;
  const first = sql`(select * from ${sql.table(table)} where ${where} order by ${order} limit ${most}) as ${sql.table(table)}`;
  const rows = await plannedEachTime<Row & { search_total: number | null; search_row: number | null }>(
    db,
    sql`select case when (select count(*) from ${first}) < ${most}
        then (select count(*)::integer from ${first} where ${words.matches}) end as search_total, page.*
    from (values (1)) as one left join lateral (
      ${selectOf(query, first, words.matches)}${limited(range)}) as page on true`,
  );
  return { rows: rows.filter(({ search_row }) => search_row !== null), total: rows[0]?.search_total ?? null };
}

/** Looks up each row that the index of words finds, but not more than that. */
async function readFound<Row>(db: Queryable, query: WordQuery, range: Range) {
  const { table, where, words } = query;
  const id = sql.ref(`${table}.id`);
  const rows = await plannedEachTime<Row & { search_total: number; search_found: number; search_row: number | null }>(
    db,
    sql`with found as materialized (${words.ids} limit ${FOUND_MOST + 1}),
    listed as materialized (
      select row.* from found
      cross join lateral (select * from ${sql.table(table)} where ${id} = found.id and ${where} limit 1) as row)
    select (select count(*)::integer from found) as search_found, (select count(*)::integer from listed) as search_total, page.*
    from (values (1)) as one left join lateral (
      ${selectOf(query, sql`listed as ${sql.table(table)}`, sql`true`)}${limited(range)}) as page on true`,
  );
  const [first] = rows;
  return {
    rows: rows.filter(({ search_row }) => search_row !== null),
    total: first?.search_total ?? 0,
    found: first?.search_found ?? 0,
  };
}

function selectOf(
  { columns, joins = sql``, order }: SearchQuery,
  source: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`select ${columns}, 1 as search_row from ${source} ${joins} where ${where} order by ${order}`;
}

const limited = ({ limit, offset }: Range) => sql` limit ${limit} offset ${offset}`;
