import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import type { Schema } from '../../src/db/schema.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface RowCounter {
  readonly db: Database;
  /** Runs the statements of a function again under EXPLAIN, and rolls back. @returns the largest number of rows that one of them read. */
  mostRowsRead(run: () => Promise<unknown>): Promise<number>;
  /** The same, of rows that a statement sends to this process. */
  mostRowsSent(run: () => Promise<unknown>): Promise<number>;
}

/** Counts the rows that the statements of `db` read. */
export function rowCounter(pool: pg.Pool): RowCounter {
  let asked: { readonly sql: string; readonly parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query: { sql, parameters } }) => void asked.push({ sql, parameters }),
  });
  const most = async (run: () => Promise<unknown>, rowsOf: (plan: PlanNode) => number) => {
    asked = [];
    await run();
    const statements = asked.filter(({ sql }) => !/^(begin|commit|rollback)/.test(sql));
    const counts: number[] = [];
    for (const statement of statements) counts.push(rowsOf(await planOf(pool, statement)));
    if (counts.length === 0) throw new Error('The function ran no statement.');
    return Math.max(...counts);
  };
  return {
    db,
    mostRowsRead: (run) => most(run, rowsRead),
    mostRowsSent: (run) => most(run, (plan) => plan['Actual Rows']),
  };
}

async function planOf(
  pool: pg.Pool,
  { sql, parameters }: { sql: string; parameters: readonly unknown[] },
): Promise<PlanNode> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(`explain (analyze, format json) ${sql}`, [...parameters]);
    return rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** @returns how many rows and index entries all scans of the plan read. */
function rowsRead(node: PlanNode): number {
  const own =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const read = node['Node Type'].includes('Scan') ? own * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), read);
}
