/**
 * Reads rows that have certain words, in the order of a list. PostgreSQL cannot tell how rare words are, so one plan for all
 * of them would read a whole organization, once for rare words and once for common ones. This reads in turn:
 *
 * 1. The first rows of the list. Common words are in enough of them.
 * 2. The rows that the index of words finds, if they are few.
 * 3. The list in its order. Words that are neither common nor rare are in one of a few hundred rows.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './database.ts';

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
  readonly words: Words;
}

export interface SearchedRows<Row> {
  readonly rows: Row[];
  /** How many rows match; undefined if they were not counted. */
  readonly total: number | undefined;
}

/** The first rows of a list: so many for each row that is wanted. */
const ROWS_EACH = 5;
/** Rows that the index of words may find. More of them would take longer than the list in its order. */
const FOUND_MOST = 2_000;

export async function searchRows<Row>(db: Queryable, query: SearchQuery, range: Range): Promise<SearchedRows<Row>> {
  const near = await readFirst<Row>(db, query, range);
  if (near.total !== null) return { rows: near.rows, total: near.total };
  if (near.rows.length === range.limit) return { rows: near.rows, total: undefined };
  const few = await readFound<Row>(db, query, range);
  if (few.found <= FOUND_MOST) return { rows: few.rows, total: few.total };
  const source = sql.table(query.table);
  const where = sql`${query.where} and ${query.words.matches}`;
  const { rows } = await sql<Row>`/* planned each time */ ${pageOf(query, source, where)}${limited(range)}`.execute(db);
  return { rows, total: undefined };
}

interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** Reads the first rows of the list, until enough of them match. The total is null unless these are all rows. */
async function readFirst<Row>(db: Queryable, query: SearchQuery, range: Range) {
  const { table, where, order, words } = query;
  const most = range.offset + ROWS_EACH * range.limit;
  const first = sql`(select * from ${sql.table(table)} where ${where} order by ${order} limit ${most}) as ${sql.table(table)}`;
  const { rows } = await sql<Row & { search_total: number | null; search_row: number | null }>`/* planned each time */
    select case when (select count(*) from ${first}) < ${most}
        then (select count(*)::integer from ${first} where ${words.matches}) end as search_total, page.*
    from (values (1)) as one left join lateral (
      ${pageOf(query, first, words.matches)}${limited(range)}) as page on true`.execute(db);
  return { rows: rows.filter(({ search_row }) => search_row !== null), total: rows[0]?.search_total ?? null };
}

/** Looks up each row that the index of words finds, but not more than that. */
async function readFound<Row>(db: Queryable, query: SearchQuery, range: Range) {
  const { table, where, words } = query;
  const id = sql.ref(`${table}.id`);
  const { rows } = await sql<Row & { search_total: number; search_found: number; search_row: number | null }>`
    /* planned each time */
    with found as materialized (${words.ids} limit ${FOUND_MOST + 1}),
    listed as materialized (
      select row.* from found
      cross join lateral (select * from ${sql.table(table)} where ${id} = found.id and ${where} limit 1) as row)
    select (select count(*)::integer from found) as search_found, (select count(*)::integer from listed) as search_total, page.*
    from (values (1)) as one left join lateral (
      ${pageOf(query, sql`listed as ${sql.table(table)}`, sql`true`)}${limited(range)}) as page on true`.execute(db);
  const [first] = rows;
  return {
    rows: rows.filter(({ search_row }) => search_row !== null),
    total: first?.search_total ?? 0,
    found: first?.search_found ?? 0,
  };
}

function pageOf(
  { columns, joins = sql``, order }: SearchQuery,
  source: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
) {
  return sql`select ${columns}, 1 as search_row from ${source} ${joins} where ${where} order by ${order}`;
}

const limited = ({ limit, offset }: Range) => sql` limit ${limit} offset ${offset}`;
