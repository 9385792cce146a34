/**
 * Prepares repeated statements, because PostgreSQL needs as long to parse and plan a small one as to run it: without this, its
 * processor time of an accepted ad doubles. A connection keeps its prepared statements until it closes.
 */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';

/** A statement is prepared from this use on. */
const OFTEN = 3;
/** Statements counted, and so at most prepared, in a process. */
const MOST = 300;

/** The pool as kysely sees it. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const statements = new Map<string, { readonly name: string; uses: number }>();
  const nameOf = (text: string): string | undefined => {
    const known = statements.get(text);
    if (known !== undefined) return ++known.uses >= OFTEN ? known.name : undefined;
    if (statements.size < MOST && isPreparable(text)) statements.set(text, { name: `s${statements.size}`, uses: 1 });
    return undefined;
  };
  return {
    options: pool.options,
    connect: async () => new PreparingClient(await pool.connect(), nameOf),
    end: () => pool.end(),
  };
}

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #nameOf: (text: string) => string | undefined;
  readonly release: pg.PoolClient['release'];

  constructor(client: pg.PoolClient, nameOf: (text: string) => string | undefined) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.release = (destroy) => client.release(destroy);
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new TypeError('Kysely has no cursor here, so it cannot stream.');
    return this.#run<R>(text, values);
  }

  async #run<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const name = this.#nameOf(text);
    const given = { text, values: [...values] };
    const { command, rowCount, rows } = await this.#client.query(name === undefined ? given : { ...given, name });
    return { command: command as PostgresQueryResult<R>['command'], rowCount: rowCount ?? 0, rows };
  }
}

/** Excludes queries for all columns of a table, whose prepared form fails once a migration adds one, and anything but a query. */
function isPreparable(text: string): boolean {
  return (
    /^\s*(select|with|insert|update|delete)\b/i.test(text) && !/\b(select|returning)\s+\*(?!\s*,)|\.\*/i.test(text)
  );
}
