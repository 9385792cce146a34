/** How large a filled database is. */
import type pg from 'pg';

export interface TableSize {
  readonly name: string;
  readonly rows: number;
  /** Bytes of the table itself with its long values, and of its indexes. */
  readonly table: number;
  readonly indexes: number;
}

export interface DatabaseSize {
  readonly bytes: number;
  /** The largest first. */
  readonly tables: readonly TableSize[];
  /** Seconds that these take. */
  readonly analyze: number;
  readonly vacuum: number;
}

const SHOWN = 8;

export async function measureSize(database: pg.Pool): Promise<DatabaseSize> {
  const { rows } = await database.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  const { rows: tables } = await database.query<Record<keyof TableSize, string>>(
    `select relname as name, n_live_tup as rows, pg_table_size(relid) as table, pg_indexes_size(relid) as indexes
     from pg_stat_user_tables where schemaname = 'public' order by pg_total_relation_size(relid) desc limit ${SHOWN}`,
  );
  const analyze = await secondsOf(database, 'analyze');
  const vacuum = await secondsOf(database, 'vacuum');
  return {
    bytes: Number(rows[0]?.bytes),
    tables: tables.map(({ name, rows, table, indexes }) => ({
      name,
      ...{ rows: Number(rows), table: Number(table), indexes: Number(indexes) },
    })),
    ...{ analyze, vacuum },
  };
}

async function secondsOf(database: pg.Pool, statement: string): Promise<number> {
  const start = performance.now();
  await database.query(statement);
  return (performance.now() - start) / 1000;
}
